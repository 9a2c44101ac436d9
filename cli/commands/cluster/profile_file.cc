#include "commands/cluster/profile_file.h"

#include "kinetic/try.h"

#include "settings/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

std::string EndpointName(const ClusterProfile& cluster) {
  if (cluster.dns_endpoint) return "dns";
  return cluster.private_endpoint ? "private" : "public";
}

/// Returns the settings of a profile for jobs on a GKE cluster. Empty texts are left out.
std::vector<std::pair<SettingId, std::string>> SettingsOf(const Profile& profile) {
  const ClusterProfile& cluster = profile.kubernetes;
  std::vector<std::pair<SettingId, std::string>> settings{
      {SettingId::kKind, "gke"},
      {SettingId::kStore, profile.store},
      {SettingId::kProject, cluster.project},
      {SettingId::kLocation, cluster.location},
      {SettingId::kCluster, cluster.cluster},
      {SettingId::kClusterEndpoint, EndpointName(cluster)},
      {SettingId::kNamespace, cluster.name_space},
      {SettingId::kServiceAccount, cluster.service_account},
      {SettingId::kRunnerImage, cluster.runner_image},
      {SettingId::kEnvironmentImages, cluster.environment_images}};
  std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
  return settings;
}

void SetProfile(const Profile& profile, ConfigFile& config) {
  if (config.Find(profile.name) == nullptr) config.profiles.push_back({.name = profile.name});
  ConfigProfile& saved = *config.Find(profile.name);
  for (const auto& [id, text] : SettingsOf(profile)) saved.Set(Info(id).name, text);
}

enum class Use : std::uint8_t { kNo, kIfNone, kYes };

Status Write(const Profile& profile, Use use, Context& context) {
  const auto change = [&](ConfigFile& config) -> Status {
    SetProfile(profile, config);
    if (use == Use::kYes || (use == Use::kIfNone && !config.target))
      config.target = ConfigValue{profile.name};
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const std::string remark,
                           ChangeConfig(context.settings.Path(SettingId::kConfig), change));
  if (!remark.empty()) context.output.Warn(remark);
  return {};
}

Status Save(const Profile& profile, Use use, Context& context) {
  KINETIC_RETURN_IF_ERROR(Write(profile, use, context));
  context.output.Note(fmt::format("{} profile {}, saved in {}",
                                  use == Use::kYes ? "using" : "changed", profile.name,
                                  context.settings.Text(SettingId::kConfig)));
  return {};
}

}  // namespace

Status SaveProfile(const Profile& profile, Context& context) {
  return Save(profile, Use::kNo, context);
}

Status SaveAndUseProfile(const Profile& profile, Context& context) {
  return Save(profile, Use::kYes, context);
}

Status PrepareProfile(const Profile& profile, Context& context) {
  return Write(profile, Use::kIfNone, context);
}

Status ReleaseProfile(const Profile& profile, bool remove, Context& context) {
  const auto is_of_cluster = [&](const ConfigProfile& saved) {
    const ConfigValue* cluster = saved.Find(Info(SettingId::kCluster).name);
    return saved.name == profile.name && cluster != nullptr &&
           cluster->text == profile.kubernetes.cluster;
  };
  if (std::ranges::none_of(context.config.profiles, is_of_cluster)) return {};
  const auto change = [&](ConfigFile& config) -> Status {
    if (config.target && config.target->text == profile.name) config.target.reset();
    if (remove) std::erase_if(config.profiles, is_of_cluster);
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const std::string remark,
                           ChangeConfig(context.settings.Path(SettingId::kConfig), change));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(remove ? fmt::format("removed profile {}", profile.name)
                             : fmt::format("profile {} is no longer used; to see its jobs: "
                                           "kinetic ps --target {}",
                                           profile.name, profile.name));
  return {};
}

std::string ProfileCommand(const Profile& profile) {
  std::string command = "kinetic profile create " + profile.name + " --use";
  for (const auto& [id, text] : SettingsOf(profile))
    command += fmt::format(" --set {}={}", Info(id).name, text);
  return command;
}

}  // namespace kinetic::cli
