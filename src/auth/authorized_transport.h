#pragma once

#include "auth/token_cache.h"
#include "http/transport.h"

namespace kinetic::auth {

/// A transport that shows a token with every request, and another when a server refuses the first:
/// a token may be revoked, or expire under way.
///
/// @threads  safe to call concurrently.
class AuthorizedTransport final : public http::Transport {
 public:
  /// Both outlive it. @param quota_project  sent as x-goog-user-project; may be empty.
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
