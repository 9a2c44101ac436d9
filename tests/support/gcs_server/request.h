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

/// The parsed head of a request.
struct Request {
  std::string method;
  std::string target;                 ///< as it was sent
  std::vector<std::string> segments;  ///< decoded parts of the path, such as an object's name
  std::vector<std::pair<std::string, std::string>> query;
  http::Headers headers;

  std::optional<std::string> Query(std::string_view name) const;
  std::string Header(std::string_view name) const;  ///< empty if absent

  /// @errors  400 if it is present and not a number.
  Outcome<std::optional<std::int64_t>> Number(std::string_view name) const;

  /// Returns "http://host:port" as used by the client.
  std::string Origin() const;
};

/// Parses a head from request line to empty line; nullopt if it is not HTTP/1.1.
std::optional<Request> ParseRequest(std::string_view head);

}  // namespace kinetic::gcs_server
