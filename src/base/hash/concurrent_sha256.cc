#include "base/hash/concurrent_sha256.h"

#include <algorithm>
#include <system_error>

namespace kinetic {
namespace {

/// Starting a thread takes longer than hashing less.
constexpr std::uint64_t kHashedAtOnce = 1U << 20;
constexpr std::size_t kBlockBytes = 256U << 10;

}  // namespace

ConcurrentSha256& ConcurrentSha256::Update(std::string_view bytes) {
  if (!thread_.joinable() && hashed_bytes_ >= kHashedAtOnce) Start();
  if (!thread_.joinable()) {
    hash_.Update(bytes);
    hashed_bytes_ += bytes.size();
    return *this;
  }
  while (!bytes.empty()) {
    std::string& block = Filling();
    const std::size_t count = std::min(bytes.size(), kBlockBytes - block.size());
    block += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (block.size() == kBlockBytes) PassOn();
  }
  return *this;
}

void ConcurrentSha256::Start() {
  for (std::string& block : blocks_) block.reserve(kBlockBytes);
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  } catch (const std::system_error&) {
    hashed_bytes_ = 0;  // tries again later
  }
}

void ConcurrentSha256::PassOn() {
  std::unique_lock lock(mutex_);
  ++filled_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return filled_ - hashed_ < kBlocks; });
}

void ConcurrentSha256::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return hashed_ < filled_ || is_complete_; })) {
    if (hashed_ == filled_) return;
    std::string& block = blocks_[hashed_ % kBlocks];
    lock.unlock();
    hash_.Update(block);
    block.clear();
    lock.lock();
    ++hashed_;
    changed_.notify_all();
  }
}

Digest ConcurrentSha256::Finish() {
  if (!thread_.joinable()) return hash_.Finish();
  {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
    changed_.notify_all();
  }
  thread_.join();
  return hash_.Update(Filling()).Finish();
}

}  // namespace kinetic
