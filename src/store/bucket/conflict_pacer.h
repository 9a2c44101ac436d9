#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"

#include <map>
#include <mutex>
#include <stop_token>
#include <string>

namespace kinetic::store {

/// Spaces changes of an object that other clients keep winning. Callers read the object and try
/// again at once after a failed precondition; the second failure in a row and further ones delay
/// the next attempt, exponentially and with jitter.
///
/// @threads  safe to call concurrently.
class ConflictPacer {
 public:
  /// `clock` must outlive this object.
  explicit ConflictPacer(Clock& clock) : clock_(&clock) {}

  /// Waits until the object may be changed. @errors kCancelled.
  Status Pause(const std::string& name, std::stop_token stop) const;
  /// Records whether the precondition of a change held.
  void Record(const std::string& name, bool held);

 private:
  Clock* clock_;
  mutable std::mutex mutex_;
  std::map<std::string, int> conflicts_;  ///< failures in a row, by object
};

}  // namespace kinetic::store
