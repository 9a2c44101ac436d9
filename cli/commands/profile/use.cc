#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace kinetic::cli {
namespace {

struct ProfileUseOptions {
  std::string name;
};

Result<int> Run(const ProfileUseOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(
      const std::string remark,
      ChangeConfig(context.settings.Path(SettingId::kConfig), [&](ConfigFile& config) -> Status {
        if (options.name != "local" && config.Find(options.name) == nullptr)
          return Fail(ErrorCode::kNotFound, fmt::format("no profile '{}'", SafeLine(options.name)),
                      "create one with 'kinetic profile create'");
        config.target = ConfigValue{options.name};
        return {};
      }));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(fmt::format("using profile {}", options.name));
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"name", options.name}, {"in_use", true}});
  return kSuccess;
}

}  // namespace

void RegisterProfileUse(Command& parent) {
  Command& command = parent.Add({.name = "use",
                                 .summary = "Set the current profile",
                                 .description = "Set the profile to use unless --target, the job "
                                                "file or KINETIC_TARGET selects another.",
                                 .usage = {"[OPTIONS] NAME"},
                                 .examples = {"kinetic profile use fast"},
                                 .writes_config = true,
                                 .any_target = true});
  auto options = std::make_shared<ProfileUseOptions>();
  command.Argument({.names = "NAME", .doc = "Profile name", .complete = CompletionKind::kProfile},
                   options->name);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
