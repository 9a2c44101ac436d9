#include "job/compare_jobs.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/unified_diff.h"
#include "bundle/read/tree_loader.h"
#include "env/lock.h"
#include "job/lifecycle/timeline.h"
#include "job/recorded_job.h"
#include "jobspec/serialize.h"
#include "record/job_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

using Kind = BundleChange::Kind;
using Property = JobDifference::Property;
using Item = JobDifference::Item;

/// Names and texts in the order in which they are shown.
using Texts = std::vector<std::pair<std::string, std::string>>;

std::string TextOf(const Value& value) {
  return value.AsString() != nullptr ? *value.AsString() : value.ToJson();
}

/// Adds the members of a map by their dotted paths: "resources.memory".
void Flatten(const std::string& path, const Value& value, Texts& texts) {
  const auto* map = value.AsMap();
  if (map == nullptr) return texts.emplace_back(path, TextOf(value)), void();
  for (const auto& [key, member] : *map)
    Flatten(path.empty() ? key : path + "." + key, member, texts);
}

/// Returns the keys of the job file, except those that are compared by their content.
Texts KeysOf(const record::Record& record) {
  JobSpec spec = record.spec;
  spec.args = {};
  spec.env = {};
  spec.secrets = {};
  Texts texts;
  Flatten("", jobspec::ToValue(spec), texts);
  return texts;
}

/// Returns the inputs of the environment, except for the dependencies, which the packages show.
void AddEnvironment(const record::Record& record, Texts& texts) {
  for (const auto& [name, value] : record.environment_inputs) {
    if (name != "dependencies" && name != "constraints" && name != "template")
      texts.emplace_back("environment: " + name, value);
  }
  texts.emplace_back("container image", record.environment_image);
}

std::string CommitOf(const record::Record& record) {
  return record.git ? record.git->commit : std::string();
}

Texts PropertiesOf(const record::Record& record) {
  Texts texts = KeysOf(record);
  AddEnvironment(record, texts);
  texts.emplace_back("profile", record.target);
  texts.emplace_back("runs on", record.target_identity);
  texts.emplace_back("submitted by", record.owner);
  texts.emplace_back("kinetic version", record.client_version);
  texts.emplace_back("git commit", CommitOf(record));
  texts.emplace_back("git branch", record.git ? record.git->branch : std::string());
  return texts;
}

Texts ArgumentTexts(const Arguments& arguments) {
  Texts texts;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    texts.emplace_back(fmt::format("[{}]", i), arguments.positional[i].ToJson());
  for (const auto& [name, value] : arguments.named) texts.emplace_back(name, value.ToJson());
  return texts;
}

/// Returns the texts that differ: those of `before` in their order, then the new ones.
std::vector<Property> CompareTexts(const Texts& before, const Texts& now) {
  const std::map<std::string, std::string> old(before.begin(), before.end());
  const std::map<std::string, std::string> current(now.begin(), now.end());
  std::vector<Property> changes;
  for (const auto& [name, text] : before) {
    const auto found = current.find(name);
    std::string other = found == current.end() ? std::string() : found->second;
    if (other != text) changes.push_back({name, text, std::move(other)});
  }
  for (const auto& [name, text] : now)
    if (!old.contains(name) && !text.empty()) changes.push_back({name, {}, text});
  return changes;
}

/// The words of a command after its program: options with their values, and the others.
struct CommandWords {
  std::vector<std::string> program;
  Texts options;
  std::vector<std::string> others;
};

/// Returns the value of an option for display: JSON, as in the arguments of a function.
std::string OptionValue(const std::string& word) {
  return Value::FromJson(word) ? word : Value(word).ToJson();
}

