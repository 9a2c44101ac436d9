#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::store {

/// The turn to make something that several processes may want at once, on one machine or on many:
/// one of them has it, and the others wait. It is an object that its holder renews; one that is not
/// renewed for `patience`, by the clock of who waits, was left by a holder that died, and goes to
/// another.
///
/// It saves work and guards nothing: a holder that was only asleep goes on, beside the next one.
/// What is made under it must be such that making it twice does no harm.
///
/// @threads  one thread at a time.
class Turn {
 public:
  struct Times {
    std::chrono::milliseconds renewed{8'000};
    std::chrono::milliseconds looked_at{1'000};
    std::chrono::milliseconds patience{30'000};
  };

  /// Who may have it.
  struct Party {
    std::string name;  ///< of this process, for others that may know whether it still runs
    /// Whether a holder is known to have ended; its turn is over at once then. May be empty.
    std::function<bool(std::string_view name)> is_gone;
    std::function<void()> on_wait;  ///< called once when another has it; may be empty
  };

  /// Waits until it is this process's. The store and the clock outlive what is returned.
  ///
  /// @errors  those of Store.
  static Result<std::unique_ptr<Turn>> Take(Store& store, Clock& clock, std::string name,
                                            const Party& party, const Times& times,
                                            std::stop_token stop);

  /// Gives it to whoever waits.
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turn(Store& store, Clock& clock, std::string name, std::int64_t generation,
       std::chrono::milliseconds renewed);
  void Renew(const std::stop_token& stop);

  Store& store_;
  Clock& clock_;
  const std::string name_;
  const std::int64_t generation_;
  const std::chrono::milliseconds renewed_;
  std::jthread renewer_;
};

}  // namespace kinetic::store
