#include "backend/kubernetes/target.h"

#include "backend/capabilities.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/fallback/failover.h"
#include "backend/kubernetes/lifecycle/cancel.h"
#include "backend/kubernetes/lifecycle/launch.h"
#include "backend/kubernetes/lifecycle/outcome.h"
#include "backend/kubernetes/logs/pod_log.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/nodes/provisioning_job.h"
#include "backend/kubernetes/packages/build.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/concurrency/parallel.h"
#include "base/random.h"
#include "base/try.h"
#include "kube/client.h"

#include <atomic>
#include <utility>

namespace kinetic::backend {
namespace {

/// Bounds retries while cleaning up after a cancellation.
constexpr http::RetryPolicy kLeaving{.max_attempts = 3,
                                     .cap = std::chrono::milliseconds{2'000},
                                     .budget = std::chrono::milliseconds{10'000}};

class KubernetesTarget final : public Target,
                               private ClusterApi,
                               private ContainerImages,
                               private PackageBuilder,
                               private NodeProvisioner {
 public:
  KubernetesTarget(KubernetesTargetOptions options, connect::Cluster cluster,
                   KubernetesDependencies dependencies)
      : options_(std::move(options)),
        cluster_(std::move(cluster)),
        client_(*cluster_.transport, dependencies.clock, {.server = cluster_.server}),
        leaving_(*cluster_.transport, dependencies.clock,
                 {.server = cluster_.server, .retry = kLeaving}),
        namespace_(cluster_.default_namespace),
        dependencies_(dependencies),
        monitors_(client_, namespace_),
        listing_(client_, namespace_, options_.store, dependencies.clock) {}

  std::string Identity() const override { return cluster_.identity; }

  std::vector<Limitation> Check(const JobSpec& spec) const override {
    return CheckKubernetes(spec, options_.profile);
  }

  ClusterApi* cluster_api() override { return this; }
  ContainerImages* container_images() override { return this; }
  PackageBuilder* package_builder() override { return this; }
  NodeProvisioner* node_provisioner() override { return this; }

  BaseImage BaseOf(const JobSpec& spec) const override {
    return backend::BaseOf(spec, options_.profile);
  }

  Status Preflight(const JobSpec& /*spec*/, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const Ground ground,
                             CheckGround(client_, namespace_, options_.profile, std::move(stop)));
    restricted_ = ground.restricted;
    return {};
  }

  Result<std::vector<Value>> DescribeJob(const Launch& launch) const override {
    return DescribeLaunch(Place(), launch);
  }

  Status Start(const Launch& launch, std::stop_token stop) override {
    return LaunchJob(Place(), launch, std::move(stop));
  }

  Status BuildPackages(const PackagesLaunch& launch, Observer& observer,
                       std::stop_token stop) override {
    // Preflight may not have run, because a lock needs no job.
    KINETIC_ASSIGN_OR_RETURN(const Ground ground,
                             CheckGround(client_, namespace_, options_.profile, stop));
    return MakePackagesInPod({client_, leaving_, dependencies_.clock},
                             RequestOf(launch, ground.restricted), observer, std::move(stop));
  }

  Result<std::vector<Value>> DescribePackageBuild(const PackagesLaunch& launch) const override {
    KINETIC_ASSIGN_OR_RETURN(Value job, PackagesJob(RequestOf(launch, restricted_)));
    return std::vector<Value>{std::move(job)};
  }

  Status ProvisionNode(const NodeRequest& node,
                       const std::function<void(std::string_view)>& requested,
                       std::stop_token stop) override {
    // Does not wait for Preflight, which runs concurrently.
    KINETIC_ASSIGN_OR_RETURN(const Ground ground,
                             CheckGround(client_, namespace_, options_.profile, stop));
    NodeAheadRequest request{.node = node,
                             .cluster = options_.profile,
                             .restricted = ground.restricted,
                             .digits = RandomId()};
    request.cluster.name_space = namespace_;
    return AskAhead({client_, leaving_}, request, requested, std::move(stop));
  }

  Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(Observed observed, LookAt(id, Depth::kState, stop));
    if (!observed.job) {
      const auto moved =
          FinishMove({client_, namespace_, dependencies_.store, dependencies_.clock, id}, stop);
      if (!moved) return Failure(moved.error());
      // Another client may have completed the move before its plan was read.
      KINETIC_ASSIGN_OR_RETURN(observed, LookAt(id, Depth::kState, stop));
    }
    if (!observed.job) return std::optional<Observation>();
    return std::optional(ObservationOf(observed, dependencies_.clock.Now()));
  }

  Result<Observations> ObserveAll(std::stop_token stop) override {
    return listing_.ObserveAll(std::move(stop));
  }

  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const Observed observed, LookAt(id, Depth::kCause, stop));
    if (!observed.job) return std::optional<Explanation>();
    return std::optional(backend::Explain(observed.SituationAt(dependencies_.clock.Now())));
  }

  Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
               std::stop_token stop) override {
    const auto monitor = monitors_.Of(id);
    return WatchJob({*monitor, client_, namespace_, dependencies_.store, dependencies_.clock, id},
                    each, std::move(stop));
  }

