#include "settings/sources.h"
#include "settings/suggest.h"
#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::settings {
namespace {

constexpr std::string_view kPrefix = "KINETIC_";

/// The variables that the runner sets for a job (docs/reference/runner.md).
constexpr std::array<std::string_view, 12> kJobVariables = {
    "KINETIC_ATTEMPT",    "KINETIC_CHECKPOINT_DIR", "KINETIC_CHECKPOINT_URI", "KINETIC_DATA_DIR",
    "KINETIC_HOST_INDEX", "KINETIC_JOB_ID",         "KINETIC_JOB_NONCE",      "KINETIC_NUM_HOSTS",
    "KINETIC_OUTPUT_DIR", "KINETIC_OUTPUT_URI",     "KINETIC_TASK_INDEX",     "KINETIC_VERSION"};

/// Variables of the Python tool of the same name, with the settings that take their place.
constexpr std::array kPythonVariables = {
    std::pair("KINETIC_ZONE", "KINETIC_LOCATION (setting 'location', a zone or a region)"),
};

/// Compares names without their common prefix, which would hide the differences.
std::string Remark(const std::string& name, const std::vector<std::string>& settings) {
  for (const auto& [variable, replacement] : kPythonVariables)
    if (name == variable)
      return fmt::format("{} has no effect: it belongs to the Python tool; use {}", name,
                         replacement);
  std::vector<std::string> suffixes;
  for (const std::string& setting : settings)
    if (setting.starts_with(kPrefix)) suffixes.push_back(setting.substr(kPrefix.size()));
  const auto nearest = Nearest(std::string_view(name).substr(kPrefix.size()), suffixes);
  return fmt::format("unknown environment variable {}; {}", name,
                     nearest ? fmt::format("did you mean '{}{}'?", kPrefix, *nearest)
                             : "'kinetic config show' lists the settings");
}

}  // namespace

std::vector<std::string> UnknownVariables(const ProcessEnvironment& process) {
  std::vector<std::string> settings;
  for (const SettingInfo& row : SettingsTable()) settings.emplace_back(row.variable);
  std::vector<std::string> remarks;
  for (auto entry = process.variables.lower_bound(std::string(kPrefix));
       entry != process.variables.end() && entry->first.starts_with(kPrefix); ++entry) {
    const std::string& name = entry->first;
    if (std::ranges::find(settings, name) != settings.end()) continue;
    if (std::ranges::find(kJobVariables, name) != kJobVariables.end()) continue;
    remarks.push_back(Remark(name, settings));
  }
  return remarks;
}

}  // namespace kinetic::settings
