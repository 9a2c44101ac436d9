#include "kube/auth/credential.h"

namespace kinetic::kube {

Result<Credential> CredentialCache::Get(const Credential* refused, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!fetched_.wait(lock, stop, [&] { return !fetching_; })) {
    return Fail(ErrorCode::kCancelled, "stopped while waiting for a credential");
  }
  // Another caller may have had the same one refused, and have fetched the next already.
  const bool fresh = refused == nullptr || !credential_ || !credential_->SameAs(*refused);
  if (credential_ && fresh && clock_->Now() < credential_->expiry) return *credential_;
  fetching_ = true;
  lock.unlock();
  auto next = source_->Fetch(refused, stop);
  lock.lock();
  fetching_ = false;
  fetched_.notify_all();
  if (next) credential_ = *next;
  return next;
}

}  // namespace kinetic::kube
