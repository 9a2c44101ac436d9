#pragma once

#include "base/clock.h"

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

namespace kinetic::job {

/// Stops what takes longer than it may, or when somebody else says so.
class Patience {
 public:
  /// `clock` outlives it. @param stop  of the caller
  Patience(Clock& clock, std::chrono::milliseconds limit, std::stop_token stop)
      : forward_(std::move(stop), Forward{&over_}),
        timer_([this, &clock, limit](std::stop_token done) {
          if (clock.Sleep(limit, std::move(done))) over_.request_stop();
        }) {}

  std::stop_token token() const { return over_.get_token(); }

 private:
  struct Forward {
    std::stop_source* over;
    void operator()() const { over->request_stop(); }
  };

  std::stop_source over_;
  std::stop_callback<Forward> forward_;
  std::jthread timer_;
};

}  // namespace kinetic::job
