#pragma once

#include "kinetic/job.h"

#include "pod/stop_cause.h"
#include "record/record.h"
#include "runner/collector.h"
#include "runner/end_report.h"
#include "runner/interruption.h"
#include "runner/keeper.h"
#include "runner/log_echo.h"
#include "runner/pod_folder.h"
#include "runner/program_order.h"
#include "runner/spool.h"
#include "runner/spool_follower.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::runner {

/// Which pod this is.
struct PodIdentity {
  std::string uid;
  std::string name;
  std::string node;
};

/// The collector of a pod: sees one attempt through, which the launcher runs in another container,
/// and stores what it leaves. A collector that is started anew in its pod goes on where the one
/// before was.
///
/// SIGTERM must be blocked in all threads.
///
/// @threads  one thread.
class PodCollector {
 public:
  struct Job {
    const record::Record& record;
    std::string image;  ///< of the program's container, for messages; may be empty
  };

  /// @param echo  gets the log.
  PodCollector(Collector::Seams seams, const Job& job, PodFolder folder, PodIdentity identity,
               LogEcho& echo);

  /// Everything from the claim to the outcome.
  /// @returns  what the launcher is to be told.
  Settlement Run();

  /// Whether the collector itself got SIGTERM meanwhile.
  bool told_to_end() const { return interruption_ && interruption_->cause() == Cause::kTerminated; }

 private:
  Result<std::optional<Settlement>> KnownResult();
  std::stop_token StopBeforeProgram() const;
  Result<std::uint32_t> ClaimAttempt();
  std::optional<Outcome> RunAttempt();
  Status Prepare();
  Status Resume();
  Result<ProgramOrder> MakeOrder(const Keeper::Prepared& prepared);
  Status GiveOrder();
  Result<std::optional<EndReport>> Follow();
  Status LookAtProgram();
  bool Withdraw();
  Outcome Judge(const EndReport& report);
  void FinishCheckpoints(bool killed);
  Outcome JudgeFaultOrStop(const Error& error, Phase phase);
  std::optional<pod::StopCause> WantedStop();
  Cause CauseOfStop(const std::optional<pod::StopCause>& wanted) const;
  Status BeginNotes(std::uint64_t next_record);
  void Note(std::string_view text);
  Settlement Settle(Outcome outcome);
  Settlement SettleAgain(const Outcome& outcome);
  Settlement SettleFinally(Outcome outcome);
  std::optional<Outcome> JudgeKilled();
  Settlement Abandon();
  Settlement NotStored(const Error& error) const;

  Collector::Seams seams_;
  const record::Record& record_;
  const std::string image_;
  const PodFolder folder_;
  const PodIdentity identity_;
  LogEcho& echo_;
  Keeper keeper_;
  SpoolFollower follower_;
  Spool notes_;  ///< goes on with the log when the launcher has ended
  std::unique_ptr<Interruption> interruption_;
  std::unique_ptr<Upkeep> upkeep_;
  std::uint32_t attempt_ = 0;
  std::optional<ProgramOrder> order_;
  bool resumes_ = false;   ///< a collector of this pod has given the order already
  bool ordered_ = false;   ///< program.json was written
  bool running_ = false;   ///< `started` was seen
  bool can_note_ = false;  ///< notes_ has begun
};

}  // namespace kinetic::runner
