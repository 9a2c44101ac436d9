#include "kinetic/health.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/system/health_output.h"
#include "context.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

/// The settings to check, and whether the configuration file is valid.
struct LoadedConfig {
  Settings settings;
  HealthCheck check{.name = "config"};
};

Result<Settings> Load(const Context& context, std::string& evidence) {
  KINETIC_ASSIGN_OR_RETURN(const SettingValue location,
                           ConfigLocation(context.flags, context.process));
  KINETIC_ASSIGN_OR_RETURN(const ConfigFile config, ReadConfig(location.text));
  KINETIC_ASSIGN_OR_RETURN(Settings settings, Resolve(context.flags, context.process, config));
  evidence = config.exists
                 ? fmt::format("{}, profile {}", location.text, settings.Text(SettingId::kTarget))
                 : fmt::format("no {}; the defaults apply", location.text);
  return settings;
}

/// With an invalid file, the other checks use the settings without a profile.
LoadedConfig LoadConfig(const Context& context) {
  LoadedConfig loaded{.settings = context.settings};
  auto settings = Load(context, loaded.check.evidence);
  if (settings) {
    loaded.settings = *std::move(settings);
  } else {
    loaded.check.health = Health::kFailed;
    loaded.check.evidence = settings.error().message;
    loaded.check.advice = settings.error().hint;
  }
  return loaded;
}

Result<int> CheckHealth(Context& context) {
  LoadedConfig loaded = LoadConfig(context);
  const ClientOptions options = ClientOptionsOf(context, loaded.settings);
  std::vector<HealthCheck> checks = CheckPrograms(options, context.stop);
  checks.push_back(std::move(loaded.check));
  for (HealthCheck& check : CheckSurroundings(options, context.stop))
    checks.push_back(std::move(check));
  return ShowHealth(checks, Value::Map{{"target", loaded.settings.Text(SettingId::kTarget)}},
                    context);
}

}  // namespace

void RegisterDoctor(Command& parent) {
  Command& command = parent.Add(
      {.name = "doctor",
       .summary = "Check that jobs can run",
       .description =
           "Check what jobs of the current profile need: programs, configuration, disks, "
           "store, clock and\n"
           "cluster. Prints one line for each check, with a fix if it fails. Exits with "
           "1 if a check fails.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic doctor", "kinetic doctor --target prod --json"},
       .needs_settings = false});
  command.SetAction(CheckHealth);
}

}  // namespace kinetic::cli
