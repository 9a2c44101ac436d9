#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace kinetic::env {

/// Estimates how long it takes to store packages from this machine, from how long it took so far:
/// nobody knows before how large they are, nor how quick the way to the store is.
///
/// @threads  safe to call concurrently; a Sending is for one thread at a time.
class Uplink {
 public:
  /// @param patience  a longer wait is too long.
  Uplink(Clock& clock, std::chrono::seconds patience) : clock_(clock), patience_(patience) {}

  /// One package that is being stored, for as long as the object lives.
  class Sending {
   public:
    Sending(Uplink& uplink, std::uint64_t content_bytes);
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;
    ~Sending();

    /// So much more of its content was taken to be sent.
    void Add(std::uint64_t bytes);
    /// All of it was sent.
    void Finish();

   private:
    Uplink& uplink_;
    const std::uint64_t content_bytes_;
    std::uint64_t taken_bytes_ = 0;
    std::uint64_t sent_bytes_ = 0;
  };

  /// What is left of the packages that are known to be missing, at the pace so far. Nothing: it is
  /// too early to tell.
  std::optional<std::chrono::seconds> Left() const;

  bool IsTooSlow() const;

  /// However long it takes, it is not too long from now on.
  void BePatient();

 private:
  void Count(std::uint64_t sent_bytes);

  Clock& clock_;
  mutable std::mutex mutex_;
  std::optional<std::chrono::seconds> patience_;
  std::uint64_t expected_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  int active_ = 0;
  SteadyTime active_since_;
  SteadyTime::duration active_for_{};  ///< before that
};

}  // namespace kinetic::env