  Result<std::uint64_t> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                             const LogReader& reader, std::stop_token stop) override {
    if (!follow) {
      KINETIC_ASSIGN_OR_RETURN(const Observed observed, LookAt(id, Depth::kState, stop));
      return ReadPodLogs(client_, namespace_, observed, from_sequence, reader, std::move(stop));
    }
    const auto monitor = monitors_.Of(id);
    return FollowPodLogs(
        {*monitor, client_, namespace_, dependencies_.store, dependencies_.clock, id},
        from_sequence, reader, std::move(stop));
  }

  Status Cancel(std::string_view id, std::stop_token stop) override {
    const auto monitor = monitors_.Of(id);
    return EndJob({*monitor, client_, namespace_, dependencies_.store, dependencies_.clock, id},
                  pod::StopCause{}, std::move(stop));
  }

  Status Remove(std::string_view id, std::stop_token stop) override {
    return ParallelFor(2, 2, stop, [&](std::size_t which, const std::stop_token& part_stop) {
      return which == 0 ? RemoveObjects(client_, namespace_, id, part_stop)
                        : ForgetMove(dependencies_.store, id, part_stop);
    });
  }

  Result<std::vector<LostJob>> Sweep(std::stop_token stop) override {
    return listing_.FindAbandoned(std::move(stop));
  }

  Result<std::vector<std::string>> RemoveOrphans(bool dry_run, std::stop_token stop) override {
    return RemoveLeftSecrets(client_,
                             {.name_space = namespace_,
                              .store = options_.store,
                              .now = dependencies_.clock.Now(),
                              .dry_run = dry_run},
                             std::move(stop));
  }

  Result<Remains> Collect(std::string_view id, store::Store& store, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const Observed observed, LookAt(id, Depth::kEnd, stop));
    return RemainsOf(observed, id, store, dependencies_.clock.Now(), std::move(stop));
  }

 private:
  PackagesManifestRequest RequestOf(const PackagesLaunch& launch, bool restricted) const {
    PackagesManifestRequest request{.launch = &launch,
                                    .store = options_.store,
                                    .cloud = CloudOfPods(options_.profile, options_.cloud),
                                    .cluster = options_.profile,
                                    .restricted = restricted};
    request.cluster.name_space = namespace_;
    return request;
  }

  LaunchPlace Place() const {
    return {client_, namespace_, options_.profile, options_.store, options_.cloud, restricted_};
  }

  Result<Observed> LookAt(std::string_view id, Depth depth, const std::stop_token& stop) {
    return LookAtJob(client_, namespace_, id, depth, stop);
  }

  const KubernetesTargetOptions options_;
  const connect::Cluster cluster_;
  const kube::Client client_;
  const kube::Client leaving_;
  const std::string namespace_;
  const KubernetesDependencies dependencies_;
  JobMonitors monitors_;
  JobListing listing_;
  std::atomic<bool> restricted_ = false;  ///< according to Preflight
};

}  // namespace

std::unique_ptr<Target> MakeKubernetesTarget(KubernetesTargetOptions options,
                                             connect::Cluster cluster,
                                             KubernetesDependencies dependencies) {
  return std::make_unique<KubernetesTarget>(std::move(options), std::move(cluster), dependencies);
}

}  // namespace kinetic::backend
