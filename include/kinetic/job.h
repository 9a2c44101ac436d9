#pragma once

#include "kinetic/log_record.h"
#include "kinetic/outcome.h"
#include "kinetic/prices.h"
#include "kinetic/task_counts.h"
#include "kinetic/wait_options.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// The main properties of a job.
struct JobSummary {
  std::string id;
  std::string name;
  std::string owner;
  std::string target;
  bool function = false;  ///< a `function:` job: it returns a value
  JobState state = JobState::kPending;
  std::string reason;
  std::chrono::system_clock::time_point created;
  std::optional<std::chrono::system_clock::time_point> started;
  std::optional<std::chrono::system_clock::time_point> finished;
  std::uint32_t attempt = 0;
  /// The events of an unfinished job, as reported by the target.
  std::vector<std::pair<std::string, std::chrono::system_clock::time_point>> timeline = {};
  /// The identity of `target` at submission: "kubernetes:https://10.0.0.1:6443#4f1c0a99/ml"; empty:
  /// unknown.
  std::string target_identity = {};
  /// Tells this job apart from earlier and later jobs with the same ID; empty: unknown.
  std::string nonce = {};
  /// The requested accelerators, "v5litepod-4" or "v5litepod-4, gpu-l4"; empty: only CPUs.
  std::string accelerator = {};
  /// The arguments as text for display: "epochs=3", "--epochs 3". Long ones are shortened.
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> tags = {};
  /// Of an array: how many of its tasks are in which state, as far as known.
  std::optional<TaskCounts> tasks = {};
  /// The shortest prefix of the ID that no other job has; empty unless ListOptions requests it.
  std::string unique_prefix = {};
  /// nullopt: the job runs on this machine, on a cluster with an unknown location, or on one of
  /// several accelerators.
  std::optional<JobPrice> price = {};
  /// The time for which the ended attempts of the job, or of all its tasks, held a node, as far as
  /// recorded. 0 without a price.
  std::chrono::milliseconds node_time{};
};

/// A file that a job wrote to its output folder, as it is stored.
struct OutputFile {
  std::string path;  ///< relative to the folder
  std::uint64_t size_bytes = 0;
  std::chrono::system_clock::time_point stored;  ///< time of upload
};

struct FetchOptions {
  /// Destination. Created if missing and there is something to copy. A new folder gets a
  /// .gitignore, so that it is not part of the next bundle.
  std::filesystem::path folder;
  std::vector<std::string> paths = {};  ///< files and folders; empty: everything
  bool replace = false;                 ///< replace files that differ; false: they are an error
  Observer* observer = nullptr;         ///< outlives the call; may be null
};

struct FetchReport {
  std::uint64_t files = 0;  ///< downloaded
  std::uint64_t bytes = 0;
  std::uint64_t files_present = 0;  ///< were already there and complete
};

struct CopyOptions;    // kinetic/copy.h
struct CopyReport;     // kinetic/copy.h
struct Explanation;    // kinetic/explanation.h
struct JobDefinition;  // kinetic/job_definition.h
struct JobTimeline;    // kinetic/timeline.h

