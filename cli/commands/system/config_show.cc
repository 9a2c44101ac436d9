#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "settings/table.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct ConfigShowOptions {
  bool origin = false;
};

Result<int> Run(const ConfigShowOptions& options, Context& context) {
  Table table{.headings = {"SETTING", "VALUE"}, .whole = {"VALUE"}};
  if (options.origin) table.headings.emplace_back("ORIGIN");
  Value::Map document;
  for (const SettingInfo& info : SettingsTable()) {
    const SettingValue& value = context.settings.Get(info.id);
    const std::string origin(Name(value.origin));
    const std::string shown = RedactedSetting(info, value.text);
    std::vector<Cell> row = {std::string(info.name), shown.empty() ? "-" : shown};
    if (options.origin)
      row.emplace_back(value.source.empty() ? origin : origin + " " + value.source);
    table.rows.push_back(std::move(row));
    document.emplace_back(
        std::string(info.name),
        Value::Map{{"value", shown}, {"origin", origin}, {"source", value.source}});
  }
  context.output.Show(table);
  if (context.output.IsJson()) context.output.Document(std::move(document));
  return kSuccess;
}

}  // namespace

void RegisterConfig(Command& parent) {
  Command& config =
      parent.Add({.name = "config",
                  .summary = "Show and change settings",
                  .description = "Show the effective settings, and change the configuration file.",
                  .usage = {"COMMAND [OPTIONS]"}});
  Command& command = config.Add(
      {.name = "show",
       .summary = "Show effective settings",
       .description = "Show every setting. An option overrides a KINETIC_* variable, the variable "
                      "overrides the current\n"
                      "profile, and the profile overrides the default.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic config show --origin", "kinetic config show --target fast --json"},
       .any_target = true});
  auto options = std::make_shared<ConfigShowOptions>();
  command.Flag({"--origin", "", "Also show the origin of each value"}, options->origin);
  command.SetAction([options](Context& context) { return Run(*options, context); });
  RegisterConfigValues(config);
}

}  // namespace kinetic::cli
