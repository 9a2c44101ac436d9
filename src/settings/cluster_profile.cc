#include "settings/client_options.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::settings {
namespace {

EnvironmentForm FormOf(const Settings& settings) {
  const std::string& form = settings.Text(SettingId::kEnvironments);
  if (form == "archives") return EnvironmentForm::kArchives;
  return form == "layers" ? EnvironmentForm::kLayers : EnvironmentForm::kAuto;
}

ContainerEngine EngineOf(const Settings& settings) {
  const std::string& engine = settings.Text(SettingId::kContainerEngine);
  if (engine == "buildah") return ContainerEngine::kBuildah;
  if (engine == "podman") return ContainerEngine::kPodman;
  if (engine == "docker") return ContainerEngine::kDocker;
  return engine == "cloud-build" ? ContainerEngine::kCloudBuild : ContainerEngine::kAuto;
}

CloudBuildProfile CloudBuildOf(const Settings& settings) {
  CloudBuildProfile build;
  build.region = settings.Text(SettingId::kBuildRegion);
  build.machine = settings.Text(SettingId::kBuildMachine);
  build.service_account = settings.Text(SettingId::kBuildServiceAccount);
  build.endpoint = WithScheme(settings.Text(SettingId::kBuildEndpoint));
  const auto timeout = ParseDuration(settings.Text(SettingId::kBuildTimeout));
  if (timeout) build.timeout = std::chrono::ceil<std::chrono::minutes>(*timeout);
  return build;
}

std::vector<std::filesystem::path> Files(std::string_view list) {
  std::vector<std::filesystem::path> files;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    files.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return files;
}

}  // namespace

TargetKind TargetKindOf(const Settings& settings) {
  const std::string& kind = settings.Text(SettingId::kKind);
  if (kind == "kubernetes") return TargetKind::kKubernetes;
  return kind == "gke" ? TargetKind::kGke : TargetKind::kLocal;
}

ClusterProfile ClusterProfileOf(const Settings& settings, const ProcessEnvironment& process) {
  ClusterProfile cluster;
  cluster.kubeconfigs = Files(settings.Text(SettingId::kKubeconfig));
  cluster.context = settings.Text(SettingId::kContext);
  cluster.in_cluster = settings.IsYes(SettingId::kInCluster);
  cluster.project = settings.Text(SettingId::kProject);
  cluster.location = settings.Text(SettingId::kLocation);
  cluster.cluster = settings.Text(SettingId::kCluster);
  const std::string& endpoint = settings.Text(SettingId::kClusterEndpoint);
  cluster.private_endpoint = endpoint == "private";
  cluster.dns_endpoint = endpoint == "dns";
  cluster.name_space = settings.Text(SettingId::kNamespace);
  cluster.service_account = settings.Text(SettingId::kServiceAccount);
  cluster.image = settings.Text(SettingId::kImage);
  cluster.runner_image = settings.Text(SettingId::kRunnerImage);
  cluster.environments = FormOf(settings);
  cluster.container_engine = EngineOf(settings);
  cluster.environment_images = settings.Text(SettingId::kEnvironmentImages);
  cluster.cloud_build = CloudBuildOf(settings);
  cluster.plain_registries = settings.IsYes(SettingId::kPlainRegistries);
  cluster.node_ahead = settings.Text(SettingId::kNodeAhead) != "no";
  cluster.packages_in_memory = settings.Text(SettingId::kPackagesMedium) == "memory";
  cluster.runner_endpoint = settings.Text(SettingId::kRunnerEndpoint);
  cluster.runner_credentials = settings.Text(SettingId::kRunnerCredentials);
  cluster.interactive = process.terminal;
  return cluster;
}

Status CheckOptionsApply(const Settings& settings) {
  for (const SettingId id : {SettingId::kStateDir, SettingId::kCacheDir}) {
    if (settings.Get(id).origin != Origin::kDefault || settings.Text(id).starts_with('/')) continue;
    return Fail(ErrorCode::kFailedPrecondition, "HOME is not set",
                "set HOME, or set --state-dir, --cache-dir and --store");
  }
  const std::string& kind = settings.Text(SettingId::kKind);
  for (const SettingInfo& info : SettingsTable()) {
    const bool given = settings.Get(info.id).origin == Origin::kFlag;
    if (!given || AppliesTo(info, kind)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has no effect on target {}, which is of kind {}", info.flag,
                            settings.Text(SettingId::kTarget), kind),
                "omit it, or choose another --target");
  }
  return {};
}

}  // namespace kinetic::settings
