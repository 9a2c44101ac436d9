#include "command_line/parse.h"
#include "settings/sources.h"
#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kinetic::cli {
namespace {

constexpr std::string_view kPrefix = "KINETIC_";

/// The variables that the runner sets for a job (docs/reference/runner.md).
constexpr std::array<std::string_view, 12> kJobVariables = {
    "KINETIC_ATTEMPT",    "KINETIC_CHECKPOINT_DIR", "KINETIC_CHECKPOINT_URI", "KINETIC_DATA_DIR",
    "KINETIC_HOST_INDEX", "KINETIC_JOB_ID",         "KINETIC_JOB_NONCE",      "KINETIC_NUM_HOSTS",
    "KINETIC_OUTPUT_DIR", "KINETIC_OUTPUT_URI",     "KINETIC_TASK_INDEX",     "KINETIC_VERSION"};

}  // namespace

std::vector<std::string> UnknownVariables(const ProcessEnvironment& process) {
  std::vector<std::string> known;
  for (const SettingInfo& row : SettingsTable()) known.emplace_back(row.variable);
  std::vector<std::string> remarks;
  for (auto entry = process.variables.lower_bound(std::string(kPrefix));
       entry != process.variables.end() && entry->first.starts_with(kPrefix); ++entry) {
    const std::string& name = entry->first;
    if (std::ranges::find(known, name) != known.end()) continue;
    if (std::ranges::find(kJobVariables, name) != kJobVariables.end()) continue;
    const std::string nearest = DidYouMean(name, known);
    remarks.push_back(
        fmt::format("unknown environment variable {}; {}", name,
                    nearest.empty() ? "'kinetic config show' lists the settings" : nearest));
  }
  return remarks;
}

}  // namespace kinetic::cli
