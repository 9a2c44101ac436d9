#include "commands/job/definition_view.h"

#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace kinetic::cli {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kArgumentColumns = 100;

bool NeedsQuotes(std::string_view word) {
  constexpr std::string_view kPlain = "-_./:=,@%+";
  return word.empty() || !std::ranges::all_of(word, [&](unsigned char c) {
           return std::isalnum(c) != 0 || c >= 0x80 ||
                  kPlain.find(static_cast<char>(c)) != kPlain.npos;
         });
}

std::string QuotedWord(const std::string& word) {
  if (!NeedsQuotes(word)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string CommandLineText(const kinetic::Command& command) {
  if (!command.shell.empty()) return command.shell;
  std::string text;
  for (const std::string& word : command.argv) text += (text.empty() ? "" : " ") + QuotedWord(word);
  return text;
}

std::string ValueText(const Value& value) {
  const auto* text = value.AsString();
  const bool is_word = text != nullptr && !NeedsQuotes(*text);
  return Shortened(is_word ? *text : value.ToJson(), kArgumentColumns, true);
}

bool HasArray(const Value& value) {
  if (value.Find("$npy") != nullptr) return true;
  if (const auto* list = value.AsList()) return std::ranges::any_of(*list, HasArray);
  const auto* map = value.AsMap();
  return map != nullptr &&
         std::ranges::any_of(*map, [](const auto& member) { return HasArray(member.second); });
}

/// @param listed  the arguments as 'kinetic ps' shows them, which describes arrays; may be empty.
std::string ArgumentsText(const Arguments& arguments, const std::vector<std::string>& listed) {
  std::vector<std::string> texts;
  const bool is_listed = listed.size() == arguments.positional.size() + arguments.named.size();
  const auto add = [&](const std::string& name, const Value& value) {
    if (!HasArray(value)) return texts.push_back(name + ValueText(value));
    texts.push_back(is_listed ? listed[texts.size()] : name + "array");
  };
  for (const Value& value : arguments.positional) add("", value);
  for (const auto& [name, value] : arguments.named) add(name + "=", value);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string TagsText(const JobSpec& spec) {
  std::vector<std::string> texts;
  texts.reserve(spec.tags.size());
  for (const auto& [name, value] : spec.tags) texts.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ResourcesText(const Resources& resources) {
  std::vector<std::string> texts;
  if (resources.cpu) texts.push_back(fmt::format("{} CPUs", *resources.cpu));
  for (const auto& [name, bytes] :
       {std::pair("memory", resources.memory_bytes), std::pair("disk", resources.disk_bytes),
        std::pair("shm", resources.shm_bytes)})
    if (bytes) texts.push_back(fmt::format("{} {}", FormatBytes(*bytes), name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string PackagesText(const JobDefinition& definition) {
  if (!definition.packages) return {};
  const std::size_t count = *definition.packages;
  const std::string packages =
      count == 0 ? "none" : fmt::format("{} {}", count, count == 1 ? "package" : "packages");
  const auto& file = definition.spec.dependencies.file;
  const std::string from = file ? fmt::format(", {}", file->filename().string()) : std::string();
  return fmt::format("{} (Python {}{})", packages, definition.python, from);
}

std::string FolderText(const JobSpec& spec) {
  const std::string folder = spec.workdir.generic_string();
  return folder == "." ? std::string() : folder;
}

std::string CommitText(const JobDefinition& definition) {
  if (definition.commit.empty() || definition.branch.empty()) return definition.commit;
  return fmt::format("{} ({})", definition.commit, definition.branch);
}

std::string AcceleratorsText(const JobSpec& spec) {
  std::vector<std::string> names;
  for (const Accelerator& accelerator : spec.accelerators)
    if (accelerator.kind != AcceleratorKind::kCpu || spec.accelerators.size() > 1)
      names.push_back(accelerator.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string FunctionText(const JobSpec& spec) {
  if (!spec.function) return {};
  if (spec.function->IsNative()) return spec.function->callable;
  return spec.function->module + ":" + spec.function->callable;
}

Value BytesOrNull(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Number(*bytes) : Value();
}

Value CommandDocument(const std::optional<kinetic::Command>& command) {
  if (!command) return {};
  if (!command->shell.empty()) return command->shell;
  return Value::List(command->argv.begin(), command->argv.end());
}

Value ArgumentsDocument(const Arguments& arguments) {
  if (arguments.positional.empty()) return arguments.named;
  if (arguments.named.empty()) return arguments.positional;
  return Value::Map{{"positional", arguments.positional}, {"named", arguments.named}};
}

std::string FailuresText(std::uint32_t tolerated) {
  if (tolerated == 0) return "stops after the first failure";
  return fmt::format("stops after more than {} {}", tolerated,
                     tolerated == 1 ? "failure" : "failures");
}

Value ArrayDocument(const std::optional<ArraySpec>& array) {
  if (!array) return {};
  return Value::Map{{"count", array->count},
                    {"parallel", array->parallel == 0 ? Value() : Value(array->parallel)},
                    {"max_failed", array->max_failed ? Value(*array->max_failed) : Value()},
                    {"tasks_per_pod", array->tasks_per_pod}};
}

Value ResourcesDocument(const Resources& resources) {
  return Value::Map{{"cpu", resources.cpu ? Value(*resources.cpu) : Value()},
                    {"memory_bytes", BytesOrNull(resources.memory_bytes)},
                    {"disk_bytes", BytesOrNull(resources.disk_bytes)},
                    {"shm_bytes", BytesOrNull(resources.shm_bytes)}};
}

}  // namespace

std::string ArrayText(const ArraySpec& array) {
  std::string text = fmt::format("{} {}", array.count, array.count == 1 ? "task" : "tasks");
  if (array.parallel != 0) text += fmt::format(", {} at a time", array.parallel);
  if (array.tasks_per_pod > 1) text += fmt::format(", {} per pod", array.tasks_per_pod);
  if (array.max_failed) text += ", " + FailuresText(*array.max_failed);
  return text;
}

std::string ArgumentSetText(const Value& set) {
  Arguments arguments;
  if (const auto* list = set.AsList()) {
    arguments.positional = *list;
  } else if (set.AsMap() != nullptr) {
    arguments.named = *set.AsMap();
  } else {
    arguments.positional = {set};
  }
  return ArgumentsText(arguments, {});
}

Fields DefinitionFields(const JobDefinition& definition, const JobSummary& summary) {
  const JobSpec& spec = definition.spec;
  Fields fields;
  const auto add = [&](const char* name, std::string text) {
    if (!text.empty()) fields.emplace_back(name, std::move(text));
  };
  add("function", FunctionText(spec));
  if (spec.run) add("command", CommandLineText(*spec.run));
  add("arguments", ArgumentsText(spec.args, summary.arguments));
  if (spec.array) add("array", ArrayText(*spec.array));
  add("tags", TagsText(spec));
  add("folder", FolderText(spec));
  add("commit", CommitText(definition));
  add("requested", AcceleratorsText(spec));
  add("resources", ResourcesText(spec.resources));
  add("packages", PackagesText(definition));
  add("image", definition.image);
  add("rerun of", definition.rerun_of);
  return fields;
}

void AddDefinition(const std::optional<JobDefinition>& definition, Value& document) {
  const JobDefinition none;
  const JobDefinition& from = definition ? *definition : none;
  const auto set = [&](const char* name, Value value) {
    document.Set(name, definition ? std::move(value) : Value());
  };
  set("function", TextOrNull(FunctionText(from.spec)));
  set("command", CommandDocument(from.spec.run));
  set("arguments", ArgumentsDocument(from.spec.args));
  set("array", ArrayDocument(from.spec.array));
  set("folder", TextOrNull(from.spec.workdir.generic_string()));
  set("commit", TextOrNull(from.commit));
  set("branch", TextOrNull(from.branch));
  set("resources", ResourcesDocument(from.spec.resources));
  set("python", TextOrNull(from.python));
  set("packages", from.packages ? Number(*from.packages) : Value());
  set("image", TextOrNull(from.image));
  set("rerun_of", TextOrNull(from.rerun_of));
}

}  // namespace kinetic::cli
