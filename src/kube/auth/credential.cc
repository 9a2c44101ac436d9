#include "kube/auth/credential.h"

namespace kinetic::kube {

Result<Credential> CredentialCache::Get(const Credential* rejected, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!fetched_.wait(lock, stop, [&] { return !fetching_; })) {
    return Fail(ErrorCode::kCancelled, "stopped while waiting for a credential");
  }
  // Another caller may have replaced the rejected credential already.
  const bool fresh = rejected == nullptr || !credential_ || !credential_->SameAs(*rejected);
  if (credential_ && fresh && clock_->Now() < credential_->expiry) return *credential_;
  fetching_ = true;
  lock.unlock();
  auto next = source_->Fetch(rejected, stop);
  lock.lock();
  fetching_ = false;
  fetched_.notify_all();
  if (next) credential_ = *next;
  return next;
}

}  // namespace kinetic::kube
