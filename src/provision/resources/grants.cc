#include "provision/resources/grants.h"

namespace kinetic::provision {

AccessSpec NodesRun(const Scope& scope) {
  return {.name = "nodes: run",
          .target = ProjectPolicy(scope.project),
          .grants = {{"roles/container.defaultNodeServiceAccount",
                      "serviceAccount:" + scope.NodeAccount()}},
          .needs = {"service account"}};
}

AccessSpec NodesPull(const Scope& scope, const std::string& account) {
  return {.name = "nodes: pull images",
          .target = RepositoryPolicy(scope.RepositoryPath()),
          .grants = {{"roles/artifactregistry.reader", "serviceAccount:" + account}},
          .needs = {"repository", "service account"}};
}

AccessSpec PodsStore(const Scope& scope) {
  return {.name = "pods: read and write the bucket",
          .target = BucketPolicy(scope.Bucket()),
          .grants = {{"roles/storage.objectUser", scope.PodPrincipal()},
                     {"roles/storage.legacyBucketReader", scope.PodPrincipal()}},
          .needs = {"bucket", "cluster"}};
}

}  // namespace kinetic::provision
