#include "gcs/upload/file_identity.h"

namespace kinetic::gcs {

std::string IdentityOf(const FileStatus& status) {
  std::string identity;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(status.device), static_cast<std::int64_t>(status.inode),
        static_cast<std::int64_t>(status.size_bytes), status.mtime_ns, status.ctime_ns}) {
    identity += std::to_string(part) + ".";
  }
  return identity;
}

}  // namespace kinetic::gcs
