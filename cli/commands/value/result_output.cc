#include "commands/value/result_output.h"

#include "kinetic/report.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/value/content.h"
#include "commands/value/parts.h"
#include "context.h"
#include "diagnostics.h"
#include "documents.h"
#include "exit_code.h"
#include "output/json_output.h"
#include "output/text.h"
#include "replaced_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

namespace kinetic::cli {
namespace {

constexpr std::size_t kJsonColumns = 100;

/// Returns the width of printed values: that of the terminal, but not above that of files.
std::size_t DisplayColumns(const Context& context) {
  const std::size_t columns = context.output.Columns();
  return columns == 0 ? kJsonColumns : std::min(columns, kJsonColumns);
}

/// Returns a string that is written without quotes, or null.
const std::string* RawString(const Value& value, bool raw) {
  return raw ? value.AsString() : nullptr;
}

Status PrintValue(const Job& job, const Value& value, const ValueOptions& options,
                  Context& context) {
  const auto print = [&](std::string_view bytes) -> Status {
    context.output.Bytes(bytes);
    return {};
  };
  bool printed = false;
  if (options.raw) {
    KINETIC_ASSIGN_OR_RETURN(printed, ReadContent(job, value, print, context.stop));
  }
  if (const std::string* text = RawString(value, options.raw); text != nullptr) {
    context.output.Bytes(*text);
  } else if (!printed && (options.null_for_none || !value.IsNull())) {
    context.output.Json(JsonText(Displayed(value), DisplayColumns(context)));
  }
  // Writes the answer before the cleanup. Write errors are reported at the end.
  (void)context.output.Flush();
  return {};
}

/// Writes bytes and arrays as raw content, and everything else as text.
Status WriteToFile(const Job& job, const Value& value, const ValueOptions& options,
                   Context& context) {
  ReplacedFile file(*options.output);
  const auto write = [&](std::string_view bytes) { return file.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(const bool written, ReadContent(job, value, write, context.stop));
  if (!written) {
    const std::string* text = RawString(value, options.raw);
    if (options.output->ends_with(".npy"))
      context.output.Warn("the value is not an array, so " + *options.output +
                          " contains JSON; to write the arrays in it: kinetic result --to DIR");
    KINETIC_RETURN_IF_ERROR(
        file.Write(text != nullptr ? *text : JsonText(value, kJsonColumns) + "\n"));
  }
  KINETIC_RETURN_IF_ERROR(file.Close());
  context.output.Note("wrote the value to " + *options.output);
  return {};
}

Status WriteValue(const Job& job, const Value& value, const ValueOptions& options,
                  Context& context) {
  if (options.output) return WriteToFile(job, value, options, context);
  return PrintValue(job, value, options, context);
}

/// Returns a file name for the array at a path of a value: "history[3].w" becomes
/// "history.3.w.npy".
std::string ArrayFile(const std::string& path) {
  std::string name;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '[' || c == '.') {
      if (!name.empty()) name += '.';
    } else if (c != ']') {
      name += plain || c == '-' || c == '_' ? c : '_';
    }
  }
  return name.empty() ? "value" : name;
}

/// Returns a name that no earlier array has.
std::string UnusedName(const std::string& path, std::set<std::string>& used) {
  const std::string base = ArrayFile(path);
  std::string name = base;
  for (int number = 2; !used.insert(name).second; ++number)
    name = fmt::format("{}-{}", base, number);
  return name + ".npy";
}

}  // namespace

void AddValueOptions(Command& command, ValueOptions& options) {
  command.Flag(
      {"--raw", "",
       "Print strings without quotes, and the job's output, bytes, and arrays (.npy) unchanged"},
      options.raw);
  command.Text(
      {"--output", "FILE",
       "Write the value to a file: bytes and arrays (.npy) unchanged, other values as JSON",
       CompletionKind::kFile},
      options.output);
}

