#include "commands/system/health_output.h"

#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

Role RoleOf(Health health) {
  if (health == Health::kGood) return Role::kGood;
  return health == Health::kWarning ? Role::kWarning : Role::kBad;
}

Value Document(const HealthCheck& check) {
  return Value::Map{{"name", check.name},
                    {"state", std::string(Name(check.health))},
                    {"evidence", check.evidence},
                    {"advice", TextOrNull(check.advice)},
                    {"version", TextOrNull(check.version)},
                    {"path", TextOrNull(check.path)}};
}

constexpr std::size_t kStateColumns = 9;
constexpr std::size_t kCheckColumns = 19;
constexpr std::size_t kTextColumn = kStateColumns + kCheckColumns;

StyledLine StateOf(const HealthCheck& check) {
  return {fmt::format("{:<{}}", Name(check.health), kStateColumns), RoleOf(check.health)};
}

StyledLine LineOf(const HealthCheck& check, std::string_view evidence) {
  return StateOf(check).Add(fmt::format("{:<{}}{}", check.name, kCheckColumns, evidence));
}

/// Returns the lines of a text that begins in a column.
std::vector<std::string> TextLines(const std::string& text, std::size_t columns,
                                   std::size_t begin) {
  return text.empty() ? std::vector<std::string>()
                      : WrappedLines(SafeLine(text), 0, columns - begin);
}

/// Returns the length of the longest word.
std::size_t LongestWord(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    longest = std::max(longest, DisplayWidth(word));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return longest;
}

/// Returns the position of the first shell command in the advice, or the end of the text.
std::size_t CommandIn(std::string_view advice) {
  std::size_t begin = advice.size();
  for (const std::string_view program : {"gcloud ", "kubectl "})
    begin = std::min(begin, advice.find(program));
  return begin;
}

/// Returns the advice as lines. A command has a line of its own, which is not wrapped, so that it
/// can be copied.
std::vector<std::string> AdviceLines(const std::string& advice, std::size_t columns,
                                     std::size_t begin) {
  const std::size_t command = CommandIn(advice);
  std::vector<std::string> lines = TextLines(advice.substr(0, command), columns, begin);
  if (command < advice.size()) lines.push_back(SafeLine(advice.substr(command)));
  return lines;
}

/// Prints a check that does not fit into one line of the terminal. Its text begins below the name
/// if the last column is too narrow for a word, such as a path.
void PrintWrapped(const HealthCheck& check, Output& output) {
  const std::size_t columns = output.Columns();
  const std::size_t longest =
      std::max(LongestWord(check.evidence),
               LongestWord(std::string_view(check.advice).substr(0, CommandIn(check.advice))));
  const bool is_below = longest > columns - kTextColumn;
  const std::size_t begin = is_below ? kStateColumns : kTextColumn;
  const std::string indent(begin, ' ');
  bool is_first = !is_below;
  if (is_below) output.Line(StateOf(check).Add(check.name));
  for (const std::string& line : TextLines(check.evidence, columns, begin)) {
    output.Line(is_first ? LineOf(check, line) : StyledLine(indent + line));
    is_first = false;
  }
  for (const std::string& line : AdviceLines(check.advice, columns, begin))
    output.Line(StyledLine(indent + line, Role::kHint));
}

void Print(const HealthCheck& check, Output& output) {
  constexpr std::size_t kMinTextColumns = 20;
  const std::string advice = check.advice.empty() ? "" : "; " + check.advice;
  const std::size_t width = kTextColumn + DisplayWidth(SafeLine(check.evidence + advice));
  if (output.Columns() >= kTextColumn + kMinTextColumns && width > output.Columns())
    return PrintWrapped(check, output);
  StyledLine line = LineOf(check, check.evidence);
  if (!advice.empty()) line.Add(advice, Role::kHint);
  output.Line(line);
}

}  // namespace

int ShowHealth(const std::vector<HealthCheck>& checks, Value document, Context& context) {
  const bool failed = std::any_of(checks.begin(), checks.end(), [](const HealthCheck& check) {
    return check.health == Health::kFailed;
  });
  Value::List list;
  for (const HealthCheck& check : checks) {
    Print(check, context.output);
    list.push_back(Document(check));
  }
  document.Set("checks", std::move(list));
  if (context.output.IsJson()) context.output.Document(document);
  return failed ? kCheckFailed : kSuccess;
}

}  // namespace kinetic::cli
