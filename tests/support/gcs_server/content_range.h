#pragma once

#include "support/gcs_server/request.h"

#include <cstdint>
#include <optional>

namespace kinetic::gcs_server {

/// The Content-Range of a PUT to a session: "bytes 0-262143/*", "bytes */1000".
struct ContentRange {
  std::optional<std::uint64_t> first;  ///< none: a status query without bytes
  std::optional<std::uint64_t> end;    ///< one past the last; none for "first-*"
  std::optional<std::uint64_t> total;

  /// Returns whether the upload ends with this request.
  bool Completes(std::uint64_t its_end) const { return total && *total == its_end; }
};

/// A request without the header sends everything from the start. @errors 400
Outcome<ContentRange> ContentRangeOf(const Request& request,
                                     std::optional<std::uint64_t> body_bytes);

}  // namespace kinetic::gcs_server
