#include "command_line/parse.h"

#include <algorithm>

namespace kinetic::cli {
namespace {

void Offer(Completion& completion, const std::string& word, const std::string& meaning) {
  if (word.starts_with(completion.prefix)) completion.candidates.push_back({word, meaning});
}

void OfferValue(Completion& completion, const Option& option) {
  for (const std::string& choice : option.text.choices) Offer(completion, choice, "");
  completion.kind = option.text.complete;
}

void OfferOptions(Completion& completion) {
  for (const Command* level = completion.command; level != nullptr; level = level->parent())
    for (const Option& option : level->options())
      Offer(completion, LongName(option), option.text.doc);
  Offer(completion, "--help", "Show help");
}

void OfferChildren(Completion& completion, const Command& command) {
  for (const auto& child : command.children())
    if (!child->text().hidden) Offer(completion, child->text().name, child->text().summary);
}

/// Offers the subcommands of the command that the words name, as for `help`.
void OfferCommands(Completion& completion, const Command& root,
                   const std::vector<std::string>& words) {
  const Command* command = &root;
  for (const std::string& word : words)
    if (command != nullptr) command = command->Find(word);
  if (command != nullptr) OfferChildren(completion, *command);
}

void OfferWords(Completion& completion, const Command& root,
                const std::vector<std::string>& before) {
  OfferChildren(completion, *completion.command);
  const auto& arguments = completion.command->arguments();
  if (arguments.empty()) return;
  const std::size_t next = std::min(before.size(), arguments.size() - 1);
  if (next != before.size() && !arguments[next].repeated) {
    // The arguments of a program are often files.
    if (completion.command->text().takes_command) completion.kind = CompletionKind::kFile;
    return;
  }
  if (arguments[next].text.complete == CompletionKind::kCommand)
    OfferCommands(completion, root, before);
  else
    OfferValue(completion, arguments[next]);
}

}  // namespace

Completion CompleteWords(const Command& root, const std::vector<std::string>& words) {
  Completion completion{.command = &root};
  if (words.empty()) return completion;
  const Option* pending = nullptr;
  std::vector<std::string> arguments;
  for (auto word = words.begin(); word + 1 != words.end(); ++word) {
    if (*word == "--") return {.kind = CompletionKind::kFile, .prefix = words.back()};
    if (pending != nullptr) {
      pending = nullptr;
    } else if (word->starts_with('-')) {
      const Option* option = FindOption(*completion.command, *word);
      if (option != nullptr && option->takes_value) pending = option;
    } else if (const Command* child = completion.command->Find(*word); child != nullptr) {
      completion.command = child;
      arguments.clear();
    } else {
      arguments.push_back(*word);
    }
  }
  completion.prefix = words.back();
  if (pending != nullptr)
    OfferValue(completion, *pending);
  else if (words.back().starts_with('-'))
    OfferOptions(completion);
  else
    OfferWords(completion, root, arguments);
  return completion;
}

}  // namespace kinetic::cli