/// A handle to a submitted job. Copies refer to the same job; destroying them does not affect it.
///
/// @errors   of every function: those of the store and the target, as in Client.
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Job {
 public:
  ~Job();
  Job(const Job&);
  Job& operator=(const Job&);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;

  const std::string& id() const;
  /// Returns whether both handles refer to the same job.
  bool operator==(const Job& other) const;

  /// Returns the job's current properties.
  ///
  /// @errors  kDataLoss: a damaged record or result.
  Result<JobSummary> Summary(std::stop_token stop = {}) const;

  /// Returns what was submitted: the function or command, arguments, code, packages and resources.
  ///
  /// @errors  kNotFound: the job was removed · kDataLoss: a damaged record, or damaged arguments.
  Result<JobDefinition> Definition(std::stop_token stop = {}) const;

  /// Explains why the job is in its state.
  ///
  /// @errors  kDataLoss: a damaged record or result.
  Result<Explanation> Explain(std::stop_token stop = {}) const;

  /// Returns the phases of the job with their times, as far as they are recorded.
  ///
  /// @errors  kNotFound: the job was removed · kDataLoss: a damaged record or result.
  Result<JobTimeline> Timeline(std::stop_token stop = {}) const;

  /// Reads the log; with `follow`, until the log ends. Calls `reader` on the calling thread, which
  /// receives its exceptions.
  ///
  /// @errors  those of `reader` · kInvalidArgument (no reader) · kDeadlineExceeded · kAborted (the job
  ///          is being removed) · kDataLoss (a damaged log).
  Status Logs(const LogOptions& options, const LogRecordSink& reader) const;

  /// Follows the log until the job has ended: calls `record` for each record, and then `done` once.
  /// Returns at once. `follow` has no effect.
  ///
  /// One thread of the client follows the logs of all its jobs, and calls all their callbacks: the
  /// rules of OnDone apply. `record` must not destroy the client. New records are read up to ten
  /// times per second on this machine, and about once per second on a cluster.
  ///
  /// @errors  of `done`: those of `record` and Logs · kCancelled, as for OnDone.
  void OnLog(LogRecordSink record, std::function<void(Status status)> done,
             const LogOptions& options = {}) const;

  /// Waits until the job ends. Watches instead of polling.
  ///
  /// @errors  kCancelled (stop; the job continues) · kDeadlineExceeded (the job continues) · kDataLoss
  ///          (a damaged result, or a value above 64 MiB).
  Result<Outcome> Wait(const WaitOptions& options = {}) const;

  /// Calls `done` once when the job has ended. Returns at once. kinetic/waiting.h has functions for
  /// futures and for several jobs.
  ///
  /// One thread of the client calls the callbacks of all its jobs, so they should return soon, and
  /// must not throw, which ends the program, or wait for another callback. `done` may destroy handles
  /// and the client, and must not be empty.
  ///
  /// @errors  of the outcome: those of Wait · kCancelled: also if the client and all handles of its
  ///          jobs are destroyed.
  void OnDone(std::function<void(Result<Outcome> outcome)> done,
              const WaitOptions& options = {}) const;

  /// Returns the outcome, or nullopt if the job is not finished.
  ///
  /// @errors  kDataLoss (a damaged result, or a value above 64 MiB).
  Result<std::optional<Outcome>> Collect(std::stop_token stop = {},
                                         OutcomeContent content = OutcomeContent::kAll) const;

  /// Copies the content of an array or bytes value that is stored separately from the result.
  /// `reference` is the "$ref" of its tagged form.
  ///
  /// @errors  those of `sink` · kInvalidArgument (not a reference) · kNotFound · kDataLoss (the
  ///          content does not match its digest), after the content was passed to `sink`.
  Status ReadStored(std::string_view reference, const std::function<Status(std::string_view)>& sink,
                    std::stop_token stop = {}) const;

  /// Lists the stored outputs by path; while the job runs, those stored so far.
  ///
  /// @errors  those of the store.
  Result<std::vector<OutputFile>> Outputs(std::stop_token stop = {}) const;

  /// Copies outputs to a folder of this machine. Each file appears whole or not at all, with its
  /// size and, where the store keeps one, its checksum verified. Complete files are not downloaded
  /// again, and partial downloads are resumed.
  ///
  /// @errors  kNotFound (no output has one of the paths) · kAlreadyExists (another file is there) ·
  ///          kDataLoss · kResourceExhausted (disk).
  Result<FetchReport> FetchOutputs(const FetchOptions& options, std::stop_token stop = {}) const;

  /// Copies a file or folder from the running job to this machine, or from the stored outputs of a
  /// job that has ended. The destination follows the rules of `cp`: an existing directory receives
  /// the source as a new entry. A file that grows meanwhile is copied as it was when it was opened.
  /// The job responds through the store, which takes a few seconds on another machine.
  ///
  /// @errors  kInvalidArgument (a path with "..", or outside of the job's folders) · kNotFound (with
  ///          the nearest name) · kFailedPrecondition (the job has not started; a folder and a file
  ///          in each other's place) · kDeadlineExceeded (the job did not respond within 20
  ///          seconds) · kPermissionDenied · kDataLoss · kResourceExhausted (disk).
  Result<CopyReport> CopyFrom(const CopyOptions& options, std::stop_token stop = {}) const;

  /// Copies a local file or folder to a folder of the running job, in the same way. Each file
  /// appears in the job as a whole and belongs to the user of its program.
  ///
  /// @errors  those of CopyFrom · kFailedPrecondition: also if the job has ended.
  Result<CopyReport> CopyTo(const CopyOptions& options, std::stop_token stop = {}) const;

  /// Cancels the job: SIGTERM, the grace period, then SIGKILL to all its processes. Returns when it
  /// has ended. Has no effect on an ended job.
  ///
  /// @errors  kFailedPrecondition (the job runs on another target) · kDataLoss (a damaged result) ·
  ///          kCancelled (stop; the job may continue) · kDeadlineExceeded (the job may continue).
  Status Cancel(const StopOptions& options = {}) const;

 private:
  friend class Client;
  friend class Tasks;
  class Impl;
  explicit Job(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0
