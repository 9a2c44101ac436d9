#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

namespace kinetic::job {

/// Requests a stop when a time limit expires or when the caller requests one.
class Patience {
 public:
  /// `clock` must outlive this object. @param stop  the caller's token
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