CommandWords WordsOf(const std::vector<std::string>& argv) {
  const auto begin = argv.begin() + static_cast<std::ptrdiff_t>(ProgramWords(argv));
  CommandWords words{{argv.begin(), begin}, {}, {}};
  for (auto word = begin; word != argv.end(); ++word) {
    const std::size_t equals = word->find('=');
    if (!word->starts_with('-')) {
      words.others.push_back(*word);
    } else if (equals != std::string::npos) {
      words.options.emplace_back(word->substr(0, equals), OptionValue(word->substr(equals + 1)));
    } else if (word + 1 != argv.end() && !(word + 1)->starts_with('-')) {
      words.options.emplace_back(*word, OptionValue(*(word + 1)));
      ++word;
    } else {
      words.options.emplace_back(*word, "true");
    }
  }
  return words;
}

bool HasRepeatedOption(const CommandWords& words) {
  const std::map<std::string, std::string> by_name(words.options.begin(), words.options.end());
  return by_name.size() != words.options.size();
}

/// Returns the words that differ, without the same ones at the beginning and at the end.
Property CompareWords(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  const auto [old, current] = std::ranges::mismatch(before, now);
  auto old_end = before.end();
  auto end = now.end();
  for (; old_end != old && end != current && *(old_end - 1) == *(end - 1); --old_end) --end;
  return {"run", fmt::format("{}", fmt::join(old, old_end, " ")),
          fmt::format("{}", fmt::join(current, end, " "))};
}

/// Replaces the lists of `run` by the options and words that differ.
void CompareCommands(const JobSpec& before, const JobSpec& now, JobDifference& difference) {
  if (!before.run || !now.run || before.run->argv.empty() || now.run->argv.empty()) return;
  if (before.run->argv == now.run->argv) return;
  std::erase_if(difference.properties, [](const Property& each) { return each.name == "run"; });
  const CommandWords old = WordsOf(before.run->argv);
  const CommandWords current = WordsOf(now.run->argv);
  auto options = CompareTexts(old.options, current.options);
  const bool has_options = old.program == current.program && old.others == current.others &&
                           !HasRepeatedOption(old) && !HasRepeatedOption(current) &&
                           !options.empty();
  if (has_options)
    std::ranges::move(options, std::back_inserter(difference.arguments));
  else
    difference.properties.push_back(CompareWords(before.run->argv, now.run->argv));
}

/// Compares contents by name, without keeping them.
std::vector<Item> CompareItems(const std::map<std::string, std::string>& before,
                               const std::map<std::string, std::string>& now) {
  std::vector<Item> items;
  for (const auto& [name, content] : before) {
    const auto found = now.find(name);
    if (found == now.end()) {
      items.push_back({Kind::kRemoved, name});
    } else if (found->second != content) {
      items.push_back({Kind::kModified, name});
    }
  }
  for (const auto& [name, content] : now)
    if (!before.contains(name)) items.push_back({Kind::kAdded, name});
  std::ranges::sort(items, {}, &Item::name);
  return items;
}

std::map<std::string, std::string> NamesOf(const std::vector<std::string>& names) {
  std::map<std::string, std::string> items;
  for (const auto& name : names) items.emplace(name, std::string());
  return items;
}

std::map<std::string, std::string> DataOf(const record::Record& record) {
  std::map<std::string, std::string> items;
  for (const auto& [path, data] : record.data) items.emplace(path, data.tree.Hex());
  for (const auto& [path, data] : record.listed_data) items.emplace(path, data.listing.Hex());
  return items;
}

Result<bundle::Tree> LoadCode(Context& context, const record::Record& record,
                              const std::stop_token& stop) {
  auto tree = bundle::LoadTree(*context.store, record.tree, stop);
  if (tree || tree.error().code != ErrorCode::kNotFound) return tree;
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot compare job {}: the store no longer has its code", record.id),
              CommitOf(record).empty() ? std::string()
                                       : "its commit is " + CommitOf(record) + ": see 'git diff'");
}

