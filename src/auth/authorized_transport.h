#pragma once

#include "auth/token/cache.h"
#include "http/transport.h"

namespace kinetic::auth {

/// A transport that adds an access token to every request. If a server responds with 401, it
/// retries once with a new token, because tokens can be revoked. Safe to call concurrently.
class AuthorizedTransport final : public http::Transport {
 public:
  /// @param inner, tokens  must outlive the transport.
  /// @param quota_project  sent as x-goog-user-project; may be empty.
  AuthorizedTransport(http::Transport& inner, TokenCache& tokens, std::string quota_project = {})
      : inner_(&inner), tokens_(&tokens), quota_project_(std::move(quota_project)) {}

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  http::Transport* inner_;
  TokenCache* tokens_;
  std::string quota_project_;
};

}  // namespace kinetic::auth
