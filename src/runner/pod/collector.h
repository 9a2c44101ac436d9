#pragma once

#include "kinetic/job.h"

#include "pod/collect_request.h"
#include "record/job_record.h"
#include "runner/attempt/interruption.h"
#include "runner/attempt/lifecycle.h"
#include "runner/log/echo.h"
#include "runner/log/spool.h"
#include "runner/log/spool_follower.h"
#include "runner/outcome/classify.h"
#include "runner/pod/shared_folder.h"
#include "runner/program/request.h"
#include "runner/staging/job_store.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::runner {

/// The pod that this process runs in.
struct PodIdentity {
  std::string uid;
  std::string name;
  std::string node;
};

/// The collector of a pod: manages one attempt, which the launcher runs in another container, and
/// stores its results. A restarted collector continues where the one before it stopped.
///
/// SIGTERM must be blocked in all threads.
///
/// @threads  one thread.
class PodCollector {
 public:
  struct Job {
    const record::Record& record;
    std::string image;  ///< of the program's container, for messages; may be empty
    /// Of a pod that runs several tasks: this one. Its program leaves the launcher to the next.
    std::optional<NextTask> next = {};
  };

  /// @param echo  receives the log; may be null.
  PodCollector(JobStore::Dependencies deps, const Job& job, PodFolder folder, PodIdentity identity,
               LogEcho* echo);

  /// Runs the attempt from its claim to its outcome; returns the launcher's exit. One of several
  /// tasks that was stopped before it was claimed returns pod::kRetryRequested.
  LauncherExit Run();

  /// Returns whether this process has received SIGTERM since it started.
  bool terminated() const { return interruption_ && interruption_->terminated(); }
  /// Returns the attempt that was claimed; 0: none.
  std::uint32_t attempt() const { return attempt_; }
  /// Returns whether code and data are in place.
  bool prepared() const { return prepared_; }
  /// Returns whether this object has ended the program because its task was cancelled.
  bool has_cancelled_task() const { return has_cancelled_task_; }
  /// Returns whether more tasks of the array have failed than it tolerates.
  bool HaveTooManyTasksFailed();

 private:
  Result<std::optional<LauncherExit>> KnownResult();
  std::stop_token StopBeforeProgram() const;
  Result<std::uint32_t> ClaimAttempt();
  std::optional<Outcome> RunAttempt();
  Status Prepare();
  Status Resume();
  Result<ProgramRequest> MakeRequest(const AttemptLifecycle::Prepared& prepared);
  Status OpenProgramFiles();
  Status PublishRequest();
  Result<std::optional<ExitReport>> AwaitReport();
  Status PollProgram();
  void OnSegment(const SpooledSegment& segment);
  bool Withdraw();
  Outcome ClassifyReport(const ExitReport& report);
  void FinishCheckpoints(bool killed);
  Outcome ClassifyErrorOrStop(const Error& error, Phase phase);
  std::optional<Outcome> ClassifyCancelledTask();
  std::optional<pod::StopCause> RequestedStop();
  Status CheckCancellation();
  LauncherExit EndUnclaimed(const Error& error);
  StopReason StopReasonOf(const std::optional<pod::StopCause>& requested);
  Status BeginNotes(std::uint64_t next_record);
  void Note(std::string_view text);
  LauncherExit Finish(Outcome outcome);
  LauncherExit FinishForRetry(const Outcome& outcome);
  LauncherExit FinishJob(Outcome outcome);
  std::optional<Outcome> ClassifyKilled();
  LauncherExit Abandon();
  LauncherExit EndKilled();
  LauncherExit NotStored(const Error& error) const;

  JobStore::Dependencies deps_;
  const record::Record& record_;
  const std::string image_;
  const PodFolder folder_;
  const PodIdentity identity_;
  LogEcho* const echo_;  ///< may be null
  const std::optional<NextTask> next_;
  AttemptLifecycle lifecycle_;
  SpoolFollower follower_;
  Spool notes_;  ///< log records after the launcher's last one
  std::unique_ptr<Interruption> interruption_;
  std::unique_ptr<RunningTasks> running_tasks_;
  std::uint32_t attempt_ = 0;
  std::optional<ProgramRequest> request_;
  bool resumes_ = false;    ///< an earlier collector of this pod has published the request
  bool requested_ = false;  ///< program.json is written
  bool running_ = false;    ///< the program has started
  bool can_note_ = false;   ///< notes_ may be used
  bool prepared_ = false;
  bool ended_by_itself_ = false;  ///< the program, so that the files that it downloaded are whole
  std::atomic<bool> has_cancelled_task_ = false;
};

}  // namespace kinetic::runner
