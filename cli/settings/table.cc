#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::cli {
namespace {

constexpr std::array<SettingInfo, kSettingCount> kTable = {{
    {SettingId::kTarget, "target", "--target", "KINETIC_TARGET", "PROFILE", SettingType::kText,
     false, "", "local", "The profile that says where jobs run and where they are kept"},
    {SettingId::kStore, "store", "--store", "KINETIC_STORE", "DIR", SettingType::kPath, true, "",
     "$XDG_DATA_HOME/kinetic/store", "The folder that keeps bundles, records, logs and results"},
    {SettingId::kStateDir, "state_dir", "--state-dir", "KINETIC_STATE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_STATE_HOME/kinetic", "The folder where running jobs live"},
    {SettingId::kCacheDir, "cache_dir", "--cache-dir", "KINETIC_CACHE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_CACHE_HOME/kinetic",
     "Environments and what is cheap to make again; may be removed while nothing runs"},
    {SettingId::kConcurrency, "concurrency", "--concurrency", "KINETIC_CONCURRENCY", "N",
     SettingType::kNumber, true, "", "0",
     "Jobs that run at once on this machine; 0: one for each two processors"},
    {SettingId::kRunner, "runner", "--runner", "KINETIC_RUNNER", "FILE", SettingType::kPath, true,
     "", "kinetic-runner beside kinetic, else in ../libexec/kinetic",
     "The program that runs a job at the far end"},
    {SettingId::kPython, "python", "--python", "KINETIC_PYTHON", "VERSION", SettingType::kText,
     true, "", "the version of python3 in PATH", "The Python version of jobs that name none"},
    {SettingId::kOwner, "owner", "--owner", "KINETIC_OWNER", "NAME", SettingType::kText, true, "",
     "user@host", "Who a job belongs to, as `ps` shows it"},
    {SettingId::kColor, "color", "--color", "KINETIC_COLOR", "WHEN", SettingType::kChoice, true,
     "auto|always|never", "auto", "Colours; auto: on a terminal, unless NO_COLOR is set"},
    {SettingId::kProgress, "progress", "--progress", "KINETIC_PROGRESS", "HOW",
     SettingType::kChoice, true, "auto|plain|never", "auto",
     "Progress on stderr; auto: a live display on a terminal, else lines"},
    {SettingId::kLogLevel, "log_level", "--log-level", "KINETIC_LOG_LEVEL", "LEVEL",
     SettingType::kChoice, true, "trace|debug|info|warning|off", "off",
     "Diagnostics on stderr; -v is info, -vv debug, -vvv trace"},
    {SettingId::kConfig, "config", "--config", "KINETIC_CONFIG", "FILE", SettingType::kPath, false,
     "", "$XDG_CONFIG_HOME/kinetic/config.yaml",
     "The configuration file, which holds the profiles"},
}};

constexpr std::string_view kIntroduction =
    "# Settings\n\n"
    "Each setting has one value and one origin. An option of the command line wins over the\n"
    "environment, the environment over the profile in use, the profile over the default;\n"
    "`kinetic config show --origin` tells which it was. An empty variable counts as not set.\n\n"
    "`target` is the one setting that a job file may name too: `--target` wins over the job "
    "file's\n"
    "`target:`, which wins over `KINETIC_TARGET`, which wins over `target:` of the configuration "
    "file.\n\n"
    "Where an XDG variable is not set, `~/.config`, `~/.local/share`, `~/.local/state` and "
    "`~/.cache` are used.\n"
    "Profiles are explained in [the guide](../guide/profiles.md).\n\n"
    "| setting | option | variable | in a profile | default | meaning |\n"
    "|---|---|---|---|---|---|\n";

}  // namespace

std::span<const SettingInfo> SettingsTable() { return kTable; }

const SettingInfo& Info(SettingId id) { return kTable[static_cast<std::size_t>(id)]; }

const SettingInfo* FindSetting(std::string_view name) {
  const auto found =
      std::find_if(kTable.begin(), kTable.end(), [&](const auto& row) { return row.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

std::vector<std::string> Choices(const SettingInfo& info) {
  std::vector<std::string> choices;
  std::string_view rest = info.choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    choices.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return choices;
}

std::string SettingsDocument() {
  std::string text(kIntroduction);
  for (const SettingInfo& row : kTable) {
    std::string doc(row.doc);
    if (!row.choices.empty()) doc += fmt::format(" (`{}`)", fmt::join(Choices(row), "`, `"));
    text += fmt::format("| `{}` | `{} {}` | `{}` | {} | {} | {} |\n", row.name, row.flag,
                        row.placeholder, row.variable, row.in_profile ? "yes" : "no",
                        row.default_text, doc);
  }
  return text;
}

}  // namespace kinetic::cli
