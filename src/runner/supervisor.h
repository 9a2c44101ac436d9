#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "record/record.h"
#include "runner/checkpoints.h"
#include "runner/collector.h"
#include "runner/interruption.h"
#include "runner/log_capture.h"
#include "runner/log_uploader.h"
#include "runner/output_sync.h"
#include "runner/patient_store.h"
#include "runner/spool.h"
#include "runner/status_board.h"
#include "runner/verdict.h"

#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Sees one job of the local target through: queue, attempts, outcome. Holds launcher and
/// collector in one process.
///
/// @threads  one thread, which lives as long as the job.
class Supervisor {
 public:
  Supervisor(Collector::Seams seams, local::LaunchRequest request, const record::Record& record,
             local::SupervisorIdentity identity);

  /// Shows the job as queued.
  Status Announce();

  /// Waits for the job's turn, runs it, and stores its outcome: value, log, outputs, result, index,
  /// status, in this order.
  ///
  /// @errors  the store stayed away: what it did not take is in the runtime folder, and the next
  ///          client stores it.
  Status Run();

 private:
  /// The phase that was reached, and what happened in it.
  struct Fault {
    Phase phase;
    Error error;
  };

  Status AwaitTurn();
  Outcome RunAttempts();
  Outcome RunAttempt(std::uint32_t attempt);
  Result<std::string> LayDown(const std::stop_token& stop);
  Result<Arguments> Prepare(std::uint32_t attempt, Phase& phase);
  Result<ProgramEnd> Launch(const Arguments& arguments, std::uint32_t attempt);
  Result<Program> MakeProgram(const Arguments& arguments, std::uint32_t attempt);
  Outcome Judge(const ProgramEnd& end);
  void FinishCheckpoints(const ProgramEnd& end);
  void Explain(const ProgramEnd& end);
  Outcome JudgeFaultOrStop(const Error& error, Phase phase) const;
  void BeginRunning();
  void BeginStoringValue(std::uint32_t attempt);
  Status Settle(Outcome outcome);
  void SealLog();
  void Keep(const Outcome& outcome);
  Status StoreAll(Outcome& outcome);
  Status StoreValue(Outcome& outcome);
  Status StoreLog();
  Status StoreOutputs(Outcome& outcome);
  void FailToCollect(Outcome& outcome, const Error& error);
  Status WriteResult(const Outcome& outcome);
  void AwaitRunningIndex();
  record::StoredOutcome Complete(Outcome outcome);
  JobSummary Summary(const Outcome* outcome) const;
  void CleanUp();
  void Show(JobState state, Phase phase, std::string_view reason);

  Collector::Seams seams_;
  const local::LaunchRequest request_;
  const record::Record& record_;
  const local::SupervisorIdentity identity_;
  const local::Runtime runtime_;
  const std::vector<std::string> secrets_;
  StatusBoard board_;
  std::stop_source stopped_;
  PatientStore store_;
  Collector collector_;
  Checkpoints checkpoints_;
  OutputSync outputs_;
  LogUploader uploader_;
  Spool spool_;
  LogCapture capture_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<local::QueueTicket> ticket_;
  std::optional<Digest> value_digest_;
  // Last: their threads use all the others.
  std::future<Status> running_index_;
  std::future<Result<local::CollectedValue>> value_;
};

}  // namespace kinetic::runner
