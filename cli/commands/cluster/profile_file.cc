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
      {SettingId::kEnvironmentImages, cluster.environment_images},
      {SettingId::kNodeAhead, cluster.node_ahead ? "" : "no"}};
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

/// Returns whether a saved profile is for this cluster, and not for another one of the same name.
///
/// @param anywhere  do not compare the location: the bucket, which clusters of one name share, is
///                  deleted.
bool IsOfCluster(const ConfigProfile& saved, const ClusterProfile& cluster, bool anywhere) {
  const auto matches = [&](SettingId id, const std::string& text) {
    const ConfigValue* value = saved.Find(Info(id).name);
    return value != nullptr && value->text == text;
  };
  return matches(SettingId::kProject, cluster.project) &&
         (anywhere || matches(SettingId::kLocation, cluster.location)) &&
         matches(SettingId::kCluster, cluster.cluster);
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

void ReleaseProfile(const Profile& profile, bool remove, Context& context) {
  if (context.config.Find(profile.name) == nullptr) return;
  bool was_used = false;
  bool was_removed = false;
  const auto change = [&](ConfigFile& config) -> Status {
    const ConfigProfile* saved = config.Find(profile.name);
    if (saved == nullptr || !IsOfCluster(*saved, profile.kubernetes, remove)) return {};
    was_used = config.target && config.target->text == profile.name;
    if (was_used) config.target.reset();
    was_removed = remove;
    if (remove) std::erase_if(config.profiles, [&](const auto& one) { return &one == saved; });
    return {};
  };
  const auto remark = ChangeConfig(context.settings.Path(SettingId::kConfig), change);
  if (!remark) return context.output.Warn(remark.error().message);
  if (!remark->empty()) context.output.Warn(*remark);
  if (was_removed) {
    context.output.Note(fmt::format("removed profile {}", profile.name));
  } else if (was_used) {
    context.output.Note(
        fmt::format("profile {} is no longer used; to see its jobs: kinetic ps --target {}",
                    profile.name, profile.name));
  }
}

std::string ProfileCommand(const Profile& profile) {
  std::string command = "kinetic profile create " + profile.name + " --use";
  for (const auto& [id, text] : SettingsOf(profile))
    command += fmt::format(" --set {}={}", Info(id).name, text);
  return command;
}

}  // namespace kinetic::cli
