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
#include "runner/log/capture.h"
#include "runner/log/spool.h"
#include "runner/outcome/classify.h"
#include "runner/staging/job_store.h"
#include "store/object_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::runner {

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

/// Runs one job of the local target: queue, attempts, outcome. Contains launcher and collector in
/// one process.
///
/// @threads  one thread, which lives as long as the job.
class Supervisor {
 public:
  Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
             const record::Record& record, local::SupervisorIdentity identity);

  /// Writes the status "queued".
  Status Announce();

  /// Waits in the queue, runs the job, and stores its outcome: value, log, outputs, result, index,
  /// status, in this order.
  ///
  /// @errors  the store stayed unavailable. The rest is in the runtime directory, and the next
  ///          client stores it.
  ///
  /// @param await_record  returns when the record is stored. Until then, inputs are fetched.
  Status Run(std::function<void()> await_record);

 private:
  Status AwaitSlot();
  Outcome RunAttempts();
  Outcome RunAttempt(std::uint32_t attempt);
  Result<Arguments> Prepare(std::uint32_t attempt);
  Result<std::optional<local::PrivateMounts>> MountsOf(const Arguments& arguments);
  Result<ProgramExit> Launch(const Arguments& arguments, std::uint32_t attempt);
  Outcome ClassifyExit(const ProgramExit& exit);
  void FinishCheckpoints(const ProgramExit& exit);
  Outcome ClassifyErrorOrStop(const Error& error, Phase phase) const;
  Error LaunchError(Error error) const;
  ProgramLimits Limits() const;
  Status Finish(Outcome outcome);
  void LeaveQueue();
  void CleanUp();

  JobStore::Dependencies deps_;
  const local::LaunchRequest request_;
  const record::Record& record_;
  const local::SupervisorIdentity identity_;
  const local::Runtime runtime_;
  const std::vector<std::string> secrets_;
  AttemptLifecycle lifecycle_;
  Spool spool_;
  LogCapture capture_;
  std::function<void()> await_record_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<local::QueueTicket> ticket_;
  std::optional<Heartbeats> heartbeats_;
};

}  // namespace kinetic::runner