/// Compares the packages of two jobs with different environments.
Status ComparePackages(Context& context, const record::Record& before, const record::Record& now,
                       JobDifference& difference, const std::stop_token& stop) {
  if (before.environment_id == now.environment_id) return {};
  std::map<std::string, Property> packages;
  for (const auto& [record, version] :
       {std::pair(&before, &Property::before), std::pair(&now, &Property::now)}) {
    if (record->manifest_key.empty()) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto lock, FindLockOf(context, *record, stop));
    if (!lock) {
      difference.packages_unknown =
          fmt::format("the store no longer has the lock of job {}", record->id);
      return {};
    }
    for (const auto& package : lock->packages) {
      Property& compared = packages[package.name];
      compared.name = package.name;
      compared.*version = package.url.empty() ? package.version : package.url;
    }
  }
  for (auto& [name, package] : packages)
    if (package.before != package.now) difference.packages.push_back(std::move(package));
  return {};
}

/// Larger files are not compared by lines.
constexpr std::uint64_t kMaxComparedBytes = std::uint64_t{1} << 20;

/// Returns the text of a file, empty if it does not exist, or nullopt if it is not a text file of at
/// most kMaxComparedBytes.
Result<std::optional<std::string>> ReadText(Context& context, const bundle::Tree& tree,
                                            const std::string& path, const std::stop_token& stop) {
  const auto entry = std::ranges::find(tree.entries, path, &bundle::TreeEntry::path);
  if (entry == tree.entries.end()) return std::optional<std::string>("");
  if (entry->type == BundleEntry::Type::kSymlink)
    return std::optional<std::string>("link to " + entry->link_target + "\n");
  if (entry->type != BundleEntry::Type::kFile || entry->size_bytes > kMaxComparedBytes)
    return std::optional<std::string>();
  KINETIC_ASSIGN_OR_RETURN(
      std::string text, bundle::ReadContent(*context.store, tree, *entry, kMaxComparedBytes, stop));
  if (!IsUtf8(text) || text.find('\0') != std::string::npos) return std::optional<std::string>();
  return std::optional(std::move(text));
}

Result<std::vector<JobDifference::File>> CompareCode(Context& context, const record::Record& before,
                                                     const record::Record& now,
                                                     const CompareOptions& options,
                                                     const std::stop_token& stop) {
  if (before.tree == now.tree) return std::vector<JobDifference::File>();
  KINETIC_ASSIGN_OR_RETURN(const auto old, LoadCode(context, before, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto current, LoadCode(context, now, stop));
  auto files = CompareTrees(old, current);
  for (JobDifference::File& file : files) {
    if (!options.lines) break;
    KINETIC_ASSIGN_OR_RETURN(const auto old_text, ReadText(context, old, file.path, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto text, ReadText(context, current, file.path, stop));
    if (old_text && text) file.lines = UnifiedDiff(*old_text, *text);
  }
  return files;
}

/// Returns the arguments as texts: of an array one for each task.
Result<Texts> ReadArgumentTexts(Context& context, const record::Record& record,
                                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, ReadSpecOf(context, record, stop));
  const Value::List* over = spec.array ? spec.array->over.AsList() : nullptr;
  if (over == nullptr) return ArgumentTexts(spec.args);
  Texts texts;
  for (std::size_t i = 0; i < over->size(); ++i)
    texts.emplace_back(fmt::format("task {}", i), (*over)[i].ToJson());
  return texts;
}

/// Shortens a list of changed tasks.
std::vector<Property> FirstChanges(std::vector<Property> changes) {
  constexpr std::size_t kShown = 20;
  if (changes.size() <= kShown || !changes[kShown].name.starts_with("task ")) return changes;
  const std::string others = fmt::format("{} others differ", changes.size() - kShown);
  changes.erase(changes.begin() + kShown, changes.end());
  changes.push_back({"tasks", {}, others});
  return changes;
}

Result<std::vector<Property>> CompareArguments(Context& context, const record::Record& before,
                                               const record::Record& now,
                                               const std::stop_token& stop) {
  if (before.arguments == now.arguments) return std::vector<Property>();
  KINETIC_ASSIGN_OR_RETURN(const Texts old, ReadArgumentTexts(context, before, stop));
  KINETIC_ASSIGN_OR_RETURN(const Texts current, ReadArgumentTexts(context, now, stop));
  return FirstChanges(CompareTexts(old, current));
}

}  // namespace

