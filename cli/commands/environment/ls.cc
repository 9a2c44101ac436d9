#include "kinetic/environments.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr std::size_t kShortIdLength = 12;

/// Returns the first names, and the number of the others.
std::string JobNames(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.empty()) return "-";
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost)));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > kMost) text += fmt::format(", and {} more", names.size() - kMost);
  return text;
}

Table ToTable(const std::vector<EnvironmentSummary>& environments) {
  Table table{.headings = {"ID", "PYTHON", "PACKAGES", "SIZE", "SHARED", "AGE", "USED", "JOBS"}};
  const Time now = std::chrono::system_clock::now();
  for (const EnvironmentSummary& one : environments)
    table.rows.push_back({one.id.substr(0, kShortIdLength), one.python,
                          fmt::format("{}", one.packages), FormatBytes(one.size_bytes),
                          FormatBytes(one.shared_bytes), FormatAge(now - one.built_at),
                          FormatAge(now - one.last_used) + " ago", JobNames(one.jobs)});
  return table;
}

Result<int> ListEnvironments(Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const auto environments, client.environments().List(context.stop));
  if (context.output.IsJson()) {
    Value::List documents;
    for (const EnvironmentSummary& one : environments) documents.push_back(ToDocument(one));
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (environments.empty()) {
    context.output.Note("no environments; jobs create them on first use");
    return kSuccess;
  }
  context.output.Show(ToTable(environments));
  for (const EnvironmentSummary& one : environments)
    if (!one.damage.empty())
      context.output.Warn(
          fmt::format("environment {} is damaged: {}; the next job that uses it builds it again",
                      one.id.substr(0, kShortIdLength), one.damage));
  return kSuccess;
}

}  // namespace

void RegisterEnvLs(Command& parent) {
  Command& command =
      parent.Add({.name = "ls",
                  .summary = "List cached environments",
                  .description = "List the environments cached on this machine, "
                                 "most recently used first, with their size, the\n"
                                 "part of it that other environments also use, age, last use, and "
                                 "up to 3 jobs that\nran in them. --json prints all.",
                  .usage = {"[OPTIONS]"},
                  .examples = {"kinetic env ls", "kinetic env ls --json"}});
  command.SetAction(ListEnvironments);
}

}  // namespace kinetic::cli
