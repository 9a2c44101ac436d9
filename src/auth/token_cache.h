#pragma once

#include "auth/token_source.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace kinetic::auth {

/// Hands out one token to many callers, and fetches the next before it expires: one caller does,
/// the others go on with the old one while it lasts and wait when it does not.
///
/// @threads  safe to call concurrently.
class TokenCache {
 public:
  TokenCache(std::unique_ptr<TokenSource> source, Clock& clock);

  /// @errors  those of TokenSource::Fetch; a fetch that fails while the token still lasts is none.
  Result<AccessToken> Get(std::stop_token stop);

  /// A server refused this token: the next Get fetches another, unless that has happened already.
  void Invalidate(const std::string& token);

  Identity Who() const { return source_->Who(); }

 private:
  Result<AccessToken> Fetch(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  std::unique_ptr<TokenSource> source_;
  Clock* clock_;
  std::mutex mutex_;
  std::condition_variable_any fetched_;
  std::optional<AccessToken> token_;
  bool fetching_ = false;
};

}  // namespace kinetic::auth
