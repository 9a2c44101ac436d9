#include "kinetic/job_spec.h"

#include "kinetic/job_file.h"
#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/strings.h"
#include "jobspec/check_value.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
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

JobSpec InvalidSpec(Error error) {
  JobSpec spec;
  spec.errors.push_back(std::move(error));
  return spec;
}

JobSpec SpecOf(Result<JobSpec> parsed) {
  return parsed ? *std::move(parsed) : InvalidSpec(std::move(parsed).error());
}

Status CheckNamed(const JobSpec& spec, std::string_view name, const Value& value) {
  const std::string where = "args." + Printable(name);
  if (name.empty() || name.starts_with('$') || !IsUtf8(name))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("args: '{}' is not the name of an argument", Printable(name)));
  if (spec.function && spec.function->IsNative())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a C++ function takes arguments by position", where),
                "pass them to JobSpec::Call");
  if (!spec.args.positional.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: the job has positional arguments", where),
                "use either positional or named arguments");
  if (spec.run && !jobspec::IsProgramArgument(value))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: expected a scalar or a list of scalars for a program", where));
  return jobspec::CheckValue(value, where);
}

/// Returns a job with one key, checked like the key of a job file.
JobSpec JobWithKey(std::string source, std::string key, const Value& value) {
  if (auto checked = jobspec::CheckValue(value, source); !checked)
    return InvalidSpec(std::move(checked).error());
  JobFileOptions options;
  options.directory = CurrentDirectory();
  options.shortcuts = {{std::move(source), std::move(key), value.ToJson()}};
  return SpecOf(ParseJobFile({}, {}, options));
}

constexpr std::array<std::string_view, 3> kShells{"sh", "bash", "dash"};

/// Returns whether a program is Python: python, python3, python3.12.
bool IsPython(std::string_view name) {
  if (!name.starts_with("python")) return false;
  name.remove_prefix(6);
  return std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
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
  if (!text) return InvalidSpec(text.error());
  return SpecOf(ParseJobFile(*text, file, options));
}

const Value* Arguments::Find(std::string_view argument) const {
  const auto found = std::ranges::find(named, argument, &Value::Map::value_type::first);
  return found == named.end() ? nullptr : &found->second;
}

JobSpec& JobSpec::Arg(std::string_view argument, Value value) & {
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

JobSpec JobSpec::Arg(std::string_view argument, Value value) && {
  return std::move(Arg(argument, std::move(value)));
}

JobSpec& JobSpec::Accelerator(std::string_view accelerator) & {
  if (auto parsed = ParseAccelerator(accelerator)) {
    accelerators = {*std::move(parsed)};
  } else {
    errors.push_back(std::move(parsed).error().Context("accelerator"));
  }
  return *this;
}

JobSpec JobSpec::Accelerator(std::string_view accelerator) && {
  return std::move(Accelerator(accelerator));
}

JobSpec& JobSpec::Bundle(const std::filesystem::path& folder) & {
  bundle.root = Absolute(folder);
  return *this;
}

JobSpec JobSpec::Bundle(const std::filesystem::path& folder) && {
  return std::move(Bundle(folder));
}

JobSpec& JobSpec::Dependencies(const std::filesystem::path& file) & {
  dependencies.file = Absolute(file);
  return *this;
}

JobSpec JobSpec::Dependencies(const std::filesystem::path& file) && {
  return std::move(Dependencies(file));
}

std::size_t ProgramWords(const std::vector<std::string>& argv) {
  if (argv.empty()) return 0;
  const std::string program = std::filesystem::path(argv.front()).filename();
  if (!IsPython(program) && std::ranges::find(kShells, program) == kShells.end()) return 1;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const bool has_text = argv[i] == "-m" || argv[i] == "-c";
    if (has_text) return std::min(i + 2, argv.size());
    const bool has_value = argv[i] == "-W" || argv[i] == "-X" || argv[i] == "-o";
    if (has_value) ++i;
    if (!has_value && !argv[i].starts_with('-')) return i + 1;
  }
  return argv.size();
}

}  // namespace kinetic::inline v0
