#include "commands/cluster/profile_settings.h"

#include <fmt/format.h>

namespace kinetic::cli {
namespace {

std::string EndpointName(const ClusterProfile& cluster) {
  if (cluster.dns_endpoint) return "dns";
  return cluster.private_endpoint ? "private" : "public";
}

}  // namespace

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

std::string ProfileCommand(const Profile& profile) {
  std::string command = "kinetic profile create " + profile.name + " --use";
  for (const auto& [id, text] : SettingsOf(profile))
    command += fmt::format(" --set {}={}", Info(id).name, text);
  return command;
}

}  // namespace kinetic::cli
