#include "commands/submit/plan_view.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kinetic::cli {
void ShowHeading(std::string_view text, Output& output) {
  output.Line({std::string(text), Role::kStrong});
}

void ShowField(std::string_view name, std::string_view value, Output& output) {
  output.Line(fmt::format("  {:<13} {}", name, value.empty() ? "-" : value));
}

std::string LockSummary(const EnvironmentLock& lock) {
  const auto age = std::chrono::system_clock::now() - lock.resolved_at;
  return fmt::format("{} {}, resolved {} ago", lock.packages.size(),
                     lock.packages.size() == 1 ? "package" : "packages", FormatAge(age));
}

void ShowLockFields(const EnvironmentExplanation& environment, Output& output) {
  ShowField("manifest key", environment.manifest_key, output);
  ShowField("lock", environment.lock ? LockSummary(*environment.lock) : "not resolved yet", output);
  if (environment.lock) ShowField("id", environment.lock->id, output);
}

void ShowInputs(const EnvironmentExplanation& environment, Output& output) {
  if (!environment.inputs.empty()) {
    ShowHeading("Inputs", output);
    for (const auto& [name, value] : environment.inputs) {
      std::string_view rest = value;
      for (std::string_view shown = name; !shown.empty() || !rest.empty(); shown = {}) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        ShowField(shown, rest.substr(0, end), output);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
  if (environment.since.empty()) return;
  if (environment.changes.empty())
    return output.Line(fmt::format("Same as job {}.", environment.since));
  ShowHeading(fmt::format("Changed since job {}", environment.since), output);
  for (const auto& change : environment.changes)
    ShowField(change.input,
              fmt::format("{} -> {}", change.before.empty() ? "(none)" : change.before,
                          change.now.empty() ? "(none)" : change.now),
              output);
}

}  // namespace kinetic::cli
