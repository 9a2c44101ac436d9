#include "local/store_error.h"

namespace kinetic::local {

bool IsAway(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kNotFound:
      return true;
    default:
      return false;
  }
}

}  // namespace kinetic::local
