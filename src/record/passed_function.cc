#include "record/passed_function.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::record {
namespace {

/// Returns the arguments in the arguments document of a function that is passed by value.
Arguments ArgumentsIn(const Arguments& document) {
  Arguments arguments;
  const Value* positional = document.Find("positional");
  const Value* named = document.Find("named");
  if (positional != nullptr && positional->AsList() != nullptr)
    arguments.positional = *positional->AsList();
  if (named != nullptr && named->AsMap() != nullptr) arguments.named = *named->AsMap();
  return arguments;
}

/// Returns the arguments of a task as an entry of ArraySpec::over.
Value EntryOf(Arguments arguments) {
  if (arguments.named.empty()) return std::move(arguments.positional);
  if (!arguments.positional.empty())
    arguments.named.emplace(arguments.named.begin(), "positional", std::move(arguments.positional));
  return std::move(arguments.named);
}

}  // namespace

std::optional<Arguments> PassedArguments(const JobSpec& spec) {
  if (!spec.function || spec.function->module != kPassedFunctionModule) return std::nullopt;
  return ArgumentsIn(spec.args);
}

JobSpec AsWritten(JobSpec spec) {
  std::optional<Arguments> arguments = PassedArguments(spec);
  if (!arguments) return spec;
  const Value* name = spec.args.Find("name");  // absent in records of earlier versions
  if (name != nullptr && name->AsString() != nullptr) {
    const std::string& text = *name->AsString();
    const std::size_t colon = std::min(text.find(':'), text.size());
    spec.function = {text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))};
  }
  spec.args = *std::move(arguments);
  Value::List* sets = spec.array ? spec.array->over.AsList() : nullptr;
  if (sets == nullptr) return spec;
  for (Value& set : *sets)
    if (auto* named = set.AsMap())
      set = EntryOf(ArgumentsIn({.positional = {}, .named = std::move(*named)}));
  return spec;
}

}  // namespace kinetic::record
