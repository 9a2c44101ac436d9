#include "command_line/help.h"

#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMinColumns = 40;
constexpr std::size_t kUsageIndent = 7;  // "Usage: "
constexpr std::size_t kMaxNameColumns = 30;

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string Section(std::string_view title, const Rows& rows, std::size_t columns) {
  if (rows.empty()) return {};
  std::size_t widest = 0;
  const std::size_t most = std::min(kMaxNameColumns, columns / 3);
  for (const auto& [name, doc] : rows)
    if (name.size() <= most) widest = std::max(widest, name.size());
  std::string out = fmt::format("\n{}:\n", title);
  for (const auto& [name, doc] : rows) {
    out += fmt::format("  {:<{}}", name, widest);
    if (name.size() > widest) out += fmt::format("\n  {:<{}}", "", widest);
    out += "  " + Wrapped(doc, widest + 4, columns) + "\n";
  }
  return out;
}

Rows RowsOf(const std::vector<Option>& options, HelpDetail detail) {
  Rows rows;
  for (const Option& option : options)
    if (!option.text.is_rare || detail == HelpDetail::kAll)
      rows.emplace_back(OptionNames(option), OptionDoc(option));
  return rows;
}

/// Lists the subcommands in their groups.
std::string Children(const Command& command, std::size_t columns) {
  std::string out;
  std::string group;
  Rows rows;
  const auto finish = [&] {
    out += Section(group.empty() ? "Commands" : group, std::exchange(rows, {}), columns);
  };
  for (const auto& child : command.children()) {
    if (child->text().hidden) continue;
    if (child->text().group != group) finish();
    group = child->text().group;
    rows.emplace_back(child->text().name, child->text().summary);
  }
  finish();
  return out;
}

void AppendReference(const Command& command, std::string& out) {
  if (command.text().hidden) return;
  out += fmt::format("\n## {}\n\n```text\n{}```\n", command.Path(),
                     HelpText(command, 0, HelpDetail::kAll));
  for (const auto& child : command.children()) AppendReference(*child, out);
}

}  // namespace

std::string OptionNames(const Option& option) {
  const std::string& names = option.text.names;
  if (option.text.placeholder.empty() && option.takes_value) return names;
  const std::size_t comma = names.find(',');
  std::string out = comma == std::string::npos
                        ? "    " + names
                        : names.substr(0, comma) + ", " + names.substr(comma + 1);
  if (option.takes_value) out += " " + option.text.placeholder;
  return out;
}

std::string OptionDoc(const Option& option) {
  std::string doc = option.text.doc;
  if (!option.text.choices.empty())
    doc += fmt::format(" ({})", fmt::join(option.text.choices, ", "));
  if (option.repeated && option.takes_value && !option.text.placeholder.empty())
    doc += " (repeatable)";
  return doc;
}

std::string HelpText(const Command& command, std::size_t terminal, HelpDetail detail) {
  const CommandText& text = command.text();
  const std::size_t columns =
      terminal == 0 ? kHelpColumns : std::clamp(terminal, kMinColumns, kHelpColumns);
  std::string out = Wrapped(text.description, 0, columns) + "\n";
  bool first = true;
  for (const std::string& usage : text.usage)
    out += (std::exchange(first, false) ? "\nUsage: " : "       ") +
           Wrapped(command.Path() + " " + usage, kUsageIndent, columns) + "\n";
  out += Section("Arguments", RowsOf(command.arguments(), detail), columns);
  out += Children(command, columns);
  Rows options = RowsOf(command.options(), detail);
  for (const std::string& name : text.also)
    if (const Option* option = FindOption(command, name); option != nullptr)
      options.emplace_back(OptionNames(*option), OptionDoc(*option));
  options.emplace_back("-h, --help", "Show this help");
  out += Section(command.parent() == nullptr ? "Global options" : "Options", options, columns);
  if (!text.examples.empty()) out += "\nExamples:\n";
  for (const std::string& example : text.examples) out += "  $ " + example + "\n";
  const bool has_more = detail == HelpDetail::kUsual &&
                        std::ranges::any_of(command.options(), [](const Option& option) {
                          return option.text.is_rare;
                        });
  if (command.parent() != nullptr || has_more)
    out +=
        "\n" + Wrapped("Run 'kinetic help --all' to list the global options.", 0, columns) + "\n";
  return out;
}

Value HelpDocument(const Command& command) {
  return Value::Map{{"command", command.Path()}, {"help", HelpText(command)}};
}

std::string ReferenceDocument(const Command& root) {
  std::string out =
      "# Command line\n\n"
      "The `--help` output of each command. See also [Settings](settings.md) and\n"
      "[Exit codes](exit-codes.md).\n";
  AppendReference(root, out);
  return out;
}

}  // namespace kinetic::cli
