#pragma once

#include "kinetic/observer.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

enum class JobState : std::uint8_t {
  kQueued,
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
  kCancelled,
  kPreempted,
  kLost
};

KINETIC_EXPORT std::string_view Name(JobState state);
/// Returns whether the state is final.
KINETIC_EXPORT bool IsTerminal(JobState state);

/// The origin of an exit code.
enum class ExitSource : std::uint8_t { kProgram, kException, kKinetic };

/// One frame of a remote traceback. For a C++ function, `file` is the program or library.
struct Frame {
  std::string file;
  int line = 0;  ///< 0: unknown
  std::string function;
  std::string code;  ///< the source line, trimmed
};

/// An exception raised by the job, with its causes.
struct RemoteException {
  std::string type;  ///< "ValueError", qualified outside builtins
  std::string message;
  std::vector<Frame> traceback;  ///< outermost call first, as Python prints it
  std::string relation;          ///< to `cause`: "cause" (raise … from), "context", or empty
  std::shared_ptr<const RemoteException> cause;
  /// Formats the exception as Python does.
  KINETIC_EXPORT std::string Format() const;
};

struct Outcome;

/// Returns the error of a job that did not succeed: "job ab12 failed: exit code 3".
KINETIC_EXPORT Error ErrorOf(const Outcome& outcome);

/// The result of a job. `value` is set only if the job succeeded.
struct Outcome {
  JobState state = JobState::kFailed;
  Value value;
  std::optional<RemoteException> exception;
  int exit_code = 0;  ///< what `kinetic run` exits with
  ExitSource exit_source = ExitSource::kProgram;
  Phase phase = Phase::kRun;  ///< phase of the failure
  std::string reason;         ///< one line for display: "killed by the memory limit of 2 GiB"
  std::uint32_t attempt = 1;
  std::vector<std::pair<std::string, std::chrono::system_clock::time_point>> timeline;
  std::string job = {};  ///< the job's ID

  /// Converts the value, or a part of it, as Value::As does.
  ///
  /// @errors  those of Value::As · kAborted: the job did not succeed (ErrorOf).
  template <typename T, typename... Steps>
  Result<T> As(const Steps&... steps) const {
    if (state != JobState::kSucceeded) return Failure(ErrorOf(*this));
    return value.As<T>(steps...);
  }
};

/// Writes the outcome as one line: "succeeded", "failed: ValueError: no data", "preempted". Control
/// characters are escaped. Report (kinetic/report.h) writes it for a person.
KINETIC_EXPORT std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

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
  /// The shortest prefix of the ID that no other job has; empty unless ListOptions requests it.
  std::string unique_prefix = {};
};

enum class Stream : std::uint8_t { kStdout = 1, kStderr = 2, kSystem = 3 };

/// One record of a job's log: a line, or a piece of one.
struct LogRecord {
  /// The position in the log, from 0, over both streams and all attempts. A message of kinetic
  /// (kSystem) has the position of the record before it. Lost records leave a gap.
  std::uint64_t sequence = 0;
  std::uint32_t attempt = 1;
  Stream stream = Stream::kStdout;
  std::chrono::system_clock::time_point time;
  std::string_view text;  ///< bytes as written, including the newline; valid during the call
};

struct LogOptions {
  bool follow = false;
  std::uint64_t from_sequence = 0;
  std::optional<std::uint64_t> tail = {};  ///< maximum number of records, counted from the end
};

/// Receives log records in order. An error stops the reading and is returned.
using LogRecordSink = std::function<Status(const LogRecord& record)>;

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

/// How much of an outcome to read.
enum class OutcomeContent : std::uint8_t {
  kAll,    ///< with the value, which must be in the store
  kState,  ///< without a value that is stored apart from the result; Outcome::value is then null
};

struct CopyOptions;  // kinetic/copy.h
struct CopyReport;   // kinetic/copy.h
struct Explanation;  // kinetic/explanation.h
struct JobTimeline;  // kinetic/timeline.h

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

  /// Returns the job's current properties.
  ///
  /// @errors  kDataLoss: a damaged record or result.
  Result<JobSummary> Summary(std::stop_token stop = {}) const;

  /// Explains why the job is in its state.
  ///
  /// @errors  kDataLoss: a damaged record or result.
  Result<Explanation> Explain(std::stop_token stop = {}) const;

  /// Returns the phases of the job with their times, as far as they are recorded.
  ///
  /// @errors  kNotFound: the job was removed · kDataLoss: a damaged record or result.
  Result<JobTimeline> Timeline(std::stop_token stop = {}) const;

  /// Reads the log; with `follow`, until the log ends.
  ///
  /// @errors  those of `reader` · kAborted (the job is being removed) · kDataLoss (a damaged log).
  Status Logs(const LogOptions& options, const LogRecordSink& reader,
              std::stop_token stop = {}) const;

  /// Waits until the job ends. Watches instead of polling.
  ///
  /// @param observer  receives the beginning and end of phases; may be null.
  /// @errors          kCancelled (stop; the job continues) · kDataLoss (a damaged result, or a
  ///                  value above 64 MiB).
  Result<Outcome> Wait(Observer* observer = nullptr, std::stop_token stop = {},
                       OutcomeContent content = OutcomeContent::kAll) const;

  /// Calls `done` once when the job has ended. Returns at once. kinetic/waiting.h has functions for
  /// futures and for several jobs.
  ///
  /// One thread of the client calls the callbacks of all its jobs, so they should return soon, and
  /// must not throw or wait for another callback. A callback may destroy handles and the client.
  ///
  /// @param stop  ends the wait with kCancelled; the job continues.
  /// @errors  of the outcome: those of Wait · kCancelled: also if the client and all handles of its
  ///          jobs are destroyed.
  void OnDone(std::function<void(Result<Outcome> outcome)> done, std::stop_token stop = {},
              OutcomeContent content = OutcomeContent::kAll) const;

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
  /// Takes a few seconds, because the job responds through the store.
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
  ///          kCancelled (stop; the job may continue).
  Status Cancel(std::stop_token stop = {}) const;

 private:
  friend class Client;
  class Impl;
  explicit Job(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0
