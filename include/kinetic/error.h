#pragma once

#include "kinetic/export.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// Kinds of failures, with the meanings of the gRPC status codes.
///
/// @source https://grpc.io/docs/guides/status-codes/
enum class ErrorCode : std::uint8_t {
  kCancelled,           ///< the caller asked to stop
  kInvalidArgument,     ///< invalid input, regardless of the system's state
  kUnauthenticated,     ///< no valid credential
  kPermissionDenied,    ///< the credential is valid but not authorized
  kNotFound,            ///< does not exist
  kAlreadyExists,       ///< a different object has that name
  kFailedPrecondition,  ///< the state of the system does not permit the operation
  kAborted,             ///< changed concurrently; of ErrorOf: a job failed
  kResourceExhausted,   ///< quota, disk or memory
  kDeadlineExceeded,    ///< timed out
  kUnavailable,         ///< a transient failure; a retry may succeed
  kDataLoss,            ///< bytes are missing or have a wrong checksum
  kUnimplemented,       ///< not supported by this target or version
  kInternal,            ///< a bug in kinetic
};

/// Returns the code's name as in `--json` output, for example "INVALID_ARGUMENT".
KINETIC_EXPORT std::string_view Name(ErrorCode code);

/// A failure: the operation, its cause, and what the user can do. Contains no secrets.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  /// Lower case, without a full stop; one line for each reported error.
  std::string message;
  std::string hint;                                          ///< what to do next; may be empty
  std::vector<std::pair<std::string, std::string>> details;  ///< machine-readable, for --json

  bool operator==(const Error&) const = default;

  /// Adds one machine-readable fact.
  Error&& With(std::string key, std::string value) && {
    details.emplace_back(std::move(key), std::move(value));
    return std::move(*this);
  }
  /// Replaces the hint.
  Error&& Hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
  /// Prefixes the message with the operation that failed: "reading job.yaml: <message>".
  Error&& Context(std::string_view what) && {
    message.insert(0, ": ").insert(0, what);
    return std::move(*this);
  }
};

/// Writes the error as one line: "NOT_FOUND: job k-123 does not exist (kinetic ps lists the jobs)".
/// Control characters are escaped. Report (kinetic/report.h) writes it for a person.
KINETIC_EXPORT std::ostream& operator<<(std::ostream& out, const Error& error);

}  // namespace kinetic::inline v0
