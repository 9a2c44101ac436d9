#include "base/strings.h"
#include "spec/read_args.h"
#include "spec/read_job.h"

#include <array>

namespace kinetic::spec {
namespace {

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

bool IsPathReference(const Value& value) {
  const auto* map = value.AsMap();
  return map != nullptr && map->size() == 1 && (*map)[0].first == "$path";
}

bool IsWord(const Value& value) {
  return IsPathReference(value) ||
         (!value.IsNull() && value.AsList() == nullptr && value.AsMap() == nullptr);
}

/// Arguments of a command have to be words.
void CheckWords(const YamlNode& args, const ReadContext& context, const Arguments& read) {
  const auto reject = [&](const YamlNode& at, const std::string& where,
                          const std::string& expected) {
    context.diagnostics.Add(
        at, where + ": found " + Found(at) + " for a command line, expected " + expected);
  };
  for (std::size_t i = 0; i < read.positional.size(); ++i) {
    if (IsWord(read.positional[i])) continue;
    reject(args.items[i], "args[" + std::to_string(i) + "]", "a string, a number, true or false");
  }
  for (std::size_t i = 0; i < read.named.size(); ++i) {
    const auto& [name, value] = read.named[i];
    if (name.starts_with('-') || name.empty() ||
        name.find_first_of(std::string_view("= \t\n\0", 5)) != std::string::npos) {
      reject(args.members[i].key, "args", "the name of an option without its dashes");
    }
    const auto* list = value.AsList();
    const bool fits = list == nullptr ? value.IsNull() || IsWord(value)
                                      : std::all_of(list->begin(), list->end(), IsWord);
    if (!fits) {
      reject(args.members[i].value, "args." + name,
             "a string, a number, true, false, null or a list of these");
    }
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
  const YamlNode* args = Find(root, "args");
  if (args != nullptr && Find(root, "steps") != nullptr) {
    context.diagnostics.Add(*args, "found args beside steps, expected them in each step");
  }
  if (args != nullptr && args->kind == YamlNode::Kind::kList) {
    spec.args.positional = *reader.Read(*args, "args").AsList();
  } else if (args != nullptr) {
    for (const auto& [key, value] : args->members) {
      spec.args.named.emplace_back(key.text, reader.Read(value, "args." + key.text));
    }
  }
  if (args != nullptr && spec.run) CheckWords(*args, context, spec.args);

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
