#pragma once

#include "base/time/clock.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {

/// For how long things that other machines change have not changed, by the steady clock of this
/// process. Clocks of two machines are never compared.
///
/// @threads  safe to call concurrently.
class Silence {
 public:
  /// Returns the time since `key` was first seen with this `mark`; zero for a new mark.
  SteadyTime::duration Since(std::string_view key, std::string_view mark, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    auto& [last, since] = seen_[std::string(key)];
    if (std::exchange(last, mark) != mark) since = now;
    return now - since;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, SteadyTime>> seen_;
};

}  // namespace kinetic::job