std::vector<JobDifference::File> CompareTrees(const bundle::Tree& before, const bundle::Tree& now) {
  std::vector<JobDifference::File> files;
  auto old = before.entries.begin();
  const auto remove_until = [&](const auto& is_end) {
    for (; old != before.entries.end() && !is_end(*old); ++old)
      files.push_back({Kind::kRemoved, old->path, old->size_bytes, 0});
  };
  for (const auto& entry : now.entries) {
    remove_until([&](const bundle::TreeEntry& each) { return each.path >= entry.path; });
    if (old == before.entries.end() || old->path != entry.path) {
      files.push_back({Kind::kAdded, entry.path, 0, entry.size_bytes});
      continue;
    }
    if (!bundle::HaveSameContent(*old, entry))
      files.push_back({Kind::kModified, entry.path, old->size_bytes, entry.size_bytes});
    ++old;
  }
  remove_until([](const bundle::TreeEntry&) { return false; });
  return files;
}

std::vector<JobDifference::Duration> CompareDurations(const JobTimeline& before,
                                                      const JobTimeline& now) {
  std::map<Phase, JobDifference::Duration> phases;
  const auto add = [&](const JobTimeline& timeline,
                       std::optional<std::chrono::nanoseconds> JobDifference::Duration::* side) {
    for (const TimelineSpan& span : timeline.spans) {
      auto& duration = phases[span.phase];
      duration.phase = span.phase;
      if (!span.ended) continue;
      auto& total = duration.*side;
      total = total.value_or(std::chrono::nanoseconds(0)) + (*span.ended - span.begun);
    }
  };
  add(before, &JobDifference::Duration::before);
  add(now, &JobDifference::Duration::now);
  std::vector<JobDifference::Duration> durations;
  for (const auto& [phase, duration] : phases)
    if (duration.before || duration.now) durations.push_back(duration);
  return durations;
}

Result<JobDifference> CompareJobs(const JobInContext& before, const JobInContext& now,
                                  const CompareOptions& options, std::stop_token stop) {
  Context& context = now.context;
  KINETIC_ASSIGN_OR_RETURN(const auto old, RequireRecord(context, before.job.id, "compare", stop));
  KINETIC_ASSIGN_OR_RETURN(const auto current, RequireRecord(context, now.job.id, "compare", stop));
  JobDifference difference{.before = old.id, .now = current.id};
  difference.is_rerun = current.rerun_of == old.id;
  difference.properties = CompareTexts(PropertiesOf(old), PropertiesOf(current));
  KINETIC_ASSIGN_OR_RETURN(difference.code, CompareCode(context, old, current, options, stop));
  KINETIC_RETURN_IF_ERROR(ComparePackages(context, old, current, difference, stop));
  KINETIC_ASSIGN_OR_RETURN(difference.arguments, CompareArguments(context, old, current, stop));
  CompareCommands(old.spec, current.spec, difference);
  difference.variables = CompareItems(old.spec.env, current.spec.env);
  difference.secrets = CompareItems(NamesOf(old.secret_names), NamesOf(current.secret_names));
  difference.data = CompareItems(DataOf(old), DataOf(current));
  KINETIC_ASSIGN_OR_RETURN(const auto old_times, ReadTimeline(before.context, before.job, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto times, ReadTimeline(now.context, now.job, stop));
  difference.durations = CompareDurations(old_times, times);
  difference.state_before = old_times.state;
  difference.state_now = times.state;
  return difference;
}

}  // namespace kinetic::job
