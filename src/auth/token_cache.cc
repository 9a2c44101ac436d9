#include "auth/authorized_transport.h"

namespace kinetic::auth {
namespace {

/// The margin that Google's libraries use.
constexpr std::chrono::seconds kRefreshBefore{225};

}  // namespace

TokenCache::TokenCache(std::unique_ptr<TokenSource> source, Clock& clock)
    : source_(std::move(source)), clock_(&clock) {}

Result<AccessToken> TokenCache::Get(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const WallTime now = clock_->Now();
    const bool valid = token_ && now < token_->expiry;
    if (valid && (fetching_ || now < token_->expiry - kRefreshBefore)) return *token_;
    if (!fetching_) return Fetch(lock, stop);
    if (!fetched_.wait(lock, stop, [&] { return !fetching_; })) {
      return Fail(ErrorCode::kCancelled, "stopped while waiting for an access token");
    }
  }
}

Result<AccessToken> TokenCache::Fetch(std::unique_lock<std::mutex>& lock,
                                      const std::stop_token& stop) {
  fetching_ = true;
  lock.unlock();
  auto fresh = source_->Fetch(stop);
  lock.lock();
  fetching_ = false;
  fetched_.notify_all();
  if (fresh) {
    token_ = *fresh;
    return fresh;
  }
  // The refresh was early: the old token is still valid.
  if (token_ && clock_->Now() < token_->expiry) return *token_;
  return fresh;
}

void TokenCache::Invalidate(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (token_ && token_->value == token) token_.reset();
}

}  // namespace kinetic::auth
