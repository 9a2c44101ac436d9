#pragma once

#include "http/headers.h"
#include "support/gcs_server/reply.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::gcs_server {

/// The head of a request, taken apart.
struct Request {
  std::string method;
  std::string target;                 ///< as it was sent
  std::vector<std::string> segments;  ///< of the path, decoded: an object's name is one of them
  std::vector<std::pair<std::string, std::string>> query;
  http::Headers headers;

  std::optional<std::string> Query(std::string_view name) const;
  std::string Header(std::string_view name) const;  ///< empty when there is none

  /// @errors  400 when it is there and no number.
  Outcome<std::optional<std::int64_t>> Number(std::string_view name) const;

  /// "http://host:port" as the client called it.
  std::string Origin() const;
};

/// Reads a head, from the request line up to its empty line; or nothing when it is no HTTP/1.1.
std::optional<Request> ParseRequest(std::string_view head);

}  // namespace kinetic::gcs_server
