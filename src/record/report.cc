#include "kinetic/report.h"

#include "base/strings.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

namespace kinetic::inline v0 {

using record::DisplayId;

namespace {

constexpr std::string_view kErrorColor = "\x1b[1;31m";
constexpr std::string_view kHintColor = "\x1b[36m";

std::string Label(std::string_view text, std::string_view color_code, bool color) {
  return color ? fmt::format("{}{}\x1b[0m ", color_code, text) : fmt::format("{} ", text);
}

/// Returns an exception whose text can neither control a terminal nor look like another line:
/// further lines of its message are indented.
RemoteException Safe(const RemoteException& exception) {
  RemoteException safe = exception;
  safe.type = Printable(exception.type);
  safe.message.clear();
  for (const char c : PrintableLines(exception.message))
    safe.message += c == '\n' ? "\n    " : std::string(1, c);
  for (Frame& frame : safe.traceback) {
    frame.file = Printable(frame.file);
    frame.function = Printable(frame.function);
    frame.code = Printable(frame.code);
  }
  if (exception.cause) safe.cause = std::make_shared<const RemoteException>(Safe(*exception.cause));
  return safe;
}

std::string JobOf(const Outcome& outcome) {
  return outcome.job.empty() ? std::string("the job") : "job " + Printable(DisplayId(outcome.job));
}

/// The exception of a C++ function that returned an Error. Its message is in up to two lines:
/// "INVALID_ARGUMENT: negative", "hint: pass a positive number".
constexpr std::string_view kErrorException = "kinetic::ErrorException";
constexpr std::string_view kHintPrefix = "\nhint: ";

std::string HintOf(const std::optional<RemoteException>& exception) {
  if (!exception) return {};
  if (exception->type.ends_with("ModuleNotFoundError") &&
      exception->message == "No module named 'kinetic'")
    return "scripts have no module kinetic: run a function instead (module:function), or print "
           "metrics as a line such as {\"kinetic.metrics\": {\"step\": 1, \"loss\": 2.07}}";
  if (exception->type.ends_with("ModuleNotFoundError"))
    return "add the package to the job's dependencies, for example in requirements.txt; for a "
           "module of your own, see 'kinetic bundle ls'";
  if (exception->message == "EOF when reading a line" || exception->type == "bdb.BdbQuit")
    return "input() and breakpoint() need a terminal, and a job has none; pass values as arguments";
  const std::size_t at = exception->message.find(kHintPrefix);
  if (exception->type != kErrorException || at == std::string::npos) return {};
  return exception->message.substr(at + kHintPrefix.size());
}

std::string ExceptionText(const Outcome& outcome) {
  const std::string attempt =
      outcome.attempt > 1 ? fmt::format(", attempt {}", outcome.attempt) : std::string();
  std::string text = fmt::format("remote exception in {}{}:\n{}", JobOf(outcome), attempt,
                                 Safe(*outcome.exception).Format());
  const std::string hint = HintOf(outcome.exception);
  // The exception of a C++ function contains its hint.
  if (!hint.empty() && outcome.exception->type != kErrorException) text += "hint: " + hint + "\n";
  return text;
}

/// Returns the first line of an exception.
std::string FirstLine(const RemoteException& exception) {
  const std::string line = exception.message.substr(0, exception.message.find('\n'));
  if (line.empty()) return exception.type;
  return exception.type == kErrorException ? line : exception.type + ": " + line;
}

/// Returns why a job did not succeed; empty if only its state tells.
std::string CauseOf(const Outcome& outcome) {
  if (outcome.exception) return FirstLine(*outcome.exception);
  if (outcome.reason.empty()) return fmt::format("exit code {}", outcome.exit_code);
  return outcome.reason == Name(outcome.state) ? std::string() : std::string(Trim(outcome.reason));
}

/// Returns the code of the Error that a C++ function returned.
std::optional<ErrorCode> CodeOf(const RemoteException& exception) {
  if (exception.type != kErrorException) return std::nullopt;
  const std::string_view name =
      std::string_view(exception.message).substr(0, exception.message.find(':'));
  for (auto code = ErrorCode::kCancelled;;
       code = static_cast<ErrorCode>(static_cast<int>(code) + 1)) {
    if (Name(code) == name) return code;
    if (code == ErrorCode::kInternal) return std::nullopt;
  }
}

ErrorCode CodeOf(const Outcome& outcome) {
  switch (outcome.state) {
    case JobState::kCancelled:
      return ErrorCode::kCancelled;
    case JobState::kPreempted:
    case JobState::kLost:
      return ErrorCode::kUnavailable;
    default:
      break;
  }
  const auto code = outcome.exception ? CodeOf(*outcome.exception) : std::nullopt;
  return code.value_or(ErrorCode::kAborted);
}

}  // namespace

std::string ReportText(const Error& error, bool color) {
  const std::string prefix = Label("error:", kErrorColor, color);
  std::string text = prefix;
  const std::string message = PrintableLines(error.message);
  const bool is_list = std::ranges::any_of(
      error.details, [](const auto& detail) { return detail.first == "errors"; });
  for (std::size_t i = 0; i < message.size(); ++i) {
    text += message[i];
    // Indented lines continue the error above them.
    const bool begins_error = message[i] == '\n' && i + 1 < message.size() && message[i + 1] != ' ';
    if (is_list && begins_error) text += prefix;
  }
  text += "\n";
  if (!error.hint.empty())
    text += Label("hint:", kHintColor, color) + PrintableLines(error.hint) + "\n";
  return text;
}

std::string ReportText(const Outcome& outcome, bool color) {
  if (outcome.state == JobState::kSucceeded) return {};
  // The traceback of a command is in its log.
  const bool has_traceback = outcome.exception && (!outcome.exception->traceback.empty() ||
                                                   outcome.exit_source == ExitSource::kException);
  return has_traceback ? ExceptionText(outcome) : ReportText(ErrorOf(outcome), color);
}

std::ostream& operator<<(std::ostream& out, JobState state) { return out << Name(state); }

Error ErrorOf(const Outcome& outcome) {
  const std::string cause = Printable(CauseOf(outcome));
  const std::string ended = outcome.state == JobState::kFailed
                                ? std::string("failed")
                                : fmt::format("was {}", Name(outcome.state));
  Error error{CodeOf(outcome),
              fmt::format("{} {}{}{}", JobOf(outcome), ended, cause.empty() ? "" : ": ", cause),
              HintOf(outcome.exception),
              {{"job", outcome.job}, {"state", std::string(Name(outcome.state))}}};
  if (!outcome.exception) return error;
  return std::move(error)
      .With("exception", outcome.exception->type)
      .With("traceback", outcome.exception->Format());
}

void Report(std::ostream& out, const Error& error) { out << ReportText(error); }

void Report(std::ostream& out, const Outcome& outcome) { out << ReportText(outcome); }

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << Name(outcome.state);
  if (outcome.state == JobState::kSucceeded) return out;
  const std::string cause = Printable(CauseOf(outcome));
  return cause.empty() ? out : out << ": " << cause;
}

}  // namespace kinetic::inline v0
