#pragma once

#include "support/gcs_server/request.h"

#include <cstdint>
#include <optional>

namespace kinetic::gcs_server {

/// What the Content-Range of a PUT to a session says: "bytes 0-262143/*", "bytes */1000".
struct ContentRange {
  std::optional<std::uint64_t> first;  ///< none: no bytes come with it, a question
  std::optional<std::uint64_t> end;    ///< one behind the last; none when it is "first-*"
  std::optional<std::uint64_t> total;

  /// Whether the request says that the upload ends with it.
  bool Completes(std::uint64_t its_end) const { return total && *total == its_end; }
};

/// A request without the header sends all from the beginning. @errors 400
Outcome<ContentRange> ContentRangeOf(const Request& request,
                                     std::optional<std::uint64_t> body_bytes);

}  // namespace kinetic::gcs_server
