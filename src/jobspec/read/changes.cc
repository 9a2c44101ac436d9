#include "jobspec/read/changes.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/tags.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::jobspec {
namespace {

constexpr std::string_view kPathTag = "$path";

/// Copies the value of one key.
struct KeyChange {
  std::string_view key;
  void (*copy)(const JobSpec& from, JobSpec& to);
};

void CopyRetryCauses(const JobSpec& from, JobSpec& to) {
  to.retry.on_preempted = from.retry.on_preempted;
  to.retry.on_infrastructure = from.retry.on_infrastructure;
  to.retry.on_exit_codes = from.retry.on_exit_codes;
}

constexpr std::array<KeyChange, 19> kChanges{{
    {"name", [](const JobSpec& from, JobSpec& to) { to.name = from.name; }},
    {"accelerator", [](const JobSpec& from, JobSpec& to) { to.accelerators = from.accelerators; }},
    {"function", [](const JobSpec& from, JobSpec& to) { to.function = from.function; }},
    {"run", [](const JobSpec& from, JobSpec& to) { to.run = from.run; }},
    {"secrets", [](const JobSpec& from, JobSpec& to) { to.secrets = from.secrets; }},
    {"resources.cpu",
     [](const JobSpec& from, JobSpec& to) { to.resources.cpu = from.resources.cpu; }},
    {"resources.memory",
     [](const JobSpec& from, JobSpec& to) {
       to.resources.memory_bytes = from.resources.memory_bytes;
     }},
    {"resources.disk",
     [](const JobSpec& from, JobSpec& to) { to.resources.disk_bytes = from.resources.disk_bytes; }},
    {"resources.shm",
     [](const JobSpec& from, JobSpec& to) { to.resources.shm_bytes = from.resources.shm_bytes; }},
    {"spot", [](const JobSpec& from, JobSpec& to) { to.spot = from.spot; }},
    {"flex_start", [](const JobSpec& from, JobSpec& to) { to.flex_start = from.flex_start; }},
    {"reservation", [](const JobSpec& from, JobSpec& to) { to.reservation = from.reservation; }},
    {"slices", [](const JobSpec& from, JobSpec& to) { to.slices = from.slices; }},
    {"retry.attempts",
     [](const JobSpec& from, JobSpec& to) { to.retry.attempts = from.retry.attempts; }},
    {"retry.on", CopyRetryCauses},
    {"timeouts.pending",
     [](const JobSpec& from, JobSpec& to) { to.timeouts.pending = from.timeouts.pending; }},
    {"timeouts.run", [](const JobSpec& from, JobSpec& to) { to.timeouts.run = from.timeouts.run; }},
    {"timeouts.grace",
     [](const JobSpec& from, JobSpec& to) { to.timeouts.grace = from.timeouts.grace; }},
    {"queue", [](const JobSpec& from, JobSpec& to) { to.queue = from.queue; }},
}};

/// Keys whose members are set one by one.
constexpr std::array<std::string_view, 6> kMaps{"args",  "env",  "resources",
                                                "retry", "tags", "timeouts"};

std::string_view FirstPart(std::string_view key) { return key.substr(0, key.find_first_of(".[")); }

bool CanChange(std::string_view key) {
  const std::string_view first = FirstPart(key);
  return std::ranges::find(kMaps, first) != kMaps.end() ||
         std::ranges::find(kChanges, first, &KeyChange::key) != kChanges.end();
}

/// Returns whether an option set the value, and not the text that ParseChanges parses.
bool IsFromOption(const SourcePosition& position) { return position.line == 0; }

/// Parses the options as those of a job file that has nothing but the kind of work.
Result<JobSpec> ParseChanges(const JobSpec& base, const JobFileOptions& options) {
  const std::string_view text = base.run ? "run: 'true'\n" : "function: job:main\n";
  KINETIC_ASSIGN_OR_RETURN(JobSpec changes, ParseJobFile(text, {}, options));
  std::erase_if(changes.positions,
                [](const auto& position) { return !IsFromOption(position.second); });
  return changes;
}

/// Returns the names of the keys that can be changed, sorted.
std::string ChangeableKeys() {
  std::set<std::string> names(kMaps.begin(), kMaps.end());
  for (const auto& change : kChanges) names.emplace(FirstPart(change.key));
  return Join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

Status CheckKeys(const JobSpec& changes) {
  for (const auto& [key, position] : changes.positions) {
    if (CanChange(key)) continue;
    const std::string first(FirstPart(key));
    return Fail(ErrorCode::kInvalidArgument,
                position.ToString() + ": " + first + " of an earlier job cannot be changed",
                "keys that can be changed: " + ChangeableKeys() +
                    "; to change others, submit the job from its files with 'kinetic run'");
  }
  return {};
}

/// Returns whether `value` contains a path that is not in the job's data.
bool HasLocalPath(const Value& value, const JobSpec& base) {
  if (const auto* list = value.AsList()) {
    return std::ranges::any_of(*list, [&](const Value& each) { return HasLocalPath(each, base); });
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return false;
  if (map->size() == 1 && map->front().first == kPathTag && map->front().second.AsString()) {
    const std::filesystem::path path = *map->front().second.AsString();
    return std::ranges::none_of(base.data, [&](const auto& data) {
      const auto rest = path.lexically_relative(data.first);
      return !rest.empty() && *rest.begin() != "..";
    });
  }
  return std::ranges::any_of(*map,
                             [&](const auto& each) { return HasLocalPath(each.second, base); });
}

Status CheckArgument(const JobSpec& base, const JobSpec& changes, const std::string& name,
                     const Value& value) {
  const auto position = changes.positions.find("args." + name);
  const std::string where =
      position == changes.positions.end() ? "args" : position->second.ToString();
  if (!base.args.positional.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                where + ": the job's arguments are positional, not named",
                "replace all of them: --set 'args=[1, 2]'");
  }
  if (!HasLocalPath(value, base)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              where + ": $path must name a file in the job's data, because no local files are sent",
              "to use another file, submit the job from its files with 'kinetic run'");
}

/// Sets `to` to `from`, or only the members that `from` has.
void Merge(const Value& from, Value& to) {
  const auto* members = from.AsMap();
  if (members == nullptr || to.AsMap() == nullptr) {
    to = from;
    return;
  }
  for (const auto& [key, value] : *members) {
    Value merged = value;
    if (const Value* old = to.Find(key)) {
      merged = *old;
      Merge(value, merged);
    }
    to.Set(key, std::move(merged));
  }
}

/// Returns whether an option sets a part of the argument: "--set args.model.size".
bool SetsPart(const JobSpec& changes, const std::string& name) {
  const auto position = changes.positions.find("args." + name);
  return position != changes.positions.end() &&
         position->second.file.starts_with("--set args." + name + ".");
}

Status ChangeArguments(const JobSpec& changes, JobSpec& spec) {
  if (!changes.args.positional.empty()) {
    for (const Value& value : changes.args.positional)
      KINETIC_RETURN_IF_ERROR(CheckArgument({.data = spec.data}, changes, "", value));
    spec.args = changes.args;
    return {};
  }
  Value named(spec.args.named);
  for (const auto& [name, value] : changes.args.named) {
    KINETIC_RETURN_IF_ERROR(CheckArgument(spec, changes, name, value));
    Value changed = value;
    if (const Value* old = named.Find(name); old != nullptr && SetsPart(changes, name)) {
      changed = *old;
      Merge(value, changed);
    }
    named.Set(name, std::move(changed));
  }
  spec.args.named = *named.AsMap();
  return {};
}

/// Adds the variables and the names of `--secret`.
Status ChangeEnvironment(const JobSpec& changes, JobSpec& spec) {
  for (const auto& [name, value] : changes.env) spec.env.insert_or_assign(name, value);
  if (!changes.positions.contains("secrets")) {
    for (const auto& name : changes.secrets) {
      if (std::ranges::find(spec.secrets, name) == spec.secrets.end()) spec.secrets.push_back(name);
    }
  }
  for (const auto& name : spec.secrets) {
    if (!spec.env.contains(name)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "secrets: " + Printable(name) + " is also in `env`; remove one of them");
  }
  return {};
}

Status ChangeTags(const JobSpec& changes, JobSpec& spec) {
  for (const auto& [name, value] : changes.tags) spec.tags.insert_or_assign(name, value);
  if (TagsBytes(spec.tags) <= kMaxTagsBytes) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "tags: the new job would have " + std::to_string(TagsBytes(spec.tags)) +
                  " bytes of names and values, more than " + std::to_string(kMaxTagsBytes),
              "to replace all tags, submit the job from its files with 'kinetic run'");
}

}  // namespace

Result<JobSpec> ChangeSpec(JobSpec base, const JobFileOptions& options) {
  KINETIC_ASSIGN_OR_RETURN(JobSpec changes, ParseChanges(base, options));
  KINETIC_RETURN_IF_ERROR(CheckKeys(changes));
  for (const auto& [key, copy] : kChanges) {
    if (changes.positions.contains(std::string(key))) copy(changes, base);
  }
  KINETIC_RETURN_IF_ERROR(ChangeArguments(changes, base));
  KINETIC_RETURN_IF_ERROR(ChangeEnvironment(changes, base));
  KINETIC_RETURN_IF_ERROR(ChangeTags(changes, base));
  base.positions = std::move(changes.positions);
  return base;
}

}  // namespace kinetic::jobspec
