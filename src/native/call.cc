#include "kinetic/exceptions.h"
#include "kinetic/function.h"

#include "jobspec/check_value.h"
#include "jobspec/read/job_file.h"
#include "native/registry.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace kinetic::inline v0::native {
namespace {

Status CheckCallable(const std::optional<Callable>& callable) {
  if (!callable)
    return Fail(ErrorCode::kInvalidArgument,
                "cannot call the function as a job: it is not registered; this program has " +
                    ListFunctions(),
                "add KINETIC_FUNCTION(name); after its definition");
  if (callable->is_late)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("cannot call {} as a job: it was registered after "
                            "kinetic::InitFunctions, with which a job begins",
                            callable->name),
                "link its library with the program instead of loading it with dlopen");
  return CheckNames();
}

}  // namespace

Value WholeNumber(double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (number != std::trunc(number) || number < -kLimit || number >= 2 * kLimit) return number;
  return number < kLimit ? Value(static_cast<std::int64_t>(number))
                         : Value(static_cast<std::uint64_t>(number));
}

JobSpec MakeCall(void (*function)(), Result<Value::List> arguments) {
  JobSpec spec;
  spec.accelerators = {*ParseAccelerator("cpu")};
  std::error_code ignored;
  spec.directory = std::filesystem::current_path(ignored);
  spec.dependencies.none = true;
  const std::optional<Callable> callable = FindByAddress(function);
  spec.function.emplace().callable = callable ? callable->name : "?";
  spec.name = jobspec::DeriveName(spec, {});
  const auto reject = [&](Error error) {
    spec.errors.push_back(std::move(error).Context(spec.function->callable));
  };
  if (arguments)
    spec.args.positional = *std::move(arguments);
  else
    reject(std::move(arguments).error());
  for (std::size_t i = 0; i < spec.args.positional.size(); ++i) {
    auto checked =
        jobspec::CheckValue(spec.args.positional[i], "argument " + std::to_string(i + 1));
    if (!checked) reject(std::move(checked).error());
  }
  if (auto checked = CheckCallable(callable); !checked)
    spec.errors.push_back(std::move(checked).error());
  return spec;
}

JobSpec MakeCalls(void (*function)(), std::vector<Result<Value::List>> arguments) {
  JobSpec spec = MakeCall(function, Value::List());
  const auto reject = [&](Error error, std::size_t task) {
    spec.errors.push_back(
        std::move(error).Context("input " + std::to_string(task)).Context(spec.function->callable));
  };
  Value::List over;
  over.reserve(arguments.size());
  for (std::size_t task = 0; task < arguments.size() && spec.errors.empty(); ++task) {
    if (!arguments[task]) {
      reject(std::move(arguments[task]).error(), task);
      continue;
    }
    Value call(*std::move(arguments[task]));
    auto checked = jobspec::CheckValue(call, "arguments");
    if (!checked) reject(std::move(checked).error(), task);
    over.push_back(std::move(call));
  }
  spec.array.emplace().count = static_cast<std::uint32_t>(over.size());
  spec.array->over = std::move(over);
  if (arguments.empty()) {
    spec.errors.push_back({ErrorCode::kInvalidArgument,
                           "cannot call " + spec.function->callable + ": there are no inputs",
                           {},
                           {}});
  }
  return spec;
}

void ThrowReturned(Error error) { throw ErrorException(std::move(error)); }

Failure ArgumentError(Error error, std::size_t index) {
  return Failure(std::move(error).Context("argument " + std::to_string(index + 1)));
}

Failure WrongArgumentCount(std::size_t expected, std::size_t found) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("expected {} argument{}, found {}", expected,
                                                       expected == 1 ? "" : "s", found));
}

}  // namespace kinetic::inline v0::native
