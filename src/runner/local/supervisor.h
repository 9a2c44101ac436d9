#pragma once

#include "base/concurrency/waiter.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "local/private_mounts.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "record/heartbeat.h"
#include "record/job_record.h"
#include "runner/attempt/interruption.h"
#include "runner/attempt/lifecycle.h"
#include "runner/local/data_in_place.h"
#include "runner/log/capture.h"
#include "runner/log/spool.h"
#include "runner/outcome/classify.h"
#include "runner/program/session.h"
#include "runner/staging/job_store.h"
#include "store/object_store.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::runner {

/// What the tasks have in common that one process runs, one after the other: the folders, which the
/// first one prepares, and the program that calls their Python function. Other programs are started
/// for each task.
struct TaskBatch {
  std::unique_ptr<ProgramSession> session;  ///< may be null
};

/// Tells the store on its own thread that the supervisor of a job is alive. Failures are ignored: a
/// store that is unavailable is unavailable to those who would look.
class Heartbeats {
 public:
  Heartbeats(store::Store& store, Clock& clock, record::Heartbeat heartbeat);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

 private:
  void Work(const std::stop_token& stop);

  store::Store& store_;
  Clock& clock_;
  const record::Heartbeat heartbeat_;
  Waiter waiter_;
  std::jthread thread_;  ///< last: it uses all other members
};

/// Returns the heartbeat of a job's supervisor, without its time.
record::Heartbeat HeartbeatOf(const record::Record& record,
                              const local::SupervisorIdentity& identity);

/// Writes the status "queued", and sets disk space aside for the status and the outcome.
Status Announce(FileSystem& fs, Clock& clock, const local::Runtime& runtime,
                const record::JobKey& job);

/// Runs one job of the local target, or one task: queue, attempts, outcome. Contains launcher and
/// collector in one process. The queue and the heartbeats of a task are those of its job.
///
/// @threads  one thread, which lives as long as the job.
class Supervisor {
 public:
  Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
             const record::Record& record, local::SupervisorIdentity identity,
             std::optional<local::QueueTicket> ticket);
  /// @param runtime  the folder that the tasks of the batch share.
  Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
             const record::Record& record, local::SupervisorIdentity identity,
             const local::Runtime& runtime, TaskBatch& batch);

  /// Waits in the queue, runs the job, and stores its outcome: value, log, outputs, result, index,
  /// status, in this order.
  ///
  /// @errors  the store stayed unavailable. The rest is in the runtime directory, and the next
  ///          client stores it.
  ///
  /// @param start_deadline  the time by which user code must start, or nullopt.
  /// @param await_record  returns when the record is stored. Until then, inputs are fetched.
  Status Run(std::optional<SteadyTime> start_deadline, std::function<void()> await_record);

  /// Waits for an ongoing claim of the job, and blocks new ones while the returned lock exists.
  std::unique_lock<std::mutex> BlockClaims() { return std::unique_lock(claiming_); }

  /// Returns the state of the job, which is final after Run.
  JobState state() { return lifecycle_.status_file().status().state; }

 private:
  Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
             const record::Record& record, local::SupervisorIdentity identity,
             const local::Runtime& runtime, std::optional<local::QueueTicket> ticket,
             TaskBatch* batch);
  Status AwaitSlot();
  bool MakesCalls() const;
  Result<AttemptLifecycle::Prepared> PrepareInputs(std::uint32_t attempt);
  Result<ProgramExit> Call(Program program, const std::string& name,
                           const ProgramCallbacks& callbacks);
  Outcome RunAttempts();
  Outcome RunAttempt(std::uint32_t attempt);
  Result<Arguments> Prepare(std::uint32_t attempt);
  Result<std::optional<local::PrivateMounts>> MountsOf(const Arguments& arguments);
  void PrepareCache();
  Result<ProgramExit> Launch(const Arguments& arguments, std::uint32_t attempt);
  Outcome ClassifyExit(const ProgramExit& exit);
  void FinishCheckpoints(const ProgramExit& exit);
  Outcome ClassifyErrorOrStop(const Error& error, Phase phase) const;
  ProgramLimits Limits() const;
  Status Finish(Outcome outcome);
  void LeaveQueue();
  void CleanUp();

  JobStore::Dependencies deps_;
  local::LaunchRequest request_;
  const record::Record& record_;
  const local::SupervisorIdentity identity_;
  const local::Runtime runtime_;
  const std::vector<std::string> secrets_;
  DataInPlace in_place_;
  AttemptLifecycle lifecycle_;
  Spool spool_;
  LogCapture capture_;
  std::function<void()> await_record_;
  std::mutex claiming_;  ///< held during a claim
  std::unique_ptr<Interruption> interruption_;
  std::optional<local::QueueTicket> ticket_;
  std::optional<Heartbeats> heartbeats_;
  TaskBatch* batch_;  ///< null: the job, or the task, has its own folders
};

}  // namespace kinetic::runner
