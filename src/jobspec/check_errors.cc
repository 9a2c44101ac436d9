#include "jobspec/check_errors.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/schema/shape.h"
#include "jobspec/schema/variable_names.h"
#include "jobspec/tags.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::jobspec {
namespace {

Failure Invalid(std::string message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}

Status CheckTime(std::string_view key, std::optional<std::chrono::milliseconds> time,
                 std::chrono::milliseconds least) {
  if (!time || *time >= least) return {};
  return Invalid(
      fmt::format("{}: found {} ms, expected at least {} ms", key, time->count(), least.count()));
}

Status CheckCount(std::string_view key, std::uint32_t count, std::uint32_t most) {
  if (count >= 1 && count <= most) return {};
  return Invalid(fmt::format("{}: found {}, expected 1 to {}", key, count, most));
}

Status CheckTags(const std::map<std::string, std::string>& tags) {
  for (const auto& [name, value] : tags) {
    if (!kTagName.accepts(name))
      return Invalid(fmt::format("tags: '{}' is not a valid name", Printable(name)),
                     "use 1 to 63 letters, digits, '.', '_' or '-'");
    if (!IsTagValue(value))
      return Invalid(fmt::format("tags.{}: '{}' is not a valid value", name, Printable(value)),
                     "use 1 to 63 characters in one line");
  }
  if (TagsBytes(tags) <= kMaxTagsBytes) return {};
  return Invalid(fmt::format("tags: found {} bytes of names and values, expected at most {}",
                             TagsBytes(tags), kMaxTagsBytes));
}

Status CheckArray(const ArraySpec& array) {
  KINETIC_RETURN_IF_ERROR(CheckCount("array.count", array.count, kMaxTasks));
  if (array.parallel != 0)
    KINETIC_RETURN_IF_ERROR(CheckCount("array.parallel", array.parallel, kMaxTasks));
  KINETIC_RETURN_IF_ERROR(CheckCount("array.tasks_per_pod", array.tasks_per_pod, kMaxTasks));
  if (array.over.IsNull()) return {};
  const auto* sets = array.over.AsList();
  if (sets == nullptr) return Invalid("array.over: expected a list of argument sets");
  if (sets->size() == array.count) return {};
  return Invalid(fmt::format("array.count: found {}, expected {}, the length of `over`",
                             array.count, sets->size()));
}

/// Checks members that a program can set to what no job file can have.
Status CheckMembers(const JobSpec& spec) {
  using std::chrono::milliseconds;
  if (!spec.name.empty() && !IsJobName(spec.name))
    return Invalid(fmt::format("name: '{}' is not valid", Printable(spec.name)),
                   "use up to 63 lower-case letters, digits, '-', '_' and '.'");
  KINETIC_RETURN_IF_ERROR(CheckTags(spec.tags));
  KINETIC_RETURN_IF_ERROR(CheckCount("retry.attempts", spec.retry.attempts, kMaxAttempts));
  if (spec.array) KINETIC_RETURN_IF_ERROR(CheckArray(*spec.array));
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.pending", spec.timeouts.pending, milliseconds{1}));
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.run", spec.timeouts.run, milliseconds{1}));
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.grace", spec.timeouts.grace, milliseconds{0}));
  if (const auto& cpu = spec.resources.cpu; cpu && !(*cpu >= kMinCpu && *cpu <= kMaxCpu))
    return Invalid(
        fmt::format("resources.cpu: found {}, expected {} to {}", *cpu, kMinCpu, kMaxCpu));
  if (!spec.max_cost.empty() && !IsCost(spec.max_cost))
    return Invalid(
        fmt::format("max_cost: found '{}', expected an amount and a currency, such as "
                    "20 USD",
                    Printable(spec.max_cost)));
  for (const auto& variable : spec.env) {
    if (!IsVariableName(variable.first))
      return Invalid(
          fmt::format("env: '{}' is not the name of a variable", Printable(variable.first)));
    KINETIC_RETURN_IF_ERROR(CheckVariable(variable.first));
  }
  return {};
}

}  // namespace

Status CheckErrors(const JobSpec& spec) {
  if (spec.errors.empty()) return CheckMembers(spec);
  if (spec.errors.size() == 1) return Failure(spec.errors.front());
  std::vector<std::string> messages;
  messages.reserve(spec.errors.size());
  for (const Error& error : spec.errors) messages.push_back(error.message);
  return Failure(Error{spec.errors.front().code, Join(messages, "\n"), {}, {}}.With(
      "errors", std::to_string(messages.size())));
}

Status CheckJob(const JobSpec& spec) {
  KINETIC_RETURN_IF_ERROR(CheckErrors(spec));
  const bool has_other = spec.run.has_value() || !spec.steps.IsNull();
  if (spec.function && has_other)
    return Invalid("the job has both a function and a program", "remove one of them");
  if (!spec.function && !has_other)
    return Invalid("the job has no function and no program",
                   "make it with JobSpec::Function, Call, Command or FromFile");
  if (spec.directory.empty())
    return Fail(ErrorCode::kFailedPrecondition, "the current directory no longer exists",
                "change to another folder, or set JobSpec::directory");
  if (spec.accelerators.empty())
    return Invalid("the job has no accelerator", "add one: JobSpec::Accelerator(\"cpu\")");
  return {};
}

}  // namespace kinetic::jobspec
