#pragma once

#include "kinetic/metrics.h"
#include "kinetic/observer.h"
#include "kinetic/task_counts.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
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
/// Writes the name.
KINETIC_EXPORT std::ostream& operator<<(std::ostream& out, JobState state);
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
  /// A map of the attributes that are data, in the tagged forms of docs/reference/values.md, with
  /// "args". Null in a cause, and for an exception of C++.
  Value attributes = {};
  /// Formats the exception as Python does.
  KINETIC_EXPORT std::string Format() const;
};

struct Outcome;

/// Returns the error of a job that did not succeed: "job ab12 failed: exit code 3". Its code is that
/// of the Error of a C++ function that returned one; kUnavailable for a job that was preempted or
/// lost, which may succeed in another attempt; kCancelled for a job that was cancelled; otherwise
/// kAborted. Its details are "job", "state", and for an exception "exception", its type, and
/// "traceback".
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
  std::string job = {};                     ///< the job's ID
  std::optional<TaskCounts> tasks = {};     ///< of an array
  std::vector<MetricSummary> metrics = {};  ///< that the last attempt logged

  /// Converts the value, or a part of it, as Value::As does.
  ///
  /// @errors  those of Value::As · that of ErrorOf: the job did not succeed.
  template <typename T, typename... Steps>
  Result<T> As(const Steps&... steps) const {
    if (state != JobState::kSucceeded) return Failure(ErrorOf(*this));
    return value.As<T>(steps...);
  }
};

/// Writes the outcome as one line: "succeeded", "failed: ValueError: no data", "preempted". Control
/// characters are escaped. Report (kinetic/report.h) writes it for a person.
KINETIC_EXPORT std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

/// How much of an outcome to read.
enum class OutcomeContent : std::uint8_t {
  kAll,    ///< with the value, which must be in the store
  kState,  ///< without a value that is stored apart from the result; Outcome::value is then null
};

}  // namespace kinetic::inline v0
