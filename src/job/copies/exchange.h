#pragma once

#include "kinetic/job.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "job/context.h"
#include "record/copy.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// One request to the runner of a running job, with its objects in the store. The destructor
/// removes them, also after a cancellation.
///
/// @threads  one thread.
class CopyExchange {
 public:
  /// @param observer  outlives this object.
  CopyExchange(Context& context, JobSummary job, record::JobKey key, Observer& observer);
  ~CopyExchange();
  CopyExchange(const CopyExchange&) = delete;
  CopyExchange& operator=(const CopyExchange&) = delete;

  /// Returns the prefix of the copied files. The destructor removes what is stored there.
  std::string Files();

  /// Waits until the job runs. Sends no request if it was seen running.
  ///
  /// @errors  kFailedPrecondition: the job has ended, or has not started within 20 seconds.
  Status AwaitRunning(const std::stop_token& stop);

  /// Stores the request and waits for the answer.
  ///
  /// @errors  the one that the runner reports · kDeadlineExceeded (no answer within 20 seconds, or
  ///          no progress for a minute) · kFailedPrecondition: the job has ended.
  Result<record::CopyAnswer> Request(record::CopyRequest request, const std::stop_token& stop);

  /// Removes the objects. The destructor does the same, but gives up after ten seconds.
  Status Remove(std::stop_token stop);

 private:
  bool IsNear() const;
  Status StoreRequest(const record::CopyRequest& request, const std::stop_token& stop);
  Result<record::CopyAnswer> AwaitAnswer(const std::stop_token& stop);
  Result<std::optional<record::CopyAnswer>> ReadAnswer(const std::stop_token& stop);
  Status CheckProgress(const std::stop_token& stop);
  Result<bool> HasEnded(const std::stop_token& stop);
  void ReportWait(Phase phase, const std::string& reason);
  Status CheckTime();

  Context& context_;
  JobSummary job_;  ///< as seen last
  const record::JobKey key_;
  Observer& observer_;
  const std::string id_;
  bool began_ = false;  ///< objects may be in the store
  bool reported_wait_ = false;
  SteadyTime begin_;
  SteadyTime next_check_;
  std::optional<SteadyTime> progress_;  ///< time of the last sign of the runner
  std::int64_t generation_ = 0;         ///< of the progress
};

}  // namespace kinetic::job
