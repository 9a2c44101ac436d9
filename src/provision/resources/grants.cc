#include "provision/resources/grants.h"

#include <utility>

namespace kinetic::provision {
namespace {

/// The service account of job pods in earlier versions, regardless of the cluster.
constexpr std::string_view kEarlierAccount = "jobs";

}  // namespace

/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/image-streaming
AccessSpec NodesRun(const Scope& scope) {
  const std::string account = "serviceAccount:" + scope.NodeAccount();
  return {.name = "nodes: run",
          .target = ProjectPolicy(scope.project),
          .grants = {{"roles/container.defaultNodeServiceAccount", account},
                     {"roles/serviceusage.serviceUsageConsumer", account}},  // image streaming
          .needs = {"service account"},
          .first_suffices = true};
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
  for (const auto& [role, kind] : {std::pair{"legacyBucketOwner", "projectEditor:"},
                                   {"legacyObjectOwner", "projectEditor:"},
                                   {"legacyBucketReader", "projectViewer:"},
                                   {"legacyObjectReader", "projectViewer:"}})
    access.revoked.push_back({.role = std::string("roles/storage.") + role,
                              .member = kind + scope.project,
                              .only_if = {},
                              .description = {}});
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
