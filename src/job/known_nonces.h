#pragma once

#include "kinetic/job.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace kinetic::job {

/// The nonces of the jobs that a client has seen, so that it can verify a job's objects without
/// reading the job's record again.
///
/// @threads  safe to call concurrently.
class KnownNonces {
 public:
  void Set(std::string_view id, std::string_view nonce) {
    const std::lock_guard lock(mutex_);
    nonces_.insert_or_assign(std::string(id), std::string(nonce));
  }

  /// Takes the nonce of an index entry. Ignores an entry without progress: it may come from a
  /// submission of the same ID that did not write the record.
  void Take(const JobSummary& job) {
    const bool has_progress = IsTerminal(job.state) || job.attempt > 0;
    if (has_progress && !job.nonce.empty()) Set(job.id, job.nonce);
  }

  /// Returns an empty string if the nonce is unknown.
  std::string Find(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = nonces_.find(id);
    return found == nonces_.end() ? std::string() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> nonces_;
};

}  // namespace kinetic::job
