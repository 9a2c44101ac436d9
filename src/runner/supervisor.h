#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "record/record.h"
#include "runner/collector.h"
#include "runner/interruption.h"
#include "runner/log_capture.h"
#include "runner/segment_uploader.h"
#include "runner/spool.h"
#include "runner/status_board.h"
#include "runner/verdict.h"

#include <future>
#include <memory>
#include <optional>
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
  /// @errors  the outcome could not be stored; it is in the diagnostics.
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
  Result<Arguments> Prepare(std::uint32_t attempt, Phase& phase);
  Result<ProgramEnd> Launch(const Arguments& arguments, std::uint32_t attempt);
  Result<Program> MakeProgram(const Arguments& arguments, std::uint32_t attempt);
  Outcome Judge(const ProgramEnd& end);
  void Explain(const ProgramEnd& end);
  Outcome JudgeFaultOrStop(const Error& error, Phase phase) const;
  void BeginRunning();
  void BeginStoringValue(std::uint32_t attempt);
  Status Settle(Outcome outcome);
  void StoreOutputs(Outcome& outcome);
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
  Collector collector_;
  SegmentUploader uploader_;
  Spool spool_;
  LogCapture capture_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<local::QueueTicket> ticket_;
  std::optional<Digest> value_digest_;
  std::future<Result<CollectedValue>> value_;  ///< last: its thread uses all the others
};

}  // namespace kinetic::runner
