#include "kinetic/profile.h"

#include "kinetic/try.h"

#include "kube/kubeconfig/config.h"
#include "store/bucket/location.h"

#include <algorithm>

namespace kinetic::inline v0 {

bool IsInBucket(std::string_view store) { return store::IsBucketLocation(store); }

Result<std::vector<KubeContext>> ListContexts(
    const std::vector<std::filesystem::path>& kubeconfigs) {
  KINETIC_ASSIGN_OR_RETURN(const kube::Kubeconfig config,
                           kube::ReadKubeconfig(PosixFileSystem(), kubeconfigs));
  std::vector<KubeContext> contexts;
  for (const auto& context : config.contexts) {
    const auto cluster =
        std::ranges::find(config.clusters, context.cluster, &kube::ClusterEntry::name);
    contexts.push_back({context.name, cluster == config.clusters.end() ? "" : cluster->server,
                        context.name == config.current_context});
  }
  return contexts;
}

Status CheckBucketStore(std::string_view store) {
  KINETIC_RETURN_IF_ERROR(store::ParseBucketLocation(store));
  return {};
}

}  // namespace kinetic::inline v0
