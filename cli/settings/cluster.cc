#include "settings/cluster.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {
namespace {

bool Yes(const Settings& settings, SettingId id) { return settings.Text(id) == "yes"; }

/// The files of a list with colons between them, absolute; empty parts count for nothing.
std::vector<std::filesystem::path> Files(std::string_view list, const Surroundings& here) {
  std::vector<std::filesystem::path> files;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string_view file = list.substr(0, end);
    if (file.starts_with("~/")) {
      files.push_back(here.home / file.substr(2));
    } else if (!file.empty()) {
      files.push_back(here.directory / file);
    }
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

ClusterProfile ClusterProfileOf(const Settings& settings, const Surroundings& here,
                                bool interactive) {
  ClusterProfile cluster;
  cluster.kubeconfigs = Files(settings.Text(SettingId::kKubeconfig), here);
  cluster.context = settings.Text(SettingId::kContext);
  cluster.in_cluster = Yes(settings, SettingId::kInCluster);
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
  cluster.runner_endpoint = settings.Text(SettingId::kRunnerEndpoint);
  cluster.runner_credentials = settings.Text(SettingId::kRunnerCredentials);
  cluster.interactive = interactive;
  return cluster;
}

}  // namespace kinetic::cli
