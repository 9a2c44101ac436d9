#include "base/strings.h"
#include "spec/read_args.h"
#include "spec/read_job.h"

#include <array>

namespace kinetic::spec {
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
    context.diagnostics.Add(node, "function: found the file name " + module +
                                      ", expected the module " +
                                      module.substr(0, module.size() - 3));
  }
}

/// A job does exactly one thing.
void CheckOneOf(const YamlNode& root, const ReadContext& context) {
  static constexpr std::array<std::string_view, 3> kWork{"function", "run", "steps"};
  std::string_view first;
  for (const auto key : kWork) {
    const YamlNode* node = Find(root, key);
    if (node == nullptr) continue;
    if (!first.empty()) {
      context.diagnostics.Add(*node, "found " + std::string(key) + " beside " + std::string(first) +
                                         ", expected one of function, run and steps");
    }
    first = key;
  }
  if (first.empty()) {
    context.diagnostics.Add(root,
                            "found nothing to run, expected function, run, or a command after --");
  }
}

/// Whether a value is one word: a scalar, a path, or a number that JSON does not have.
bool IsWord(const Value& value) {
  if (const auto* map = value.AsMap()) {
    return map->size() == 1 && map->front().first.starts_with('$') &&
           map->front().second.AsString() != nullptr;
  }
  return !value.IsNull() && value.AsList() == nullptr;
}

/// Arguments of a command have to be words.
void CheckWords(const YamlNode& args, const ReadContext& context, const Arguments& read) {
  const auto reject = [&](const YamlNode& at, const std::string& where,
                          const std::string& expected) {
    context.diagnostics.Add(
        at, where + ": found " + Found(at) + " for a command line, expected " + expected);
  };
  // Arguments that came from a file as a whole have no places of their own.
  const bool items = args.items.size() == read.positional.size();
  for (std::size_t i = 0; i < read.positional.size(); ++i) {
    if (IsWord(read.positional[i])) continue;
    reject(items ? args.items[i] : args, "args[" + std::to_string(i) + "]",
           "a string, a number, true or false");
  }
  const bool members = args.members.size() == read.named.size();
  for (std::size_t i = 0; i < read.named.size(); ++i) {
    const auto& [name, value] = read.named[i];
    if (name.starts_with('-') || name.empty() ||
        name.find_first_of(std::string_view("= \t\n\0", 5)) != std::string::npos) {
      reject(members ? args.members[i].key : args, "args",
             "the name of an option without its dashes");
    }
    const auto* list = value.AsList();
    const bool fits = list == nullptr ? value.IsNull() || IsWord(value)
                                      : std::all_of(list->begin(), list->end(), IsWord);
    if (!fits) {
      reject(members ? args.members[i].value : args, "args." + name,
             "a string, a number, true, false, null or a list of these");
    }
  }
}

/// Arguments written out, or all of them from one file.
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
      context.diagnostics.Add(node,
                              "args: found a file without a map or list of arguments, expected "
                              "one of the two");
    }
    return;
  }
  for (const auto& member : node.members) {
    if (is_reference(member)) {
      context.diagnostics.Add(member.key, "args: found the name " + Found(member.key) +
                                              ", expected the name of an argument");
      continue;
    }
    args.named.emplace_back(member.key.text, reader.Read(member.value, "args." + member.key.text));
  }
}

}  // namespace

void ReadWork(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  CheckOneOf(root, context);
  if (const auto* function = Find(root, "function")) ReadFunction(*function, context, spec);
  if (const auto* run = Find(root, "run")) {
    spec.run = Command{TextOf(run).value_or(""), TextsOf(run, true)};
  }
  if (const auto* steps = Find(root, "steps")) spec.steps = json::ToValue(*steps);
}

void ReadArguments(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  ArgumentReader reader(context);
  if (const auto* args = Find(root, "args")) {
    if (Find(root, "steps") != nullptr) {
      context.diagnostics.Add(*args, "found args beside steps, expected them in each step");
    }
    ReadInto(*args, context, reader, spec.args);
    if (spec.run) CheckWords(*args, context, spec.args);
  }
  const YamlNode* array = Find(root, "array");
  const YamlNode* over = array == nullptr ? nullptr : Find(*array, "over");
  if (over == nullptr) return;
  spec.array->over = reader.Read(*over, "array.over");
  if (const auto* list = spec.array->over.AsList()) {
    spec.array->count = static_cast<std::uint32_t>(list->size());
  } else if (context.diagnostics.ok()) {
    context.diagnostics.Add(*over, "array.over: found " + Found(*over) +
                                       ", expected a list of argument sets, or $jsonl");
  }
}

}  // namespace kinetic::spec
