#pragma once

#include "base/hash/digest.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic {

/// Computes SHA-256 incrementally. After the first MiB, another thread hashes the bytes while the
/// caller obtains the next ones. Not thread-safe.
class ConcurrentSha256 {
 public:
  ConcurrentSha256& Update(std::string_view bytes);
  /// Returns the digest of all bytes. The object cannot be used afterwards.
  Digest Finish();

 private:
  static constexpr std::size_t kBlocks = 4;

  std::string& Filling() { return blocks_[filled_ % kBlocks]; }
  void Start();
  /// Passes the block that is being filled to the thread, and waits until the next one is free.
  void PassOn();
  /// Hashes the blocks that PassOn has passed on, until Finish.
  void Run(const std::stop_token& stop);

  Sha256 hash_;
  std::uint64_t hashed_bytes_ = 0;  ///< before the thread was started
  std::array<std::string, kBlocks> blocks_;
  std::size_t filled_ = 0;
  std::size_t hashed_ = 0;
  bool is_complete_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  ///< ends before the other members
};

}  // namespace kinetic
