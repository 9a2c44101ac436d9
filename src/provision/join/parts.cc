#include "provision/join/parts.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "provision/join/sufficient_access.h"
#include "provision/resources/all.h"
#include "provision/resources/grants.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace kinetic::provision {
namespace {

Part ServicesPart(const Scope& scope) {
  const std::vector<std::string> names{std::string(google::kStorage),
                                       std::string(google::kArtifactRegistry)};
  return {.check = "APIs",
          .good = "enabled",
          .missing = "not all enabled",
          .command = fmt::format("gcloud services enable {} --project={}", fmt::join(names, " "),
                                 scope.project),
          .resource = MakeServices(scope, names)};
}

Part BucketPart(const Scope& scope, const ClusterAdminOptions& options) {
  return {.check = "bucket",
          .good = fmt::format("gs://{} exists", scope.Bucket()),
          .missing = fmt::format("gs://{} does not exist", scope.Bucket()),
          .command = fmt::format("gcloud storage buckets create gs://{} --project={} --location={} "
                                 "--uniform-bucket-level-access --soft-delete-duration=0",
                                 scope.Bucket(), scope.project, scope.Region()),
          .resource = MakeBucket(scope, options)};
}

/// Returns the IAM members that stand for the pods of jobs.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity
std::vector<std::string> PodMembers(const Scope& scope, const KubernetesState& kubernetes) {
  const std::string principal = scope.PodPrincipal();
  const std::string pool = principal.substr(0, principal.find("/subject/"));
  std::vector<std::string> members{
      principal, "principalSet" + pool.substr(pool.find("://")) + "/namespace/" + scope.name_space,
      fmt::format("serviceAccount:{}[{}/{}]", scope.WorkloadPool(), scope.name_space,
                  scope.JobsAccount())};
  if (!kubernetes.google_account.empty())
    members.push_back("serviceAccount:" + kubernetes.google_account);
  return members;
}

std::string GrantCommands(const std::string& command, const AccessSpec& access) {
  std::string commands;
  for (const Grant& grant : access.grants) {
    commands += fmt::format("{}{} --role={} --member={}", commands.empty() ? "" : " && ", command,
                            grant.role, grant.member);
  }
  return commands;
}

Part BucketAccessPart(const Scope& scope, const KubernetesState& kubernetes) {
  AccessSpec access = PodsStore(scope);
  SufficientRoles sufficient{.roles = {"roles/storage.objectUser", "roles/storage.objectAdmin",
                                       "roles/storage.admin", "roles/editor", "roles/owner"},
                             .members = PodMembers(scope, kubernetes),
                             .policies = {access.target, ProjectPolicy(scope.project)}};
  const std::string command =
      fmt::format("gcloud storage buckets add-iam-policy-binding gs://{}", scope.Bucket());
  return {.check = "bucket access",
          .good = fmt::format("pods can use gs://{}", scope.Bucket()),
          .missing = fmt::format("pods have no access to gs://{}", scope.Bucket()),
          .command = GrantCommands(command, access),
          .resource = MakeSufficientAccess(*scope.api, std::move(access), std::move(sufficient))};
}

Part RepositoryPart(const Scope& scope) {
  return {.check = "image repository",
          .good = fmt::format("{} in {} exists", scope.name, scope.Region()),
          .missing = fmt::format("{} in {} does not exist", scope.name, scope.Region()),
          .command = fmt::format("gcloud artifacts repositories create {} "
                                 "--repository-format=docker --location={} --project={}",
                                 scope.name, scope.Region(), scope.project),
          .resource = MakeRepository(scope)};
}

Part ImageAccessPart(const Scope& scope, const std::string& account) {
  AccessSpec access = NodesPull(scope, account);
  access.name += " (" + account + ")";
  SufficientRoles sufficient{
      .roles = {"roles/artifactregistry.reader", "roles/artifactregistry.writer",
                "roles/artifactregistry.repoAdmin", "roles/artifactregistry.admin", "roles/viewer",
                "roles/editor", "roles/owner"},
      .members = {"serviceAccount:" + account},
      .policies = {access.target, ProjectPolicy(scope.project)}};
  const std::string command = fmt::format(
      "gcloud artifacts repositories add-iam-policy-binding {} --location={} --project={}",
      scope.name, scope.Region(), scope.project);
  return {.check = "image access",
          .good = fmt::format("nodes can pull images, as {}", account),
          .missing = fmt::format("nodes cannot pull images of the repository, as {}", account),
          .command = GrantCommands(command, access),
          .resource = MakeSufficientAccess(*scope.api, std::move(access), std::move(sufficient))};
}

Part RunnerImagePart(const Scope& scope, const ClusterAdminOptions& options,
                     std::string& reference) {
  return {.check = "runner image",
          .good = "the image of this version is in the repository",
          .missing = "the repository lacks the image of this version",
          .command =
              fmt::format("kinetic init --cluster={}{} --adopt", scope.name, scope.PlaceOptions()),
          .resource = MakeRunnerImage(scope, options, reference)};
}

HealthCheck Unread(const Part& part, const Error& error) {
  HealthCheck check{.name = part.check};
  // A bucket or repository that was created in another way is as good.
  if (error.code == ErrorCode::kFailedPrecondition) {
    check.evidence = part.good;
    return check;
  }
  if (error.code == ErrorCode::kAlreadyExists) {
    check.health = Health::kWarning;
    check.evidence = error.message;
    check.advice = "use it only if you trust its owner, or set another one with --store";
    return check;
  }
  const bool denied = error.code == ErrorCode::kPermissionDenied;
  check.health = denied ? Health::kWarning : Health::kFailed;
  check.evidence = denied ? "cannot be read: " + error.message : error.message;
  check.advice = denied ? "if it is missing: " + part.command : error.hint;
  return check;
}

}  // namespace

HealthCheck ToCheck(const Part& part, const Result<PlanStep>& step) {
  if (!step) return Unread(part, step.error());
  HealthCheck check{.name = part.check, .evidence = part.good};
  if (step->action == PlanAction::kKeep) {
    if (step->warnings.empty()) return check;
    check.health = Health::kWarning;
    check.evidence = Join(step->warnings, "; ");
    return check;
  }
  const bool exists = step->action == PlanAction::kChange;
  check.health = exists ? Health::kWarning : part.without;
  check.evidence = exists ? step->detail : part.missing;
  check.advice = part.command;
  return check;
}

std::vector<Part> PartsOf(const Scope& scope, const ClusterAdminOptions& options,
                          const ExistingCluster& cluster, const KubernetesState& kubernetes,
                          Images images, std::string& runner_image) {
  std::vector<Part> parts;
  parts.push_back(ServicesPart(scope));
  parts.push_back(BucketPart(scope, options));
  if (!cluster.workload_pool.empty()) parts.push_back(BucketAccessPart(scope, kubernetes));
  if (images == Images::kForeign) return parts;
  parts.push_back(RepositoryPart(scope));
  std::set<std::string> accounts;
  for (const ExistingPool& pool : cluster.pools) {
    if (accounts.insert(pool.account).second) parts.push_back(ImageAccessPart(scope, pool.account));
  }
  parts.push_back(RunnerImagePart(scope, options, runner_image));
  // Jobs can use the image of another version of kinetic.
  if (images == Images::kOwn) parts.back().without = Health::kWarning;
  return parts;
}

}  // namespace kinetic::provision
