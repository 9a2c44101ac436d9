#include "kinetic/try.h"

#include "backend/kubernetes/target.h"
#include "backend/local/target.h"
#include "connect/cluster.h"
#include "job/context.h"
#include "local/job_cache.h"

#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// Cache folder for credential plugin results and cluster endpoints.
constexpr std::string_view kClusterCache = "clusters";

std::unique_ptr<backend::Target> OpenLocal(const ClientOptions& options,
                                           const connect::Dependencies& dependencies) {
  return backend::MakeLocalTarget({.state_dir = options.state_dir,
                                   .runner = options.runner,
                                   .store = options.profile.store,
                                   .search_path = options.search_path,
                                   .concurrency = options.profile.concurrency,
                                   .data_cache = options.profile.data_cache,
                                   .job_cache = local::JobCacheFolder(options.cache_dir),
                                   .cloud = options.cloud,
                                   .log = options.log},
                                  dependencies.fs, dependencies.clock);
}

Status CheckCloudBuild(const Profile& profile) {
  const ClusterProfile& cluster = profile.kubernetes;
  if (cluster.container_engine != ContainerEngine::kCloudBuild || !cluster.project.empty()) {
    return {};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "cannot open the target " + profile.name +
                  ": its profile sets container_engine: cloud-build but no project",
              "set one: kinetic profile create " + profile.name + " --set project=PROJECT");
}

Status CheckProfile(const Profile& profile) {
  if (profile.kubernetes.runner_image.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot open the target " + profile.name + ": its profile sets no runner_image",
                profile.kind == TargetKind::kGke
                    ? "to build and set it, run: kinetic init --cluster " +
                          (profile.kubernetes.cluster.empty() ? std::string("CLUSTER")
                                                              : profile.kubernetes.cluster) +
                          " --adopt"
                    : "push one with 'kinetic image runner --push NAME', then set it: kinetic "
                      "profile create " +
                          profile.name + " --set runner_image=REGISTRY/NAME:TAG");
  }
  if (profile.kubernetes.environments == EnvironmentForm::kLayers &&
      profile.kubernetes.environment_images.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot open the target " + profile.name +
                    ": its profile sets environments: layers but no environment_images",
                "set a repository: kinetic profile create " + profile.name +
                    " --set environment_images=REGISTRY/NAME");
  }
  KINETIC_RETURN_IF_ERROR(CheckCloudBuild(profile));
  if (IsInBucket(profile.store)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "cannot open the target " + profile.name + ": its store is " + profile.store +
                  ", a folder on this machine, which pods cannot reach",
              "set a bucket in the profile: store = gs://bucket/folder");
}

Result<connect::Cluster> OpenClusterOf(const ClientOptions& options,
                                       const connect::Dependencies& dependencies,
                                       std::string_view identity, std::stop_token stop) {
  const Profile& profile = options.profile;
  KINETIC_RETURN_IF_ERROR(CheckProfile(profile));
  return connect::OpenCluster({.kind = profile.kind,
                               .profile = profile.kubernetes,
                               .identity = std::string(identity),
                               .cloud = options.cloud,
                               .search_path = options.search_path,
                               .environment = options.environment,
                               .cache = options.cache_dir / kClusterCache},
                              dependencies, std::move(stop));
}

}  // namespace

Result<std::unique_ptr<backend::Target>> OpenTarget(const ClientOptions& options,
                                                    const connect::Dependencies& dependencies,
                                                    store::Store& store, std::string_view identity,
                                                    std::stop_token stop) {
  const Profile& profile = options.profile;
  if (profile.kind == TargetKind::kLocal) return OpenLocal(options, dependencies);
  KINETIC_ASSIGN_OR_RETURN(connect::Cluster cluster,
                           OpenClusterOf(options, dependencies, identity, std::move(stop)));
  return backend::MakeKubernetesTarget({.profile = profile.kubernetes,
                                        .store = profile.store,
                                        .cloud = options.cloud,
                                        .prices = options.prices},
                                       std::move(cluster),
                                       {.store = store, .clock = dependencies.clock});
}

}  // namespace kinetic::job
