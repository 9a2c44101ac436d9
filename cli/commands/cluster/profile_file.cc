#include "commands/cluster/profile_file.h"

#include "kinetic/try.h"

#include "settings/sources.h"

#include <fmt/format.h>

#include <string>

namespace kinetic::cli {
namespace {

std::string EndpointName(const ClusterProfile& cluster) {
  if (cluster.dns_endpoint) return "dns";
  return cluster.private_endpoint ? "private" : "public";
}

void SetProfile(const Profile& profile, ConfigFile& config) {
  if (config.Find(profile.name) == nullptr) config.profiles.push_back({.name = profile.name});
  ConfigProfile& saved = *config.Find(profile.name);
  const auto set = [&](SettingId id, const std::string& text) {
    if (!text.empty()) saved.Set(Info(id).name, text);
  };
  const ClusterProfile& cluster = profile.kubernetes;
  set(SettingId::kKind, "gke");
  set(SettingId::kStore, profile.store);
  set(SettingId::kProject, cluster.project);
  set(SettingId::kLocation, cluster.location);
  set(SettingId::kCluster, cluster.cluster);
  set(SettingId::kClusterEndpoint, EndpointName(cluster));
  set(SettingId::kNamespace, cluster.name_space);
  set(SettingId::kServiceAccount, cluster.service_account);
  set(SettingId::kRunnerImage, cluster.runner_image);
  set(SettingId::kEnvironmentImages, cluster.environment_images);
}

Status Save(const Profile& profile, bool use, Context& context) {
  const auto change = [&](ConfigFile& config) -> Status {
    SetProfile(profile, config);
    if (use) config.target = ConfigValue{profile.name};
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const std::string remark,
                           ChangeConfig(context.settings.Path(SettingId::kConfig), change));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(fmt::format("{} profile {}, saved in {}", use ? "using" : "changed",
                                  profile.name, context.settings.Text(SettingId::kConfig)));
  return {};
}

}  // namespace

Status SaveProfile(const Profile& profile, Context& context) {
  return Save(profile, false, context);
}

Status SaveAndUseProfile(const Profile& profile, Context& context) {
  return Save(profile, true, context);
}

}  // namespace kinetic::cli
