#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/check_value.h"
#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

/// The key that selects the current profile.
constexpr std::string_view kTargetKey = "target";

struct ConfigValueOptions {
  std::string key;
  std::string value;
};

Failure NoProfile(const std::string& name) {
  return Fail(ErrorCode::kNotFound, fmt::format("no profile '{}'", SafeLine(name)),
              "create one with 'kinetic profile create'");
}

Status SetTarget(const std::string& name, ConfigFile& config) {
  if (name != "local" && config.Find(name) == nullptr) return NoProfile(name);
  config.target = ConfigValue{name};
  return {};
}

/// Sets a value of a profile. The built-in profile is added to the file when it first gets one.
Status SetValue(const ConfigValueOptions& options, const std::string& profile_name,
                const Context& context, ConfigFile& config) {
  KINETIC_ASSIGN_OR_RETURN(const SettingInfo* info, FindProfileSetting("config set", options.key));
  KINETIC_ASSIGN_OR_RETURN(std::string value,
                           NormalizeSetting(*info, options.key, options.value,
                                            context.process.directory, context.process));
  if (config.Find(profile_name) == nullptr) {
    if (profile_name != "local") return NoProfile(profile_name);
    config.profiles.push_back({.name = profile_name});
  }
  ConfigProfile& profile = *config.Find(profile_name);
  profile.Set(options.key, std::move(value));
  return CheckProfile(profile);
}

Status UnsetValue(const std::string& key, const std::string& profile_name, ConfigFile& config) {
  const auto not_set = [&](const std::string& where) {
    return Fail(ErrorCode::kNotFound, fmt::format("{} is not set in {}", SafeLine(key), where));
  };
  if (key == kTargetKey) {
    if (!config.target) return not_set(SafeLine(config.path.string()));
    config.target.reset();
    return {};
  }
  KINETIC_RETURN_IF_ERROR(FindProfileSetting("config unset", key));
  ConfigProfile* profile = config.Find(profile_name);
  const auto is_key = [&](const auto& member) { return member.first == key; };
  if (profile == nullptr || std::erase_if(profile->values, is_key) == 0)
    return not_set("the profile " + profile_name);
  // Without values, the built-in profile need not be in the file, which always has its kind.
  const bool is_empty = std::ranges::all_of(profile->values, [](const auto& member) {
    return member.first == Info(SettingId::kKind).name;
  });
  if (profile_name == "local" && is_empty) {
    std::erase_if(config.profiles, [](const auto& each) { return each.name == "local"; });
    return {};
  }
  return CheckProfile(*profile);
}

/// Changes the configuration file and reports it.
Result<int> Change(const std::function<Status(ConfigFile&)>& change, std::string_view verb,
                   const std::string& key, Context& context) {
  const std::string& file = context.settings.Text(SettingId::kConfig);
  KINETIC_ASSIGN_OR_RETURN(const std::string remark, ChangeConfig(file, change));
  if (!remark.empty()) context.output.Warn(remark);
  const std::string& profile = context.settings.Text(SettingId::kTarget);
  const bool in_profile = key != kTargetKey;
  context.output.Note(in_profile
                          ? fmt::format("{} {} of profile {} in {}", verb, key, profile, file)
                          : fmt::format("{} {} in {}", verb, key, file));
  if (context.output.IsJson())
    context.output.Document(Value::Map{
        {"key", key}, {"profile", in_profile ? Value(profile) : Value()}, {"file", file}});
  return kSuccess;
}

Result<int> Set(const ConfigValueOptions& options, Context& context) {
  const std::string profile = context.settings.Text(SettingId::kTarget);
  const auto change = [&](ConfigFile& config) {
    return options.key == kTargetKey ? SetTarget(options.value, config)
                                     : SetValue(options, profile, context, config);
  };
  return Change(change, "set", options.key, context);
}

Result<int> Unset(const ConfigValueOptions& options, Context& context) {
  const std::string profile = context.settings.Text(SettingId::kTarget);
  const auto change = [&](ConfigFile& config) { return UnsetValue(options.key, profile, config); };
  return Change(change, "removed", options.key, context);
}

Result<int> Get(const ConfigValueOptions& options, Context& context) {
  const SettingInfo* info = FindSetting(options.key);
  if (info == nullptr) {
    KINETIC_ASSIGN_OR_RETURN(info, FindProfileSetting("config get", options.key));
  }
  const SettingValue& value = context.settings.Get(info->id);
  const std::string shown = RedactedSetting(*info, value.text);
  if (!shown.empty()) context.output.ExactLine(shown);
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"key", options.key},
                                       {"value", shown},
                                       {"origin", std::string(Name(value.origin))},
                                       {"source", value.source}});
  return kSuccess;
}

Command& AddKeyCommand(Command& parent, CommandText text, CompletionKind keys,
                       const std::shared_ptr<ConfigValueOptions>& options) {
  text.any_target = true;
  Command& command = parent.Add(std::move(text));
  command.Argument(
      {.names = "KEY", .doc = "Setting, as listed by 'kinetic config show'", .complete = keys},
      options->key);
  return command;
}

void RegisterConfigGet(Command& config) {
  auto options = std::make_shared<ConfigValueOptions>();
  AddKeyCommand(config,
                {.name = "get",
                 .summary = "Print the effective value of a setting",
                 .description = "Print the effective value of a setting. Prints nothing if it has "
                                "no value.",
                 .usage = {"[OPTIONS] KEY"},
                 .examples = {"kinetic config get store"}},
                CompletionKind::kSetting, options)
      .SetAction([options](Context& context) { return Get(*options, context); });
}

void RegisterConfigSet(Command& config) {
  auto options = std::make_shared<ConfigValueOptions>();
  Command& command = AddKeyCommand(
      config,
      {.name = "set",
       .summary = "Set a value in the configuration file",
       .description = "Set a value of the current profile, or of the --target profile, in the "
                      "configuration file.\n"
                      "The key 'target' sets the current profile.",
       .usage = {"[OPTIONS] KEY VALUE"},
       .examples = {"kinetic config set store /data/kinetic",
                    "kinetic config set namespace ml --target prod"},
       .writes_config = true},
      CompletionKind::kProfileSetting, options);
  command.Argument({.names = "VALUE", .doc = "Value"}, options->value);
  command.SetAction([options](Context& context) { return Set(*options, context); });
}

void RegisterConfigUnset(Command& config) {
  auto options = std::make_shared<ConfigValueOptions>();
  AddKeyCommand(
      config,
      {.name = "unset",
       .summary = "Remove a value from the configuration file",
       .description = "Remove a value of the current profile, or of the --target profile, "
                      "from the configuration\n"
                      "file. Removing 'target' makes 'local' the current profile.",
       .usage = {"[OPTIONS] KEY"},
       .examples = {"kinetic config unset store"},
       .writes_config = true},
      CompletionKind::kProfileSetting, options)
      .SetAction([options](Context& context) { return Unset(*options, context); });
}

}  // namespace

void RegisterConfigValues(Command& config) {
  RegisterConfigGet(config);
  RegisterConfigSet(config);
  RegisterConfigUnset(config);
}

}  // namespace kinetic::cli
