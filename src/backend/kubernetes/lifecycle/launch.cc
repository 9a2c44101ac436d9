
#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/start.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "base/concurrency/parallel.h"
#include "kube/object.h"
#include "pod/container.h"

#include <optional>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::string_view kMetadataServer = "http://metadata.google.internal";
constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kNoCredential = "none";

ManifestRequest RequestOf(const LaunchContext& context, const Launch& launch) {
  ManifestRequest request;
  request.record = launch.record;
  request.collect = {.job_id = launch.record->id,
                     .record_sha256 = launch.record_digest.Hex(),
                     .nonce = launch.record->nonce,
                     .store = context.store,
                     .cloud = CloudOptionsForPods(context.profile, context.cloud),
                     .image = ResolveImage(*launch.record, context.profile)};
  request.cluster = context.profile;
  request.cluster.name_space = context.name_space;
  request.secrets = launch.secrets;
  request.restricted = context.restricted;
  return request;
}

Status CheckSame(const Value& existing, const Value& job, std::string_view id) {
  if (MatchJob(existing, job) != JobMatch::kOther) return {};
  return Fail(ErrorCode::kAlreadyExists,
              "the cluster already has a different Job named " + std::string(kube::NameOf(job)),
              "use another ID, or remove it: kinetic rm " + std::string(id));
}

/// Makes the Job the owner of the Secret, so that both are deleted together.
Status SetOwner(const LaunchContext& context, const Value& job, const std::stop_token& stop) {
  const auto patched = context.client.Patch(kube::kSecrets, context.name_space, kube::NameOf(job),
                                            OwnerPatch(job), stop);
  if (!patched) return Failure(patched.error());
  return {};
}

}  // namespace

Result<std::vector<Value>> RenderManifests(const LaunchContext& context, const Launch& launch) {
  ManifestRequest request = RequestOf(context, launch);
  for (auto& secret : request.secrets) secret.second = "(left out)";
  KINETIC_ASSIGN_OR_RETURN(Manifests manifests, BuildManifests(request));
  std::vector<Value> objects;
  if (manifests.secret) objects.push_back(*std::move(manifests.secret));
  objects.push_back(std::move(manifests.job));
  return objects;
}

CloudOptions CloudOptionsForPods(const ClusterProfile& profile, const CloudOptions& client) {
  CloudOptions cloud;
  cloud.user_project = client.user_project;
  cloud.http_version = client.http_version;
  cloud.storage_endpoint =
      profile.runner_endpoint.empty() ? client.storage_endpoint : profile.runner_endpoint;
  if (profile.runner_credentials.empty() || profile.runner_credentials == kMetadata) {
    cloud.metadata_url = kMetadataServer;
  } else if (profile.runner_credentials != kNoCredential) {
    cloud.credential_file = pod::kCredentialFile;
    // The account of the metadata server may not use the services of another project.
    cloud.quota_project = client.quota_project;
  }
  return cloud;
}

Status LaunchJob(const LaunchContext& context, const Launch& launch, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Manifests manifests, BuildManifests(RequestOf(context, launch)));
  std::optional<kube::Client::CreateResult> job;
  const std::size_t objects = manifests.secret ? 2 : 1;
  const auto create = [&](std::size_t which, const std::stop_token& part_stop) -> Status {
    if (which == 1) {
      const auto secret =
          context.client.Create(kube::kSecrets, context.name_space, *manifests.secret, part_stop);
      if (!secret) return Failure(secret.error());
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(
        job, context.client.Create(kube::kJobs, context.name_space, manifests.job, part_stop));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(objects, objects, stop, create));
  if (job->existed) {
    KINETIC_RETURN_IF_ERROR(CheckSame(job->object, manifests.job, launch.record->id));
  }
  if (manifests.secret) KINETIC_RETURN_IF_ERROR(SetOwner(context, job->object, stop));
  return {};
}

}  // namespace kinetic::backend
