#pragma once

#include "auth/tokens.h"
#include "http/transport.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace kinetic::auth {

/// Caches a token and refreshes it before it expires. One caller refreshes; the others use the old
/// token while it is valid and wait otherwise. Safe to call concurrently.
class TokenCache {
 public:
  TokenCache(std::unique_ptr<TokenSource> source, Clock& clock);

  /// @errors  those of TokenSource::Fetch, unless the old token is still valid.
  Result<AccessToken> Get(std::stop_token stop);

  /// Discards a token that a server rejected, unless it has been replaced already.
  void Invalidate(const std::string& token);

  Identity GetIdentity() const { return source_->GetIdentity(); }

 private:
  Result<AccessToken> Fetch(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  std::unique_ptr<TokenSource> source_;
  Clock* clock_;
  std::mutex mutex_;
  std::condition_variable_any fetched_;
  std::optional<AccessToken> token_;
  bool fetching_ = false;
};

/// A transport that adds an access token to every request. Requests to hosts that may not receive
/// the token (http::MayReceiveCredential) fail with kPermissionDenied and are not sent, and
/// redirects are not followed. If a server responds with 401, it retries once with a new token,
/// because tokens can be revoked; a second 401 is kUnauthenticated and names the credential. Safe
/// to call concurrently.
class AuthorizedTransport final : public http::Transport {
 public:
  /// @param inner, tokens  must outlive the transport.
  /// @param service        endpoint that the token is for, besides Google's APIs; may be empty.
  /// @param quota_project  sent as x-goog-user-project; may be empty.
  AuthorizedTransport(http::Transport& inner, TokenCache& tokens, std::string service,
                      std::string quota_project)
      : inner_(&inner),
        tokens_(&tokens),
        service_(std::move(service)),
        quota_project_(std::move(quota_project)) {}

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  http::Transport* inner_;
  TokenCache* tokens_;
  std::string service_;
  std::string quota_project_;
};

}  // namespace kinetic::auth
