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

struct ProfileRmOptions {
  std::string name;
};

Result<int> Run(const ProfileRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(
      const std::string remark,
      ChangeConfig(context.settings.Path(SettingId::kConfig), [&](ConfigFile& config) -> Status {
        const auto removed = std::erase_if(config.profiles, [&](const ConfigProfile& profile) {
          return profile.name == options.name;
        });
        if (removed == 0)
          return Fail(ErrorCode::kNotFound,
                      fmt::format("no profile '{}' in {}", SafeLine(options.name),
                                  SafeLine(config.path.string())),
                      options.name == "local" ? "the profile local is built in"
                                              : "'kinetic profile ls' lists the profiles");
        if (config.target && config.target->text == options.name) config.target.reset();
        return {};
      }));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(fmt::format("removed profile {}", options.name));
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", options.name}});
  return kSuccess;
}

}  // namespace

void RegisterProfileRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Remove a profile",
       .description =
           "Remove a profile from the configuration file. Jobs and stored objects are kept.",
       .usage = {"[OPTIONS] NAME"},
       .examples = {"kinetic profile rm fast"},
       .any_target = true});
  auto options = std::make_shared<ProfileRmOptions>();
  command.Argument({.names = "NAME", .doc = "Profile name", .complete = CompletionKind::kProfile},
                   options->name);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
