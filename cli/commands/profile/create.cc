#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/check_value.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct ProfileCreateOptions {
  std::string name;
  std::optional<std::string> kind;
  std::vector<std::string> set;
  bool use = false;
};

/// Adds the value of an option. Paths are already absolute.
void SetFromOption(const SettingInfo& info, const Context& context, ConfigProfile& profile) {
  const SettingValue& value = context.settings.Get(info.id);
  if (info.in_profile && value.origin == Origin::kFlag) profile.Set(info.name, value.text);
}

Status SetFromAssignment(const std::string& text, const Context& context, ConfigProfile& profile) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--set: expected KEY=VALUE, found '{}'", SafeLine(text)));
  KINETIC_ASSIGN_OR_RETURN(const SettingInfo* info, FindProfileSetting("--set", name));
  KINETIC_ASSIGN_OR_RETURN(std::string value,
                           NormalizeSetting(*info, "--set " + name, text.substr(equals + 1),
                                            context.process.directory, context.process));
  profile.Set(name, std::move(value));
  return {};
}

Status UpdateProfile(const ProfileCreateOptions& options, const Context& context,
                     ConfigFile& config) {
  if (config.Find(options.name) == nullptr) config.profiles.push_back({.name = options.name});
  ConfigProfile& profile = *config.Find(options.name);
  if (options.kind) profile.Set(Info(SettingId::kKind).name, *options.kind);
  for (const SettingInfo& info : SettingsTable()) SetFromOption(info, context, profile);
  for (const std::string& text : options.set)
    KINETIC_RETURN_IF_ERROR(SetFromAssignment(text, context, profile));
  KINETIC_RETURN_IF_ERROR(CheckProfile(profile));
  if (options.use) config.target = ConfigValue{options.name};
  return {};
}

Result<int> Run(const ProfileCreateOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckProfileName(options.name));
  bool in_use = options.use;
  const auto change = [&](ConfigFile& config) {
    in_use = in_use || (config.target ? config.target->text : "local") == options.name;
    return UpdateProfile(options, context, config);
  };
  KINETIC_ASSIGN_OR_RETURN(const std::string remark,
                           ChangeConfig(context.settings.Path(SettingId::kConfig), change));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(fmt::format("saved profile {} in {}", options.name,
                                  context.settings.Text(SettingId::kConfig)));
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"name", options.name}, {"in_use", in_use}});
  return kSuccess;
}

}  // namespace

void RegisterProfileCreate(Command& parent) {
  Command& command = parent.Add(
      {.name = "create",
       .summary = "Create or change a profile",
       .description = "Create a profile from the settings given as options or with --set. If the "
                      "profile exists,\n"
                      "changes only these settings.",
       .usage = {"[OPTIONS] NAME"},
       .examples = {"kinetic profile create fast --store /data/kinetic --concurrency 4 --use",
                    "kinetic profile create prod --kind kubernetes --context prod --store "
                    "gs://my-bucket/jobs",
                    "kinetic profile create tpu --kind gke --project my-project --location "
                    "us-central1 --cluster tpus",
                    "kinetic profile create quiet --set progress=never"},
       .writes_config = true,
       .any_target = true});
  auto options = std::make_shared<ProfileCreateOptions>();
  command.Argument({.names = "NAME", .doc = "Profile name"}, options->name);
  command.Text({"--kind", "KIND", "Kind of target (default: local)", CompletionKind::kNothing,
                Choices(Info(SettingId::kKind))},
               options->kind);
  command.Texts({"--set", "KEY=VALUE", "Setting, as listed by 'kinetic config show'"},
                options->set);
  command.Flag({"--use", "", "Also make this the current profile"}, options->use);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
