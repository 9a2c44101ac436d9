#pragma once

#include "record/outcome.h"
#include "record/record.h"
#include "runner/checkpoints.h"
#include "runner/collector.h"
#include "runner/compile_cache.h"
#include "runner/launcher.h"
#include "runner/log_uploader.h"
#include "runner/output_sync.h"
#include "runner/patient_store.h"
#include "runner/status_board.h"
#include "runner/upkeep.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Keeps what a job needs and leaves, from its first attempt to its outcome: what the supervisor
/// and a pod's collector have in common. A store that is away is waited for.
///
/// @threads  one thread; Hurry and Take from any.
class Keeper {
 public:
  struct Options {
    local::Runtime runtime;
    Collector::Options collecting;
    std::vector<std::string> secrets;  ///< as MaskableSecrets gives them; kept out of outcomes
    StatusBoard::OnShown on_shown;     ///< may be empty
  };

  /// What an attempt begins with.
  struct Prepared {
    Arguments arguments;
    std::optional<std::string> restored;  ///< which checkpoint, for people
  };

  Keeper(Collector::Seams seams, const record::Record& record, Options options);
  ~Keeper();

  StatusBoard& board() { return board_; }
  Collector& collector() { return collector_; }
  store::Store& store() { return store_; }

  /// A segment of the log has grown or is sealed.
  void Take(const SpooledSegment& segment);
  /// The job is to stop: the log goes out at once, and the store is not waited for for long.
  void Hurry();
  /// So many records there are, though nobody has told of them.
  void CountRecords(std::uint64_t records) { log_records_ = records; }
  void Show(JobState state, Phase phase, std::string_view reason);

  /// Shows another attempt. Nothing of the one before counts any more.
  void BeginAttempt(std::uint32_t attempt);
  /// Lays down bundle and data in fresh folders, restores the checkpoint, fetches the arguments.
  Result<Prepared> Prepare(std::uint32_t attempt, const std::stop_token& stop);
  /// The same for an attempt whose program runs already: nothing is laid down.
  Status Resume(std::uint32_t attempt, const std::stop_token& stop);
  /// User code has begun.
  void BeginRunning();
  /// The function has returned: its value goes to the store, on a thread of its own. Once.
  void BeginStoringValue(std::uint32_t attempt);
  /// Saves checkpoints and stores outputs for as long as the object lives.
  std::unique_ptr<Upkeep> LookAfter();
  /// Saves the last checkpoint of a program that has ended.
  Status FinishCheckpoints(bool killed);
  /// Keeps what a program compiled that has ended; not for long, and its failing is only told of.
  void FinishCompiled(bool killed);

  /// The outcome of an attempt that another may follow.
  Status StoreAttempt(const Outcome& outcome);
  /// Stores log, outputs and outcome of an attempt whose end somebody else judges.
  Status StoreLeft(Outcome& outcome);
  /// Keeps the outcome, without its value, for whoever finishes this should we not.
  void KeepOutcome(const Outcome& outcome);
  /// Waits until the store has the whole log. @errors  it is away; what it refuses is told of.
  Status StoreLog();
  /// Stores value, log, outputs, result and index, in this order; what cannot be stored changes the
  /// outcome. False: the store has another result, which counts.
  ///
  /// @errors  the store stayed away.
  Result<bool> StoreAll(Outcome& outcome);
  /// The result as it is stored, after StoreAll.
  const std::string& result_json() const { return result_json_; }

 private:
  Status StoreValue(Outcome& outcome);
  Status StoreOutputs(Outcome& outcome);
  void FailToCollect(Outcome& outcome, const Error& error);
  Result<bool> WriteResult(const Outcome& outcome);
  void AwaitRunningIndex();
  void NoteCompiled(Result<std::optional<std::string>> fetched);
  record::StoredOutcome Complete(Outcome outcome);
  JobSummary Summary(const Outcome* outcome) const;

  Collector::Seams seams_;
  const record::Record& record_;
  const Options options_;
  StatusBoard board_;
  std::stop_source hurried_;
  PatientStore store_;
  Collector collector_;
  Checkpoints checkpoints_;
  OutputSync outputs_;
  CompileCache compiled_;
  LogUploader uploader_;
  std::atomic<std::uint64_t> log_records_ = 0;
  std::optional<Digest> value_digest_;
  std::string result_json_;
  // Last: their threads use all the others.
  std::future<Status> running_index_;
  std::future<Result<local::CollectedValue>> value_;
};

/// Whether something of a program may have been ended in the middle of writing.
bool WasKilled(const ProgramEnd& end);

}  // namespace kinetic::runner
