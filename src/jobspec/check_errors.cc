#include "jobspec/check_errors.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/schema/shape.h"
#include "jobspec/schema/variable_names.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::jobspec {
namespace {

Failure Invalid(std::string message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}

Status CheckTime(std::string_view key, std::optional<std::chrono::milliseconds> time) {
  if (!time || time->count() >= 0) return {};
  return Invalid(fmt::format("{}: found {} ms, expected a positive time", key, time->count()));
}

Status CheckVariable(const std::string& name) {
  if (!IsVariableName(name))
    return Invalid(fmt::format("env: '{}' is not the name of a variable", Printable(name)));
  if (LooksSecret(name))
    return Invalid(fmt::format("env: {} looks like a secret, and env is stored with the job", name),
                   "list it in JobSpec::secrets");
  return {};
}

/// Checks members that a program can set to what no job file can have.
Status CheckMembers(const JobSpec& spec) {
  const int works = int{spec.function.has_value()} + int{spec.run.has_value()};
  if (works != 1 && spec.steps.IsNull())
    return Invalid(works == 0 ? "the job has no function and no program"
                              : "the job has both a function and a program",
                   "make it with JobSpec::Function, Call, Command or FromFile");
  if (!spec.name.empty() && !IsLabel(spec.name))
    return Invalid(fmt::format("name: '{}' is not valid", Printable(spec.name)),
                   "use up to 63 lower-case letters, digits and hyphens");
  if (spec.retry.attempts == 0) return Invalid("retry.attempts: found 0, expected at least 1");
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.pending", spec.timeouts.pending));
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.run", spec.timeouts.run));
  KINETIC_RETURN_IF_ERROR(CheckTime("timeouts.grace", spec.timeouts.grace));
  for (const auto& variable : spec.env) KINETIC_RETURN_IF_ERROR(CheckVariable(variable.first));
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

}  // namespace kinetic::jobspec
