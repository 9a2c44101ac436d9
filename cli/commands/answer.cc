#include "commands/answer.h"

#include "command_line/command.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/json_text.h"
#include "try.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

namespace kinetic::cli {
namespace {

constexpr std::size_t kColumns = 100;

/// The reference of a value whose content is stored beside the result, or null.
const std::string* StoredReference(const Value& value) {
  const Value* reference = value.Find("$ref");
  return reference == nullptr ? nullptr : reference->AsString();
}

std::string ValueText(const Value& value, bool raw) {
  if (raw && value.AsString() != nullptr) return *value.AsString();
  return JsonText(value, kColumns) + "\n";
}

Status WriteFile(
    const std::string& path,
    const std::function<Status(const std::function<Status(std::string_view)>&)>& fill) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const auto failure = [&] {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("writing {}: {}", path, std::strerror(errno)));
  };
  if (!file) return failure();
  CLI_RETURN_IF_ERROR(fill([&](std::string_view bytes) -> Status {
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return failure();
    return {};
  }));
  file.close();
  if (!file) return failure();
  return {};
}

Status GiveValue(const Job& job, const Value& value, const AnswerOptions& options,
                 Context& context) {
  if (!options.output) {
    context.output.Bytes(ValueText(value, options.raw));
    return {};
  }
  CLI_RETURN_IF_ERROR(WriteFile(*options.output, [&](const auto& sink) -> Status {
    if (const std::string* reference = StoredReference(value); reference != nullptr)
      return job.ReadStored(*reference, sink, context.stop);
    return sink(ValueText(value, options.raw));
  }));
  context.output.Note("the value is in " + *options.output);
  return {};
}

}  // namespace

void AddAnswerOptions(Command& command, AnswerOptions& options) {
  command.Flag({"--raw", "", "Print a string as it is, without quotes and a newline"}, options.raw);
  command.Text({"--output", "FILE",
                "Write the value to a file; bytes and arrays as they are (.npy), all else as JSON",
                Complete::kFile},
               options.output);
}

void ExplainEnd(const JobSummary& summary, const Outcome& outcome, Context& context) {
  if (context.output.IsJson() || outcome.state == JobState::kSucceeded) return;
  if (outcome.exception) {
    context.output.Explain(
        fmt::format("remote exception in job {}, attempt {}:\n", summary.id, outcome.attempt));
    std::string text = outcome.exception->Format();
    if (!text.ends_with('\n')) text += '\n';
    context.output.Explain(text);
    return;
  }
  const std::string why =
      outcome.reason.empty() ? fmt::format("exit code {}", outcome.exit_code) : outcome.reason;
  const std::string_view state =
      outcome.state == JobState::kFailed ? "failed" : Name(outcome.state);
  context.output.ShowError(
      {ErrorCode::kAborted, fmt::format("job {} {}: {}", summary.id, state, why), {}, {}},
      outcome.exit_code);
  if (outcome.exit_source == ExitSource::kProgram && IsReserved(outcome.exit_code))
    context.output.Note(
        fmt::format("the exit code {} is the program's own, not kinetic's", outcome.exit_code));
}

Result<int> GiveAnswer(const Job& job, const JobSummary& summary, const Outcome& outcome,
                       const AnswerOptions& options, Context& context) {
  ExplainEnd(summary, outcome, context);
  if (context.output.IsJson()) context.output.Document(ToDocument(summary, outcome));
  if (outcome.state == JobState::kSucceeded && summary.function) {
    CLI_RETURN_IF_ERROR(GiveValue(job, outcome.value, options, context));
  } else if (outcome.state == JobState::kSucceeded && options.output) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("job {} has no value to write: it runs a command", summary.id));
  }
  return outcome.exit_code;
}

}  // namespace kinetic::cli
