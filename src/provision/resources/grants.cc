#include "provision/resources/grants.h"

#include <utility>

namespace kinetic::provision {
namespace {

/// The service account of job pods in earlier versions, regardless of the cluster.
constexpr std::string_view kEarlierAccount = "jobs";

}  // namespace

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

AccessSpec PodsStoreWithEarlier(const Scope& scope) {
  AccessSpec access = PodsStore(scope);
  for (Grant grant : access.grants) {
    grant.member = scope.Principal(scope.name_space, kEarlierAccount);
    access.earlier.push_back(std::move(grant));
  }
  access.earlier_warning =
      "jobs of other clusters in the project can use gs://" + scope.Bucket() +
      ", because an earlier version granted its roles to " + access.earlier.front().member +
      ". When no profile has service_account: " + std::string(kEarlierAccount) +
      ", remove each role of it: gcloud storage buckets remove-iam-policy-binding gs://" +
      scope.Bucket() + " --role=ROLE --member=" + access.earlier.front().member;
  return access;
}

}  // namespace kinetic::provision
