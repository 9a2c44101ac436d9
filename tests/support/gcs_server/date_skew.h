#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <mutex>
#include <random>

namespace kinetic::gcs_server {

/// Makes the Date header of every response wrong by a random number of hours in a range.
///
/// @threads  safe to call concurrently.
class DateSkew {
 public:
  void Set(int min_hours, int max_hours) {
    const std::lock_guard lock(mutex_);
    hours_ = std::uniform_int_distribution<int>(min_hours, max_hours);
  }

  WallTime Apply(WallTime date) {
    const std::lock_guard lock(mutex_);
    return date + std::chrono::hours(hours_(random_));
  }

 private:
  std::mutex mutex_;
  std::uniform_int_distribution<int> hours_{0, 0};
  std::mt19937 random_{7};
};

}  // namespace kinetic::gcs_server
