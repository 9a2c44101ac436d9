#include "job/open_target.h"

#include "base/try.h"
#include "cloud/cluster.h"
#include "target/kubernetes_target.h"
#include "target/local_target.h"

#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// Of the cache folder: what credential plugins gave, and where clusters are.
constexpr std::string_view kClusterCache = "clusters";

std::unique_ptr<target::Target> OpenLocal(const ClientOptions& options, const cloud::Seams& seams) {
  return target::MakeLocalTarget({.state_dir = options.state_dir,
                                  .runner = options.runner,
                                  .store = options.profile.store,
                                  .search_path = options.search_path,
                                  .concurrency = options.profile.concurrency,
                                  .data_cache = options.profile.data_cache,
                                  .cloud = options.cloud},
                                 seams.fs, seams.clock);
}

/// Empty: it makes none.
std::string FormThatMakesImages(EnvironmentForm form) {
  if (form == EnvironmentForm::kLayers) return "layers";
  if (form == EnvironmentForm::kEngine) return "engine";
  return form == EnvironmentForm::kCloudBuild ? "cloud-build" : "";
}

Status CheckCloudBuild(const Profile& profile) {
  const ClusterProfile& cluster = profile.kubernetes;
  if (cluster.environments != EnvironmentForm::kCloudBuild || !cluster.project.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "opening the target " + profile.name +
                  ": its profile has images made by Cloud Build, and names no project",
              "name it: kinetic profile create " + profile.name + " --set project=PROJECT");
}

Status CheckProfile(const Profile& profile) {
  if (profile.kubernetes.runner_image.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "opening the target " + profile.name + ": its profile names no runner_image",
                "kinetic image runner writes that image; put it where the cluster pulls from, and "
                "name it: kinetic profile create " +
                    profile.name + " --set runner_image=REGISTRY/NAME:TAG");
  }
  const std::string form = FormThatMakesImages(profile.kubernetes.environments);
  if (!form.empty() && profile.kubernetes.environment_images.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "opening the target " + profile.name +
                    ": its profile wants images for packages (environments: " + form +
                    "), and names no environment_images",
                "name where they are kept: kinetic profile create " + profile.name +
                    " --set environment_images=REGISTRY/NAME");
  }
  KINETIC_RETURN_IF_ERROR(CheckCloudBuild(profile));
  if (IsInBucket(profile.store)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "opening the target " + profile.name + ": its store is " + profile.store +
                  ", a folder of this machine, which pods cannot reach",
              "give the profile a bucket: store = gs://bucket/folder");
}

}  // namespace

Result<std::unique_ptr<target::Target>> OpenTarget(const ClientOptions& options,
                                                   const cloud::Seams& seams, store::Store& store,
                                                   std::string_view identity,
                                                   std::stop_token stop) {
  const Profile& profile = options.profile;
  if (profile.kind == TargetKind::kLocal) return OpenLocal(options, seams);
  KINETIC_ASSIGN_OR_RETURN(cloud::Cluster cluster,
                           OpenClusterOf(options, seams, identity, std::move(stop)));
  return target::MakeKubernetesTarget(
      {.profile = profile.kubernetes, .store = profile.store, .cloud = options.cloud},
      std::move(cluster), {.store = store, .clock = seams.clock});
}

Result<cloud::Cluster> OpenClusterOf(const ClientOptions& options, const cloud::Seams& seams,
                                     std::string_view identity, std::stop_token stop) {
  const Profile& profile = options.profile;
  KINETIC_RETURN_IF_ERROR(CheckProfile(profile));
  return cloud::OpenCluster({.kind = profile.kind,
                             .profile = profile.kubernetes,
                             .identity = std::string(identity),
                             .cloud = options.cloud,
                             .search_path = options.search_path,
                             .environment = options.environment,
                             .cache = options.cache_dir / kClusterCache},
                            seams, std::move(stop));
}

}  // namespace kinetic::job
