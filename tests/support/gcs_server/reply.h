#pragma once

#include "http/headers.h"
#include "support/gcs_server/content.h"

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Bytes of an object as a body: a range, or all of them decompressed.
struct ContentBody {
  Content content;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  bool gunzip = false;  ///< sent in chunks, because the length is unknown
};

/// A response. The connection adds Content-Length.
struct Reply {
  int status = 200;
  http::Headers headers;
  std::string body;
  std::optional<ContentBody> content;  ///< instead of `body`
};

/// A value, or an error response.
template <typename T>
using Outcome = tl::expected<T, Reply>;

inline tl::unexpected<Reply> Refuse(Reply reply) { return tl::unexpected<Reply>(std::move(reply)); }

Reply JsonReply(const nlohmann::json& body, int status = 200);
Reply EmptyReply(int status);

/// Returns the standard reason phrase of a status.
std::string_view ReasonPhrase(int status);

}  // namespace kinetic::gcs_server
