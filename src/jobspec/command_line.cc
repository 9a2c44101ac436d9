#include "jobspec/command_line.h"

#include "base/strings.h"

namespace kinetic::jobspec {
namespace {

std::string Word(const Value& value, const PathResolver& resolve) {
  if (const auto* text = value.AsString()) return *text;
  const auto* map = value.AsMap();
  if (map == nullptr || map->size() != 1) return value.ToJson();
  const auto& [tag, content] = map->front();
  if (content.AsString() == nullptr) return value.ToJson();
  return tag == "$path" ? resolve(*content.AsString()) : *content.AsString();
}

void AddOption(std::vector<std::string>& words, const std::string& name, const Value& value,
               const PathResolver& resolve) {
  if (value.IsNull()) return;
  if (const auto* list = value.AsList()) {
    for (const auto& item : *list) AddOption(words, name, item, resolve);
    return;
  }
  const bool* flag = value.AsBool();
  if (flag != nullptr && !*flag) return;
  words.push_back("--" + name);
  if (flag == nullptr) words.push_back(Word(value, resolve));
}

}  // namespace

std::vector<std::string> ArgumentWords(const Arguments& args, const PathResolver& resolve) {
  std::vector<std::string> words;
  for (const auto& value : args.positional) words.push_back(Word(value, resolve));
  for (const auto& [name, value] : args.named) AddOption(words, name, value, resolve);
  return words;
}

std::vector<std::string> CommandLine(const Command& command, const Arguments& args,
                                     const PathResolver& resolve) {
  const auto words = ArgumentWords(args, resolve);
  if (command.shell.empty()) {
    std::vector<std::string> argv = command.argv;
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  std::string line = command.shell;
  for (const auto& word : words) line += " " + ShellQuote(word);
  return {"/bin/sh", "-c", std::move(line)};
}

}  // namespace kinetic::jobspec
