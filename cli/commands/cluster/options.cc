#include "commands/cluster/options.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "settings/cached_prices.h"
#include "settings/client_options.h"
#include "settings/regular_file.h"

#include <filesystem>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr const char* kDefaultFile = "kinetic.yaml";
constexpr std::size_t kMaxFileBytes = 1U << 20;

Result<ClusterSpec> ReadFile(const std::optional<std::string>& file, const Context& context) {
  const std::string name = file.value_or(kDefaultFile);
  const std::filesystem::path path = context.process.directory / name;
  std::error_code ignored;
  if (!file && !std::filesystem::exists(path, ignored)) return ClusterSpec{};
  KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, name, kMaxFileBytes));
  return ParseClusterFile(text, name);
}

/// Sets a member from a setting, unless the file has it and the setting is only from the profile.
void SetFromSetting(SettingId id, const Context& context, bool in_file, std::string& member) {
  const SettingValue& value = context.settings.Get(id);
  if (value.text.empty() || (in_file && value.origin != Origin::kFlag)) return;
  member = value.text;
}

/// Returns whether a setting is that of the profile of a cluster with another name.
bool IsOfAnotherCluster(SettingId id, const std::string& name, const Context& context) {
  if (context.settings.Get(id).origin != Origin::kProfile) return false;
  const ConfigProfile* profile = context.config.Find(context.settings.Text(SettingId::kTarget));
  const ConfigValue* cluster =
      profile != nullptr ? profile->Find(Info(SettingId::kCluster).name) : nullptr;
  return cluster != nullptr && cluster->text != name;
}

Result<ClusterSpec> ReadSpec(const std::optional<std::string>& file, bool is_new,
                             const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(ClusterSpec spec, ReadFile(file, context));
  SetFromSetting(SettingId::kProject, context, !spec.project.empty(), spec.project);
  SetFromSetting(SettingId::kCluster, context, spec.name != ClusterSpec{}.name, spec.name);
  const bool has_zones = !spec.location.empty() || !spec.locations.empty();
  const bool ignores_profile =
      (is_new && context.settings.Get(SettingId::kLocation).origin == Origin::kProfile) ||
      IsOfAnotherCluster(SettingId::kLocation, spec.name, context);
  if (!ignores_profile) SetFromSetting(SettingId::kLocation, context, has_zones, spec.location);
  if (!spec.location.empty()) spec.locations.clear();
  if (!IsOfAnotherCluster(SettingId::kNamespace, spec.name, context))
    SetFromSetting(SettingId::kNamespace, context, false, spec.name_space);
  return spec;
}

}  // namespace

Result<ClusterSpec> ClusterSpecOf(const std::optional<std::string>& file, const Context& context) {
  return ReadSpec(file, false, context);
}

Result<ClusterSpec> NewClusterSpecOf(const std::optional<std::string>& file,
                                     const Context& context) {
  return ReadSpec(file, true, context);
}

void AddClusterFileOption(Command& command, std::optional<std::string>& file) {
  command.Text({"-f,--file", "FILE",
                "Cluster file (default: kinetic.yaml, if it exists in the current directory)",
                CompletionKind::kFile},
               file);
}

ClusterAdminOptions ClusterAdminOptionsOf(const Context& context) {
  return ClusterAdminOptionsOf(context, context.settings);
}

ClusterAdminOptions ClusterAdminOptionsOf(const Context& context, const Settings& settings) {
  ClusterAdminOptions options;
  options.cloud = CloudOptionsOf(settings, context.process);
  options.cloud.requests = context.requests;
  options.cloud.waits = context.waits;
  options.registry = RegistryOptionsOf(settings, context.process);
  options.registry.cloud.requests = context.requests;
  options.registry.log = context.log;
  options.runner_image.runner = settings.Path(SettingId::kRunner);
  options.runner_image.launcher = options.runner_image.runner.parent_path() / "kinetic-launcher";
  options.prices = ReadCachedPrices(settings);
  options.log = context.log;
  return options;
}

}  // namespace kinetic::cli
