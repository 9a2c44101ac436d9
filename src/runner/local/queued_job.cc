#include "runner/local/queued_job.h"

#include "kinetic/try.h"

#include "local/process_identity.h"
#include "local/pulse.h"
#include "record/heartbeat.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/local/supervisor.h"
#include "runner/staging/retrying_store.h"
#include "runner/staging/status_file.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

/// A job that waits in the queue: one process with one thread, without a connection to the store.
class QueuedJob {
 public:
  QueuedJob(const local::LaunchRequest& request, const TakenJob& job)
      : request_(request),
        job_(job),
        runtime_(local::RuntimeOf(request.state_dir, job.record.id)),
        status_(PosixFileSystem(), SystemClock(), runtime_.StatusFile(), KeyOf(job.record)),
        pulse_(PosixFileSystem(), runtime_),
        next_heartbeat_(SystemClock().Steady() + record::kFirstHeartbeat) {}

  /// Returns in the supervisor when the job may run or must end without having run.
  ///
  /// @errors  kNotFound: the runtime directory was removed.
  Status Await(const local::QueueTicket& ticket, Daemon& daemon) {
    Status waited = ticket.Await(
        request_.concurrency, [&](std::string_view reason) { Report(reason); },
        [&](std::chrono::milliseconds time) { return Pause(time); });
    for (;;) {
      if (!waited && waited.error().code != ErrorCode::kCancelled) return waited;
      Status split = CheckStore();
      if (split) split = daemon.Split();
      if (split) return split;
      constexpr std::chrono::milliseconds kRetryPause{1000};
      Report(split.error().message + " (" + split.error().hint + ")");
      waited = Pause(kRetryPause);
      if (!waited) (void)SystemClock().Sleep(kRetryPause, {});
    }
  }

 private:
  void Report(std::string_view reason) {
    LogFailure("writing the status", status_.Set(JobState::kQueued, Phase::kQueue, reason));
  }

  /// Opens the store as the supervisor does.
  Status CheckStore() const {
    StoreAccess access(request_);
    access.cloud.LimitRetries(kRequestRetryTime);
    KINETIC_RETURN_IF_ERROR(store::Reopen(request_.store, access.access, {}));
    return {};
  }

  Status Pause(std::chrono::milliseconds time) {
    // Requests of clients that cannot send signals are detected after this time.
    constexpr std::chrono::milliseconds kLongestSleep{5000};
    const SteadyTime until = SystemClock().Steady() + time;
    for (;;) {
      if (!pulse_.Beat()) {
        return Fail(ErrorCode::kNotFound, runtime_.folder.native() + " was removed");
      }
      if (MustEnd()) return Fail(ErrorCode::kCancelled, "the job must end");
      const SteadyTime now = SystemClock().Steady();
      if (now >= next_heartbeat_) Beat();
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
      if (left.count() <= 0) return {};
      if (AwaitWatchedSignal(std::min(left, kLongestSleep)) == SIGTERM) {
        ::raise(SIGTERM);  // stays pending for the supervisor
        return Fail(ErrorCode::kCancelled, "the job must end");
      }
    }
  }

  bool MustEnd() const {
    if (PosixFileSystem().Lstat(runtime_.CancelRequest())) return true;
    return job_.start_deadline && SystemClock().Steady() >= *job_.start_deadline;
  }

  void Beat() {
    next_heartbeat_ = SystemClock().Steady() + record::kHeartbeatInterval;
    StoreAccess access(request_);
    access.cloud.LimitRetries(kRequestRetryTime);
    const auto store = store::Reopen(request_.store, access.access, {});
    if (store) (void)record::WriteHeartbeat(**store, HeartbeatOf(job_.record, job_.identity), {});
  }

  const local::LaunchRequest& request_;
  const TakenJob& job_;
  const local::Runtime runtime_;
  StatusFile status_;
  local::Pulse pulse_;
  SteadyTime next_heartbeat_;
};

}  // namespace

Result<std::optional<TakenJob>> WaitInQueue(const local::LaunchRequest& request, Daemon& daemon,
                                            const local::QueueTicket& ticket) {
  const local::Runtime runtime = local::RuntimeOf(request.state_dir, request.job_id);
  std::optional<TakenJob> job;
  {
    StoreAccess access(request);
    KINETIC_ASSIGN_OR_RETURN(const auto store, OpenStore(request, access));
    KINETIC_ASSIGN_OR_RETURN(job, TakeJob(request, *store, access.cloud));
    if (job) {
      KINETIC_RETURN_IF_ERROR(WriteIdentity(runtime, job->identity));
      if (request.store_record) {
        KINETIC_RETURN_IF_ERROR(StoreRecord(*store, request));
      }
    }
    KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
    if (job) FlushRecord(*store, request, job->record);
  }
  if (job) KINETIC_RETURN_IF_ERROR(QueuedJob(request, *job).Await(ticket, daemon));
  return job;
}

}  // namespace kinetic::runner
