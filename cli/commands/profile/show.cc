#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/table.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct ProfileShowOptions {
  std::optional<std::string> name;
};

Result<int> Run(const ProfileShowOptions& options, Context& context) {
  const std::string name = options.name.value_or(context.settings.Text(SettingId::kTarget));
  const ConfigProfile* profile = context.config.Find(name);
  if (profile == nullptr && name != "local")
    return Fail(ErrorCode::kNotFound, fmt::format("no profile '{}'", SafeLine(name)),
                "'kinetic profile ls' lists the profiles");
  const std::string kind = profile == nullptr ? "local" : profile->Kind();
  Value::Map document = {{"name", name}, {"kind", kind}};
  context.output.Line("kind: " + kind);
  if (profile != nullptr) {
    for (const auto& [setting, value] : profile->values) {
      if (setting == Info(SettingId::kKind).name) continue;
      const SettingInfo* info = FindSetting(setting);
      const std::string shown = info == nullptr ? value.text : RedactedSetting(*info, value.text);
      context.output.Line(fmt::format("{}: {}", setting, shown));
      document.emplace_back(setting, shown);
    }
  }
  if (context.output.IsJson()) context.output.Document(std::move(document));
  return kSuccess;
}

}  // namespace

void RegisterProfileShow(Command& parent) {
  Command& command = parent.Add(
      {.name = "show",
       .summary = "Show a profile",
       .description = "Show the settings of a profile. Without NAME, shows the current one.",
       .usage = {"[OPTIONS] [NAME]"},
       .examples = {"kinetic profile show fast"},
       .any_target = true});
  auto options = std::make_shared<ProfileShowOptions>();
  command.Argument({.names = "NAME", .doc = "Profile name", .complete = CompletionKind::kProfile},
                   options->name);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
