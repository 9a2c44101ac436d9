#include "kinetic/job_spec.h"

#include "kinetic/job_file.h"
#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/strings.h"
#include "jobspec/check_errors.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/context.h"
#include "json/bytes.h"
#include "json/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace kinetic::inline v0 {
namespace {

constexpr std::uint64_t kMaxJobFileBytes = 4U << 20;

Path CurrentDirectory() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored);
}

Path Absolute(const Path& path) { return (CurrentDirectory() / path).lexically_normal(); }

JobSpec SpecOf(Result<JobSpec> parsed) {
  if (parsed) return *std::move(parsed);
  JobSpec spec;
  spec.errors.push_back(std::move(parsed).error());
  return spec;
}

/// Returns a job with one key, checked like the key of a job file.
JobSpec JobWithKey(std::string source, std::string key, const Value& value) {
  JobFileOptions options;
  options.directory = CurrentDirectory();
  options.shortcuts = {{std::move(source), std::move(key), value.ToJson()}};
  return SpecOf(ParseJobFile({}, {}, options));
}

Status CheckUtf8(std::string_view text, const std::string& where) {
  if (IsUtf8(text)) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, jobspec::kNotUtf8));
}

Status CheckArray(const Value& content, const std::string& where) {
  const auto file = json::BytesIn(content);
  if (!file)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: $npy is not valid base64", where));
  auto checked = json::CheckNpy(file->view());
  return checked ? checked : Failure(std::move(checked).error().Context(where));
}

/// Checks that JSON can hold the text of a value, and that its arrays are complete.
Status CheckData(const Value& value, const std::string& where) {
  if (const auto* text = value.AsString()) return CheckUtf8(*text, where);
  if (const auto* list = value.AsList()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      KINETIC_RETURN_IF_ERROR(CheckData((*list)[i], fmt::format("{}[{}]", where, i)));
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return {};
  for (const auto& [key, member] : *map) {
    const bool is_array = map->size() == 1 && key == "$npy";
    if (is_array && (member.AsBytes() != nullptr || member.AsString() != nullptr))
      return CheckArray(member, where);
    const std::string inside = where + "." + Printable(key);
    KINETIC_RETURN_IF_ERROR(CheckUtf8(key, inside));
    KINETIC_RETURN_IF_ERROR(CheckData(member, inside));
  }
  return {};
}

Status CheckNamed(const JobSpec& spec, std::string_view name, const Value& value) {
  const std::string where = "args." + Printable(name);
  if (name.empty() || name.starts_with('$') || !IsUtf8(name))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("args: '{}' is not the name of an argument", Printable(name)));
  if (!spec.args.positional.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: the job has positional arguments", where),
                "use either positional or named arguments");
  if (spec.run && !jobspec::IsProgramArgument(value))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: expected a scalar or a list of scalars for a program", where));
  return CheckData(value, where);
}

}  // namespace

JobSpec JobSpec::Function(std::string_view function) {
  return JobWithKey("JobSpec::Function", "function", function);
}

JobSpec JobSpec::Command(const std::vector<std::string>& argv) {
  return JobWithKey("JobSpec::Command", "run", argv);
}

JobSpec JobSpec::FromFile(const std::filesystem::path& file) { return FromFile(file, {}); }

JobSpec JobSpec::FromFile(const std::filesystem::path& file, JobFileOptions options) {
  if (options.directory.empty()) options.directory = CurrentDirectory();
  const auto text = ReadRegularFile(PosixFileSystem(), options.directory / file, kMaxJobFileBytes);
  if (!text) return SpecOf(Failure(text.error()));
  return SpecOf(ParseJobFile(*text, file, options));
}

JobSpec& JobSpec::Arg(std::string_view argument, Value value) {
  if (auto checked = CheckNamed(*this, argument, value); !checked) {
    errors.push_back(std::move(checked).error());
    return *this;
  }
  const auto known =
      std::ranges::find_if(args.named, [&](const auto& one) { return one.first == argument; });
  if (known != args.named.end()) {
    known->second = std::move(value);
  } else {
    args.named.emplace_back(argument, std::move(value));
  }
  return *this;
}

JobSpec& JobSpec::Accelerator(std::string_view accelerator) {
  if (auto parsed = ParseAccelerator(accelerator)) {
    accelerators = {*std::move(parsed)};
  } else {
    errors.push_back(std::move(parsed).error().Context("accelerator"));
  }
  return *this;
}

JobSpec& JobSpec::Bundle(const std::filesystem::path& folder) {
  bundle.root = Absolute(folder);
  return *this;
}

JobSpec& JobSpec::Dependencies(const std::filesystem::path& file) {
  dependencies.file = Absolute(file);
  return *this;
}

}  // namespace kinetic::inline v0

namespace kinetic::jobspec {

Status CheckErrors(const JobSpec& spec) {
  if (spec.errors.empty()) return {};
  if (spec.errors.size() == 1) return Failure(spec.errors.front());
  std::vector<std::string> messages;
  messages.reserve(spec.errors.size());
  for (const Error& error : spec.errors) messages.push_back(error.message);
  return Failure(Error{spec.errors.front().code, Join(messages, "\n"), {}, {}}.With(
      "errors", std::to_string(messages.size())));
}

}  // namespace kinetic::jobspec
