#include "base/strings.h"
#include "jobspec/read/context.h"

#include <array>

namespace kinetic::jobspec {
namespace {

using json::YamlMember;
using json::YamlNode;

void ReadFunction(const YamlNode& node, const ReadContext& context, JobSpec& spec) {
  const auto text = TextOf(&node);
  const auto colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) return;
  spec.function = {text->substr(0, colon), text->substr(colon + 1)};
  const std::string& module = spec.function->module;
  if (module.ends_with(".py")) {
    context.diagnostics.Add(node, "function: " + module + " is a file name; use the module name " +
                                      module.substr(0, module.size() - 3));
  }
}

/// Checks that a job has exactly one of function, run and steps.
void CheckOneOf(const YamlNode& root, const ReadContext& context) {
  static constexpr std::array<std::string_view, 3> kWork{"function", "run", "steps"};
  std::string_view first;
  for (const auto key : kWork) {
    const YamlNode* node = Find(root, key);
    if (node == nullptr) continue;
    if (!first.empty()) {
      context.diagnostics.Add(
          *node, std::string(key) + ": cannot be combined with `" + std::string(first) + "`");
    }
    first = key;
  }
  // A misspelt key is reported as such.
  if (first.empty() && context.diagnostics.ok()) {
    context.diagnostics.Add(root, "nothing to run; add `function` or `run`, or a command after --");
  }
}

/// Checks that the arguments of a command can be written as words.
void CheckWords(const YamlNode& args, const ReadContext& context, const Arguments& read) {
  const auto reject = [&](const YamlNode& at, const std::string& where,
                          const std::string& expected) {
    context.diagnostics.Add(
        at, where + ": found " + Found(at) + " in arguments of `run`, expected " + expected);
  };
  // Arguments read from one file have no positions of their own.
  const bool items = args.items.size() == read.positional.size();
  for (std::size_t i = 0; i < read.positional.size(); ++i) {
    if (IsCommandWord(read.positional[i])) continue;
    reject(items ? args.items[i] : args, "args[" + std::to_string(i) + "]",
           "a string, number or boolean");
  }
  const bool members = args.members.size() == read.named.size();
  for (std::size_t i = 0; i < read.named.size(); ++i) {
    const auto& [name, value] = read.named[i];
    if (!IsOptionName(name)) {
      reject(members ? args.members[i].key : args, "args", "the name of an option without dashes");
    }
    if (!IsProgramArgument(value)) {
      reject(members ? args.members[i].value : args, "args." + name,
             "a scalar or a list of scalars");
    }
  }
}

/// Reads arguments that are written out or come from one file.
void ReadInto(const YamlNode& node, const ReadContext& context, ArgumentReader& reader,
              Arguments& args) {
  const auto is_reference = [](const YamlMember& member) {
    return member.key.text.starts_with('$');
  };
  const bool from_file = node.members.size() == 1 && is_reference(node.members[0]);
  if (node.kind == YamlNode::Kind::kList || from_file) {
    const Value value = reader.Read(node, "args");
    const auto* map = value.AsMap();
    if (const auto* list = value.AsList()) args.positional = *list;
    if (map != nullptr && !(map->size() == 1 && map->front().first.starts_with('$'))) {
      args.named = *map;
    } else if (value.AsList() == nullptr && !value.IsNull()) {
      context.diagnostics.Add(node, "args: the file must contain a map or a list of arguments");
    }
    return;
  }
  for (const auto& member : node.members) {
    if (is_reference(member)) {
      context.diagnostics.Add(member.key, "args: invalid name " + Found(member.key) +
                                              "; argument names cannot start with $");
      continue;
    }
    args.named.emplace_back(member.key.text, reader.Read(member.value, "args." + member.key.text));
  }
}

}  // namespace

bool IsCommandWord(const Value& value) {
  if (const auto* map = value.AsMap()) {
    return map->size() == 1 && map->front().first.starts_with('$') &&
           map->front().second.AsString() != nullptr;
  }
  return !value.IsNull() && value.AsList() == nullptr;
}

bool IsOptionName(std::string_view name) {
  return !name.empty() && !name.starts_with('-') &&
         name.find_first_of(std::string_view("= \t\n\0", 5)) == std::string_view::npos;
}

bool IsProgramArgument(const Value& value) {
  const auto* list = value.AsList();
  return list == nullptr ? value.IsNull() || IsCommandWord(value)
                         : std::all_of(list->begin(), list->end(), IsCommandWord);
}

void ReadWork(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  CheckOneOf(root, context);
  if (const auto* function = Find(root, "function")) ReadFunction(*function, context, spec);
  if (const auto* run = Find(root, "run")) {
    spec.run = Command{TextOf(run).value_or(""), TextsOf(run, true)};
  }
  if (const auto* steps = Find(root, "steps")) spec.steps = json::ToValue(*steps);
}

void ReadArguments(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  context.has_function = spec.function.has_value();
  ArgumentReader reader(context);
  if (const auto* args = Find(root, "args")) {
    if (Find(root, "steps") != nullptr) {
      context.diagnostics.Add(*args,
                              "args: cannot be combined with `steps`; set args in each step");
    }
    ReadInto(*args, context, reader, spec.args);
    if (spec.run) CheckWords(*args, context, spec.args);
  }
}

}  // namespace kinetic::jobspec
