#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "local/launch_request.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "record/record.h"
#include "runner/collector.h"
#include "runner/interruption.h"
#include "runner/keeper.h"
#include "runner/log_capture.h"
#include "runner/spool.h"
#include "runner/verdict.h"

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
  /// @errors  the store stayed away: what it did not take is in the runtime folder, and the next
  ///          client stores it.
  Status Run();

 private:
  Status AwaitTurn();
  Outcome RunAttempts();
  Outcome RunAttempt(std::uint32_t attempt);
  Result<Arguments> Prepare(std::uint32_t attempt);
  Result<ProgramEnd> Launch(const Arguments& arguments, std::uint32_t attempt);
  Outcome Judge(const ProgramEnd& end);
  void FinishCheckpoints(const ProgramEnd& end);
  Outcome JudgeFaultOrStop(const Error& error, Phase phase) const;
  LaunchLimits Limits() const;
  Status Settle(Outcome outcome);
  void CleanUp();

  Collector::Seams seams_;
  const local::LaunchRequest request_;
  const record::Record& record_;
  const local::SupervisorIdentity identity_;
  const local::Runtime runtime_;
  const std::vector<std::string> secrets_;
  Keeper keeper_;
  Spool spool_;
  LogCapture capture_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<local::QueueTicket> ticket_;
};

}  // namespace kinetic::runner
