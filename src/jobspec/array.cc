#include "jobspec/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::jobspec {
namespace {

/// A reference to a file or an array is one value: {"$path": …}.
bool IsReference(const Value::Map& map) {
  return map.size() == 1 && map.front().first.starts_with('$');
}

Failure Mixed(std::uint32_t task, const char* own, const char* given) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("array.over: the arguments of task {} are {}, those in `args` are {}",
                          task, own, given),
              "name all arguments, or pass all by position");
}

}  // namespace

Result<Arguments> ArgumentsOfTask(const JobSpec& spec, std::uint32_t task) {
  Arguments args = spec.args;
  const Value::List* over = spec.array ? spec.array->over.AsList() : nullptr;
  if (over == nullptr) return args;
  if (task >= over->size()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("array.over: there is no task {}", task));
  }
  const Value& own = (*over)[task];
  const auto* named = own.AsMap();
  if (named != nullptr && !IsReference(*named)) {
    if (!args.positional.empty()) return Mixed(task, "named", "positional");
    for (const auto& [name, value] : *named) {
      const auto same = std::ranges::find(args.named, name, &std::pair<std::string, Value>::first);
      if (same == args.named.end()) {
        args.named.emplace_back(name, value);
      } else {
        same->second = value;
      }
    }
    return args;
  }
  if (!args.named.empty()) return Mixed(task, "positional", "named");
  const auto* list = own.AsList();
  args.positional = list != nullptr ? *list : Value::List{own};
  return args;
}

}  // namespace kinetic::jobspec
