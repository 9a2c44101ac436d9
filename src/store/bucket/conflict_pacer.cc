#include "store/bucket/conflict_pacer.h"

#include "http/retry.h"

#include <utility>

namespace kinetic::store {
namespace {

constexpr http::RetryPolicy kPolicy{.base = std::chrono::milliseconds{100},
                                    .cap = std::chrono::milliseconds{2'000}};
/// Most failures concern content that is stored already and is not put again.
constexpr std::size_t kKeptNames = 1'000;

}  // namespace

Status ConflictPacer::Pause(const std::string& name, std::stop_token stop) const {
  int failures = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = conflicts_.find(name);
    if (found != conflicts_.end()) failures = found->second;
  }
  if (failures < 2) return {};
  return clock_->Sleep(http::BackoffDelay(kPolicy, failures - 1, std::nullopt), std::move(stop));
}

void ConflictPacer::Record(const std::string& name, bool held) {
  const std::lock_guard lock(mutex_);
  if (held) {
    conflicts_.erase(name);
    return;
  }
  if (conflicts_.size() >= kKeptNames) conflicts_.clear();
  ++conflicts_[name];
}

}  // namespace kinetic::store
