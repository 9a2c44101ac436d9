#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace kinetic::env {

/// Estimates the remaining time of package uploads from their speed so far. The sizes of packages
/// and the bandwidth are not known in advance.
///
/// @threads  safe to call concurrently; an Upload is for one thread at a time.
class UploadEstimator {
 public:
  /// @param limit  the longest acceptable remaining time.
  UploadEstimator(Clock& clock, std::chrono::seconds limit) : clock_(clock), limit_(limit) {}

  /// The upload of one package, in progress while the object exists.
  class Upload {
   public:
    Upload(UploadEstimator& estimator, std::uint64_t content_bytes);
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;
    ~Upload();

    /// Adds bytes that were passed to the store.
    void Add(std::uint64_t bytes);
    /// Marks all content as sent.
    void Finish();

   private:
    UploadEstimator& estimator_;
    const std::uint64_t content_bytes_;
    std::uint64_t taken_bytes_ = 0;
    std::uint64_t sent_bytes_ = 0;
  };

  /// Returns the remaining time of the packages known to be missing, or nullopt if it is too early
  /// for an estimate.
  std::optional<std::chrono::seconds> RemainingTime() const;

  bool ExceedsLimit() const;

  void DisableLimit();

 private:
  void Count(std::uint64_t sent_bytes);

  Clock& clock_;
  mutable std::mutex mutex_;
  std::optional<std::chrono::seconds> limit_;
  std::uint64_t expected_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  int active_ = 0;
  SteadyTime active_since_;
  SteadyTime::duration active_for_{};  ///< before `active_since_`
};

}  // namespace kinetic::env
