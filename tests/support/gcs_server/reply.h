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

/// The bytes of an object as a body: a range of them, or all of them unpacked.
struct ContentBody {
  Content content;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  bool gunzip = false;  ///< sent in chunks, because the length is not known
};

/// One answer. Content-Length is the connection's business.
struct Reply {
  int status = 200;
  http::Headers headers;
  std::string body;
  std::optional<ContentBody> content;  ///< instead of `body`
};

/// A value, or the reply that says why there is none.
template <typename T>
using Outcome = tl::expected<T, Reply>;

inline tl::unexpected<Reply> Refuse(Reply reply) { return tl::unexpected<Reply>(std::move(reply)); }

Reply JsonReply(const nlohmann::json& body, int status = 200);
Reply EmptyReply(int status);

/// The standard's words for a status.
std::string_view ReasonPhrase(int status);

}  // namespace kinetic::gcs_server