Status CheckValueOptions(const ValueOptions& options) {
  if (!options.output) return {};
  if (options.output->empty())
    return Fail(ErrorCode::kInvalidArgument, "--output: expected a file, found ''");
  std::error_code ignored;
  if (std::filesystem::is_directory(*options.output, ignored)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--output {}: {}", SafeLine(*options.output), SystemCause(EISDIR)),
                "specify a file; to write all arrays to a folder: kinetic result --to DIR");
  }
  const std::filesystem::path folder = std::filesystem::path(*options.output).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("--output {}: {}", SafeLine(*options.output), SystemCause(errno)));
}

Status CheckHasValue(const JobSummary& summary, const ValueOptions& options) {
  if (summary.function || !options.output) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("job {} has no value: it runs a command", summary.id));
}

std::string_view ReasonFor(JobState state, std::string_view reason) {
  return reason == Name(state) ? std::string_view() : reason;
}

void ReportFailure(const Outcome& outcome, Context& context) {
  if (context.output.IsJson() || outcome.state == JobState::kSucceeded) return;
  if (outcome.exception) return context.output.Explain(ReportText(outcome));
  context.output.ShowError(ErrorOf(outcome), outcome.exit_code);
  if (outcome.tasks) return;
  if (outcome.exit_source == ExitSource::kProgram && IsReserved(outcome.exit_code))
    context.output.Note(
        fmt::format("exit code {} comes from the program, not from kinetic", outcome.exit_code));
}

Status WriteReferencedContent(const Job& job, const std::string& reference,
                              const ValueOptions& options, Context& context) {
  const Value value = Value::Map{{"$bytes", Value::Map{{"$ref", reference}}}};
  ValueOptions raw = options;
  raw.raw = true;
  return WriteValue(job, value, raw, context);
}

Status WritePart(const Job& job, const Value& part, const ValueOptions& options, Context& context) {
  if (context.output.IsJson()) context.output.Document(part);
  return WriteValue(job, part, options, context);
}

Status WriteArrays(const Job& job, const Value& value, const std::string& folder,
                   Context& context) {
  const auto arrays = ArraysOf(value);
  if (arrays.empty()) context.output.Note("the value has no arrays");
  std::error_code failed;
  const bool is_new =
      !arrays.empty() && std::filesystem::create_directories(folder, failed) && !failed;
  if (failed)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--to {}: {}", SafeLine(folder), SystemCause(failed.value())));
  if (is_new) {  // like the folder of `outputs get`, it is not part of the next bundle
    ReplacedFile ignore(std::filesystem::path(folder) / ".gitignore");
    KINETIC_RETURN_IF_ERROR(ignore.Write("*\n"));
    KINETIC_RETURN_IF_ERROR(ignore.Close());
  }
  std::set<std::string> used;
  Value::List documents;
  for (const auto& [path, array] : arrays) {
    const std::filesystem::path name = std::filesystem::path(folder) / UnusedName(path, used);
    ReplacedFile file(name);
    const auto write = [&](std::string_view bytes) { return file.Write(bytes); };
    KINETIC_RETURN_IF_ERROR(ReadContent(job, *array, write, context.stop));
    KINETIC_RETURN_IF_ERROR(file.Close());
    context.output.ExactLine(name.native());
    documents.emplace_back(Value::Map{{"path", path}, {"file", name.native()}});
  }
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return {};
}

Result<int> WriteResult(const Job& job, const JobSummary& summary, const Outcome& outcome,
                        const ValueOptions& options, Context& context) {
  ReportFailure(outcome, context);
  if (context.output.IsJson()) context.output.Document(ToDocument(summary, outcome));
  if (outcome.state == JobState::kSucceeded && summary.function) {
    Status written = WriteValue(job, outcome.value, options, context);
    if (!written && options.output) {
      Error error = std::move(written).error();
      error.hint = fmt::format("job {} succeeded; 'kinetic result {}' prints its value", summary.id,
                               summary.id);
      return Failure(std::move(error));
    }
    KINETIC_RETURN_IF_ERROR(written);
  } else if (outcome.state == JobState::kSucceeded) {
    KINETIC_RETURN_IF_ERROR(CheckHasValue(summary, options));
  }
  return outcome.exit_code;
}

}  // namespace kinetic::cli
