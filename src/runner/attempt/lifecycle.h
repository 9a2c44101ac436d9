#pragma once

#include "record/job_record.h"
#include "record/outcome.h"
#include "runner/attempt/periodic_tasks.h"
#include "runner/copy/responder.h"
#include "runner/log/uploader.h"
#include "runner/outcome/checkpoints.h"
#include "runner/outcome/classify.h"
#include "runner/outcome/compile_cache.h"
#include "runner/outcome/download_mirror.h"
#include "runner/outcome/output_sync.h"
#include "runner/program/runner.h"
#include "runner/staging/job_store.h"
#include "runner/staging/retrying_store.h"
#include "runner/staging/status_file.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::runner {

/// What the runner does while a job's program runs.
struct RunningTasks {
  RunningTasks(Clock& clock, std::vector<PeriodicTasks::Task> tasks, const CopiedJob& job)
      : periodic(clock, std::move(tasks)), copies(job, clock) {}

  PeriodicTasks periodic;
  CopyResponder copies;
};

/// Fetches a job's inputs and stores what the job leaves, from the first attempt to the outcome:
/// the part that the supervisor and a pod's collector share. It waits for an unavailable store.
///
/// @threads  one thread; ExpediteStop and OnSegment from any.
class AttemptLifecycle {
 public:
  struct Options {
    local::Runtime runtime;
    JobStore::Options job_store;
    std::vector<std::string> secrets;  ///< from RedactableSecrets; kept out of outcomes
    StatusFile::OnWritten on_status;   ///< may be empty
    bool has_own_downloads = false;  ///< the program runs in a pod, which starts without downloads
  };

  /// The inputs of an attempt that its program needs.
  struct Prepared {
    Arguments arguments;
    std::optional<std::string> restored;        ///< description of the restored checkpoint
    std::optional<std::string> downloads = {};  ///< a note for the log about fetched downloads
  };

  AttemptLifecycle(JobStore::Dependencies deps, const record::Record& record, Options options);
  ~AttemptLifecycle();

  StatusFile& status_file() { return status_file_; }
  JobStore& job_store() { return job_store_; }
  store::Store& store() { return store_; }

  /// Uploads a log segment that has grown or is sealed.
  void OnSegment(const SpooledSegment& segment);
  /// The job is being stopped: shows a cancellation in the status, uploads the log at once and
  /// shortens waits for the store.
  void ExpediteStop(StopReason reason);
  /// Sets the number of log records where no segment has it.
  void SetLogRecords(std::uint64_t records) { log_records_ = records; }
  /// Sets why the end of the log is missing.
  void SetLogGap(std::string_view reason) { log_gap_ = reason; }
  /// Writes the status; logs a failure.
  void SetStatus(JobState state, Phase phase, std::string_view reason);

  /// Starts another attempt and forgets the value of the one before.
  void BeginAttempt(std::uint32_t attempt);
  /// Adds for how long the attempts before this one held their nodes; logs a failure.
  void AddEarlierNodeTime(std::uint32_t attempt, const std::stop_token& stop);
  /// Unpacks bundle and data into empty folders, restores the checkpoint, fetches the arguments.
  Result<Prepared> Prepare(std::uint32_t attempt, const std::stop_token& stop);
  /// Prepares the next task of a program that already runs: empties the folders of values and outputs,
  /// restores the checkpoint, fetches the arguments.
  Result<Prepared> PrepareNext(std::uint32_t attempt, const std::stop_token& stop);
  /// Resumes an attempt whose program already runs; the folders stay as they are.
  Status Resume(std::uint32_t attempt, const std::stop_token& stop);
  /// Opens the folders that the program writes. Call before it runs: it may replace them.
  /// @param user  the program's; nullopt if it is root or this process's.
  Status OpenProgramFiles(std::optional<std::uint32_t> user);
  /// User code has started.
  void OnProgramStarted();
  /// The function has returned: stores its value on another thread. Further calls do nothing.
  void StartStoringValue(std::uint32_t attempt);
  /// Saves checkpoints, outputs and compiled programs, and copies files for clients, while the
  /// returned object exists.
  /// @param more  is also run.
  std::unique_ptr<RunningTasks> StartRunningTasks(std::vector<PeriodicTasks::Task> more = {});
  /// Returns notes for the log about files that are not stored, after the program ended.
  std::vector<std::string> OutputNotes();
  /// Saves the last checkpoint after the program ended.
  Status FinishCheckpoints(bool killed);
  /// Stores newly compiled programs for at most 20 seconds; logs a failure.
  void FinishCompileCache(bool killed);
  /// Stores downloads of a program that has ended by itself, for at most 100 seconds; logs a failure.
  void FinishDownloads();

  /// Stores the outcome of an attempt that another one may follow.
  Status StoreAttempt(const Outcome& outcome);
  /// Stores log, outputs and outcome of an attempt whose final state a client determines.
  Status StoreUnclassified(Outcome& outcome);
  /// Writes the outcome without its value to the runtime directory, for a client that has to
  /// finish.
  void SaveOutcome(const Outcome& outcome);
  /// Waits until the whole log is stored; logs what the store rejects. @errors  it is unavailable.
  Status StoreLog();
  /// Stores value, log, outputs and result, in this order. What cannot be stored changes the
  /// outcome. Returns false if the store already has another result, which stays.
  ///
  /// @errors  the store stayed unavailable.
  Result<bool> StoreResult(Outcome& outcome);
  /// Writes the index entry of the outcome that StoreResult has stored, or the summary of the task;
  /// logs a failure.
  void IndexResult(const Outcome& outcome);
  /// Returns the result as stored by StoreResult.
  const std::string& result_json() const { return result_json_; }

 private:
  Status StoreValue(Outcome& outcome);
  Status StoreOutputs(Outcome& outcome);
  void RecordCollectError(Outcome& outcome, const Error& error);
  Result<bool> WriteResult(const Outcome& outcome);
  void StopRunningIndex();
  void ReportCompileCache(Result<std::optional<std::string>> fetched);
  std::optional<std::string> ReportDownloads(Result<std::optional<std::string>> fetched);
  record::StoredOutcome Complete(Outcome outcome);
  std::optional<WallTime> EndOfProgram() const;
  std::chrono::milliseconds NodeTime() const;
  JobSummary Summary(const Outcome* outcome) const;

  JobStore::Dependencies deps_;
  const record::Record& record_;
  const Options options_;
  const bool is_task_;
  StatusFile status_file_;
  std::stop_source stop_expedited_;
  RetryingStore store_;
  JobStore job_store_;
  Checkpoints checkpoints_;
  OutputSync outputs_;
  CompileCache compile_cache_;
  DownloadMirror downloads_;
  LogUploader uploader_;
  std::optional<local::ProgramFiles> files_;
  std::atomic<std::uint64_t> log_records_ = 0;
  std::string log_gap_;
  std::chrono::milliseconds earlier_node_time_{};
  std::optional<Digest> value_digest_;
  std::optional<WallTime> unpacked_;  ///< unknown after Resume
  bool is_resumed_ = false;           ///< the uploader has only the metrics of the end of the log
  std::string result_json_;
  // Last: their threads use all other members.
  std::stop_source running_index_stop_;
  std::future<Status> running_index_;
  std::future<Result<local::CollectedValue>> value_;
};

/// Returns whether a process of the program may have been killed while it wrote files.
bool WasKilled(const ProgramExit& exit);

}  // namespace kinetic::runner
