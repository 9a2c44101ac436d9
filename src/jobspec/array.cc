#include "jobspec/array.h"

#include "kinetic/printable.h"

#include "jobspec/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::jobspec {
namespace {

Failure Mixed(std::uint32_t task, const char* own, const char* given) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("array.over: the arguments of task {} are {}, those in `args` are {}",
                          task, own, given),
              "name all arguments, or pass all by position");
}

/// Returns whether the argument set of a task has the argument, which otherwise comes from `args`.
bool HasArgument(const JobSpec& spec, std::uint32_t task, std::string_view argument) {
  const Value::List* over = spec.array ? spec.array->over.AsList() : nullptr;
  return over != nullptr && task < over->size() && HasNames((*over)[task]) &&
         (*over)[task].Find(argument) != nullptr;
}

}  // namespace

bool HasNames(const Value& set) {
  const auto* map = set.AsMap();
  return map != nullptr && (map->size() != 1 || !map->front().first.starts_with('$'));
}

std::vector<std::string> FormOf(const Value& set) {
  if (!HasNames(set)) {
    const auto* list = set.AsList();
    return {fmt::format("#{}", list == nullptr ? 1 : list->size())};
  }
  std::vector<std::string> names;
  for (const auto& member : *set.AsMap()) names.push_back(member.first);
  std::ranges::sort(names);
  return names;
}

std::string TaskKey(const JobSpec& spec, std::uint32_t task, std::string_view argument) {
  const std::string set = fmt::format("array.over[{}]", task);
  const auto has_position = [&](const std::string& key) { return spec.positions.contains(key); };
  const std::string nearest = has_position(set) ? set : "array.over";
  if (argument.empty()) return KeyWithPosition(spec, nearest);
  if (!HasArgument(spec, task, argument))
    return KeyWithPosition(spec, fmt::format("args.{}", argument));
  const std::string own = fmt::format("{}.{}", set, argument);
  const std::string axis = fmt::format("array.over.{}", argument);
  if (has_position(own) || has_position(axis))
    return KeyWithPosition(spec, has_position(own) ? own : axis);
  const auto position = spec.positions.find(nearest);
  const std::string place =
      position == spec.positions.end() ? "" : position->second.ToString() + ": ";
  return place + Printable(own);
}

Result<Arguments> ArgumentsOfTask(const JobSpec& spec, std::uint32_t task) {
  Arguments args = spec.args;
  const Value::List* over = spec.array ? spec.array->over.AsList() : nullptr;
  if (over == nullptr) return args;
  if (task >= over->size()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("array.over: there is no task {}", task));
  }
  const Value& own = (*over)[task];
  if (HasNames(own)) {
    if (!args.positional.empty()) return Mixed(task, "named", "positional");
    for (const auto& [name, value] : *own.AsMap()) {
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
