#include "backend/kubernetes/target.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/lifecycle/failover.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/lifecycle/shared_pods.h"
#include "backend/kubernetes/lifecycle/start.h"
#include "backend/kubernetes/logs/end_line.h"
#include "backend/kubernetes/logs/follow.h"
#include "backend/kubernetes/manifest/cost_limit.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/job_price.h"
#include "backend/kubernetes/nodes/provisioning.h"
#include "backend/kubernetes/probe/run.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/concurrency/parallel.h"
#include "base/random.h"
#include "connect/lazy_connection.h"
#include "http/server_clock.h"
#include "kube/client.h"
#include "kube/object.h"
#include "record/task_id.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// Bounds retries while cleaning up after a cancellation.
constexpr http::RetryPolicy kCleanupRetry{.max_attempts = 3,
                                          .cap = std::chrono::milliseconds{2'000},
                                          .budget = std::chrono::milliseconds{10'000}};

/// The user may shorten retries, and sees them.
kube::ClientOptions ClientOptionsFor(const std::string& server, const CloudOptions& cloud,
                                     http::RetryObserver& observer) {
  kube::ClientOptions options{.server = server};
  options.retry.budget = std::min<std::chrono::milliseconds>(options.retry.budget, cloud.retry_for);
  options.retry.service = "the cluster";
  options.retry.observer = &observer;
  return options;
}

/// The earlier one of this machine's time and the API server's, with whose times it is compared. If
/// one of them is ahead, jobs wait longer, instead of being ended.
class EarlierClock final : public Clock {
 public:
  EarlierClock(Clock& here, const http::ServerClock& server) : here_(here), server_(server) {}

  WallTime Now() const override {
    return std::min(here_.Now(), server_.Now().value_or(here_.Now()));
  }
  SteadyTime Steady() const override { return here_.Steady(); }
  Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) override {
    return here_.Sleep(duration, std::move(stop));
  }

 private:
  Clock& here_;
  const http::ServerClock& server_;
};

class KubernetesTarget final : public Target,
                               private ContainerImages,
                               private PodProber,
                               private NodeProvisioner {
 public:
  KubernetesTarget(KubernetesTargetOptions options, connect::Cluster cluster,
                   KubernetesDependencies dependencies)
      : options_(std::move(options)),
        cluster_(std::move(cluster)),
        retries_(options_.cloud.waits),
        server_clock_(*cluster_.transport, dependencies.clock),
        clock_(dependencies.clock, server_clock_),
        client_(server_clock_, clock_, ClientOptionsFor(cluster_.server, options_.cloud, retries_)),
        cleanup_client_(server_clock_, clock_, {.server = cluster_.server, .retry = kCleanupRetry}),
        namespace_(cluster_.default_namespace),
        dependencies_{dependencies.store, clock_},
        monitors_(client_, namespace_),
        listing_(client_, namespace_, options_.store, clock_) {}

  std::string Identity() const override { return cluster_.identity; }

  TargetTraits Traits() const override {
    return {.is_remote = true,
            .runner_stores_log = true,
            .runner_awaits_record = true,
            .has_accelerators = true};
  }

  std::vector<Limitation> Check(const JobSpec& spec) const override {
    return CheckSpecForKubernetes(spec, options_.profile, options_.prices);
  }

  std::optional<std::chrono::milliseconds> RunLimit(const JobSpec& spec) const override {
    if (spec.max_cost.empty()) return std::nullopt;
    const auto limit = CostLimit(spec, options_.profile, options_.prices);
    return limit ? std::optional(*limit) : std::nullopt;
  }

  std::optional<JobPrice> PriceOf(const JobSpec& spec) const override {
    return JobPriceOf(spec, options_.profile, options_.prices);
  }

  ContainerImages* container_images() override { return this; }
  PodProber* pod_prober() override { return this; }
  NodeProvisioner* node_provisioner() override { return this; }

  BaseImage BaseImageOf(const JobSpec& spec) const override {
    return ResolveBaseImage(spec, options_.profile);
  }

  Status Preflight(std::stop_token stop) override {
    KINETIC_RETURN_IF_ERROR(Capabilities(stop, true));
    return {};
  }

  Result<std::vector<Value>> DescribeJob(const Launch& launch, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const NamespaceCapabilities capabilities, Capabilities(stop));
    return RenderManifests(ContextFor(capabilities), launch);
  }

  Status Start(const Launch& launch, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const NamespaceCapabilities capabilities, Capabilities(stop));
    const auto has_no_secret = [&](bool known) {
      const std::lock_guard lock(secretless_mutex_);
      if (known) secretless_.insert(launch.record->id);
      if (!known) secretless_.erase(launch.record->id);
    };
    has_no_secret(false);  // known of an earlier job with this ID
    KINETIC_RETURN_IF_ERROR(LaunchJob(ContextFor(capabilities), launch, std::move(stop)));
    if (launch.secrets.empty()) has_no_secret(true);
    return {};
  }

  Result<std::string> ProbePod(std::chrono::seconds deadline, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const NamespaceCapabilities capabilities, Capabilities(stop));
    ProbeRequest request{.store = options_.store,
                         .cloud = CloudOptionsForPods(options_.profile, options_.cloud),
                         .cluster = options_.profile,
                         .restricted = capabilities.restricted,
                         .digits = RandomId()};
    request.cluster.name_space = namespace_;
    return RunProbe(Clients(), request, deadline, std::move(stop));
  }

  Status ProvisionNode(const NodeRequest& node,
                       const std::function<void(std::string_view)>& requested,
                       std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const NamespaceCapabilities capabilities, Capabilities(stop));
    ProvisioningJobRequest request{.node = node,
                                   .cluster = options_.profile,
                                   .restricted = capabilities.restricted,
                                   .digits = RandomId()};
    request.cluster.name_space = namespace_;
    return backend::ProvisionNode(Clients(), request, requested, std::move(stop));
  }

  Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) override {
    if (record::ParseTaskId(id)) return ObserveTask(id, stop);
    KINETIC_ASSIGN_OR_RETURN(ClusterSnapshot snapshot, Fetch(id, Detail::kState, stop));
    if (!snapshot.job) {
      const auto resumed =
          ResumeFailover({client_, namespace_, dependencies_.store, dependencies_.clock, id}, stop);
      if (!resumed) return Failure(resumed.error());
      // Another client may have completed the failover before its plan was read.
      KINETIC_ASSIGN_OR_RETURN(snapshot, Fetch(id, Detail::kState, stop));
    }
    if (!snapshot.job && snapshot.pods.empty())
      KINETIC_RETURN_IF_ERROR(FetchPodsOfTasks(snapshot, stop));
    if (!snapshot.job) return ObserveDeleted(snapshot, dependencies_.clock.Now());
    Observation seen = ObservationOf(snapshot, dependencies_.clock.Now());
    if (TasksPerPodOf(*snapshot.job) > 1) {
      KINETIC_RETURN_IF_ERROR(EndedCounts(dependencies_.store, id).Correct(seen.status, stop));
    }
    return std::optional(std::move(seen));
  }

  Status WatchEnds(const std::function<void(std::string_view id)>& ended,
                   std::stop_token stop) override {
    return backend::WatchEnds(client_, namespace_, ended, std::move(stop));
  }

  Result<Observations> ObserveAll(std::stop_token stop) override {
    return listing_.ObserveAll(std::move(stop));
  }

  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const ClusterSnapshot snapshot, Fetch(id, Detail::kCause, stop));
    if (!snapshot.job) return ExplainDeleted(snapshot, dependencies_.clock.Now());
    auto explanation = backend::Explain(snapshot.ViewAt(dependencies_.clock.Now()));
    bool has_pod = !record::ParseTaskId(id) || !AllPodsEnded(snapshot);
    if (IsSharedTask(snapshot)) {
      KINETIC_ASSIGN_OR_RETURN(const auto state, ReadSharedTask(dependencies_.store, id, stop));
      has_pod = has_pod && state != SharedTaskState::kWaiting;
    }
    if (has_pod || IsTerminal(explanation.state)) return std::optional(std::move(explanation));
    explanation = MakeExplanation(Cause::kNoStatus, JobState::kQueued);
    explanation.phase = Phase::kQueue;
    explanation.headline = "waits for its turn, or for its next attempt";
    return std::optional(std::move(explanation));
  }

  Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
               std::stop_token stop) override {
    const auto monitor = monitors_.Get(id);
    const WatchedJob job{*monitor, client_, namespace_, dependencies_.store, dependencies_.clock,
                         id};
    const EndLineReader end_line(job);
    return WatchJob(job, each, std::move(stop));
  }

  Result<LogRead> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                       const LogRecordSink& reader, std::stop_token stop) override {
    if (!follow) {
      KINETIC_ASSIGN_OR_RETURN(const ClusterSnapshot snapshot, Fetch(id, Detail::kState, stop));
      return ReadPodLogs(client_, namespace_, snapshot, from_sequence, reader, std::move(stop));
    }
    const auto monitor = monitors_.Get(id);
    return FollowPodLogs(
        {*monitor, client_, namespace_, dependencies_.store, dependencies_.clock, id},
        from_sequence, reader, std::move(stop));
  }

  Status Cancel(std::string_view id, std::stop_token stop) override {
    const auto monitor = monitors_.Get(id);
    const WatchedJob job{*monitor, client_, namespace_, dependencies_.store, dependencies_.clock,
                         id};
    if (record::ParseTaskId(id)) return EndTask(job, std::move(stop));
    return EndJob(job, pod::StopCause{}, std::move(stop));
  }

  Status Remove(std::string_view id, std::stop_token stop) override {
    if (record::ParseTaskId(id)) return {};  // removed with its job
    return ParallelFor(2, 2, stop, [&](std::size_t which, const std::stop_token& part_stop) {
      return which == 0 ? RemoveObjects(client_, namespace_, id, MayHaveSecret(id), part_stop)
                        : DropFailover(dependencies_.store, id, part_stop);
    });
  }

  Result<std::vector<AbandonedJob>> Sweep(std::stop_token stop) override {
    return listing_.FindAbandoned(std::move(stop));
  }

  Result<std::vector<std::string>> RemoveOrphans(bool dry_run, std::stop_token stop) override {
    return RemoveOrphanedSecrets(client_,
                                 {.name_space = namespace_,
                                  .store = options_.store,
                                  .now = dependencies_.clock.Now(),
                                  .dry_run = dry_run},
                                 std::move(stop));
  }

  Result<CollectedState> Collect(std::string_view id, store::Store& store,
                                 std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const ClusterSnapshot snapshot, Fetch(id, Detail::kEnd, stop));
    return CollectState(snapshot, id, store, dependencies_.clock.Now(), std::move(stop));
  }

 private:
  ClusterClients Clients() const { return {client_, cleanup_client_, dependencies_.clock}; }

  /// Returns the properties of the namespace. They are checked once, or again if `refresh` is set.
  Result<NamespaceCapabilities> Capabilities(const std::stop_token& stop, bool refresh = false) {
    const std::lock_guard lock(capabilities_mutex_);  // concurrent callers share one check
    if (!capabilities_ || refresh) {
      KINETIC_ASSIGN_OR_RETURN(capabilities_,
                               CheckNamespace(client_, namespace_, options_.profile, stop));
    }
    return *capabilities_;
  }

  bool MayHaveSecret(std::string_view id) {
    const std::lock_guard lock(secretless_mutex_);
    return !secretless_.contains(id);
  }

  LaunchContext ContextFor(const NamespaceCapabilities& capabilities) const {
    return {client_,        namespace_,     options_.profile,
            options_.store, options_.cloud, capabilities.restricted};
  }

  /// A task without a pod waits for its turn, or has ended.
  Result<std::optional<Observation>> ObserveTask(std::string_view id, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const ClusterSnapshot snapshot, Fetch(id, Detail::kState, stop));
    if (IsSharedTask(snapshot)) return ObserveSharedTask(snapshot, stop);
    if (AllPodsEnded(snapshot)) return std::optional<Observation>();
    const WallTime now = dependencies_.clock.Now();
    if (!snapshot.job) return ObserveDeleted(snapshot, now);
    Observation seen = ObservationOf(snapshot, now);
    if (IsTerminal(seen.status.state)) {  // its pod ends
      seen.status.state = JobState::kRunning;
      seen.status.phase = Phase::kCollect;
    }
    seen.alive = true;
    return std::optional(std::move(seen));
  }

  static bool IsSharedTask(const ClusterSnapshot& snapshot) {
    return snapshot.job && record::ParseTaskId(snapshot.job_id) && TasksPerPodOf(*snapshot.job) > 1;
  }

  /// The pod runs other tasks, too, so the store decides whether this one runs. One that was
  /// interrupted waits for the next pod.
  Result<std::optional<Observation>> ObserveSharedTask(const ClusterSnapshot& snapshot,
                                                       const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto state,
                             ReadSharedTask(dependencies_.store, snapshot.job_id, stop));
    Observation seen = ObservationOf(snapshot, dependencies_.clock.Now());
    const bool has_pod = !AllPodsEnded(snapshot);
    const bool may_run = has_pod || !IsTerminal(seen.status.state);
    if (state != SharedTaskState::kStarted || !may_run) return std::optional<Observation>();
    if (!has_pod || IsTerminal(seen.status.state)) {
      seen.status.state = has_pod ? JobState::kRunning : JobState::kPending;
      seen.status.phase = has_pod ? Phase::kCollect : Phase::kQueue;
      seen.status.reason = has_pod ? "" : "its pod has ended; waits for the next one";
    }
    seen.alive = true;
    return std::optional(std::move(seen));
  }

  /// Adds the pods of an array whose Job was deleted: they may still store results.
  Status FetchPodsOfTasks(ClusterSnapshot& snapshot, const std::stop_token& stop) {
    const kube::ListOptions query{.label_selector = ArraySelector(snapshot.job_id),
                                  .field_selector = "status.phase!=Succeeded,status.phase!=Failed"};
    const auto add = [&](const Value& pod) -> Status {
      snapshot.pods[std::string(kube::UidOf(pod))] = pod;
      return {};
    };
    KINETIC_RETURN_IF_ERROR(client_.List(kube::kPods, namespace_, query, add, stop));
    return {};
  }

  Result<ClusterSnapshot> Fetch(std::string_view id, Detail detail, const std::stop_token& stop) {
    return FetchSnapshot(client_, namespace_, id, detail, stop);
  }

  const KubernetesTargetOptions options_;
  const connect::Cluster cluster_;
  connect::RetryReporter retries_;
  http::ServerClock server_clock_;
  EarlierClock clock_;
  const kube::Client client_;
  const kube::Client cleanup_client_;
  const std::string namespace_;
  const KubernetesDependencies dependencies_;
  JobMonitorPool monitors_;
  JobListing listing_;
  std::mutex capabilities_mutex_;
  std::optional<NamespaceCapabilities> capabilities_;  ///< nullopt: not checked yet
  std::mutex secretless_mutex_;
  std::set<std::string, std::less<>> secretless_;  ///< jobs without secrets, started by this client
};

}  // namespace

std::unique_ptr<Target> MakeKubernetesTarget(KubernetesTargetOptions options,
                                             connect::Cluster cluster,
                                             KubernetesDependencies dependencies) {
  return std::make_unique<KubernetesTarget>(std::move(options), std::move(cluster), dependencies);
}

}  // namespace kinetic::backend
