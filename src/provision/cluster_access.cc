#include "provision/cluster_access.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "json/document.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "provision/profile.h"
#include "provision/shutdown/objects.h"

#include <chrono>
#include <functional>
#include <set>
#include <utility>

namespace kinetic::provision {
namespace {

/// The label of GKE with the name of a node's pool.
constexpr std::string_view kPoolLabel = "cloud.google.com/gke-nodepool";

kube::ClientOptions WithServer(kube::ClientOptions options, const std::string& server) {
  options.server = server;
  return options;
}

/// Returns whether jobs may run on a cluster that cannot be opened.
Result<bool> MayRunJobs(const Scope& scope, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           scope.api->Find(std::string(google::kContainer),
                                           "/v1/" + scope.ClusterPath(), std::move(stop)));
  if (!cluster) return false;
  const std::string status = json::TextAt(*cluster, "status");
  return status != "PROVISIONING" && status != "STOPPING" && status != "ERROR";
}

}  // namespace

bool HasEnded(const Value& job) {
  const Value* conditions = kube::At(job, {"status", "conditions"});
  if (conditions == nullptr || conditions->AsList() == nullptr) return false;
  for (const Value& condition : *conditions->AsList()) {
    const std::string_view type = kube::TextAt(condition, {"type"});
    const bool is_true = kube::TextAt(condition, {"status"}) == "True";
    if (is_true && (type == "Complete" || type == "Failed")) return true;
  }
  return false;
}

ClusterAccess::ClusterAccess(std::string name, connect::Cluster cluster,
                             kube::ClientOptions options)
    : name_(std::move(name)),
      cluster_(std::move(cluster)),
      client_(*cluster_.transport, SystemClock(), WithServer(std::move(options), cluster_.server)) {
}

Result<ClusterAccess> ClusterAccess::Open(const Scope& scope, const ClusterAdminOptions& options,
                                          std::stop_token stop, kube::ClientOptions kube) {
  connect::ClusterOptions cluster_options;
  cluster_options.kind = TargetKind::kGke;
  cluster_options.profile = ProfileOf(scope, "").kubernetes;
  cluster_options.cloud = options.cloud;
  const connect::Dependencies deps{
      .fs = PosixFileSystem(), .clock = SystemClock(), .log = options.log};
  auto cluster = connect::OpenCluster(cluster_options, deps, stop);
  if (!cluster && cluster.error().code == ErrorCode::kFailedPrecondition &&
      scope.endpoint == Endpoint::kDns) {
    // A cluster that kinetic did not create need not have a DNS endpoint.
    cluster_options.profile.dns_endpoint = false;
    auto other = connect::OpenCluster(cluster_options, deps, std::move(stop));
    if (other) cluster = std::move(other);
  }
  if (!cluster) return Failure(std::move(cluster).error());
  return ClusterAccess(scope.name, *std::move(cluster), std::move(kube));
}

Result<ClusterAccess> ClusterAccess::OpenToRead(const Scope& scope,
                                                const ClusterAdminOptions& options,
                                                std::stop_token stop) {
  constexpr std::chrono::seconds kRetryFor{5};
  constexpr std::chrono::seconds kStallTimeout{10};
  kube::ClientOptions kube;
  kube.retry.budget = kRetryFor;
  kube.stall_timeout = kStallTimeout;
  return Open(scope, options, std::move(stop), std::move(kube));
}

Result<std::optional<ClusterAccess>> ClusterAccess::Find(const Scope& scope,
                                                         const ClusterAdminOptions& options,
                                                         std::stop_token stop) {
  auto cluster = Open(scope, options, stop);
  if (cluster) return std::optional(*std::move(cluster));
  const Error& error = cluster.error();
  if (error.code == ErrorCode::kNotFound || scope.api->CheckNothingExists(error, stop))
    return std::nullopt;
  if (error.code != ErrorCode::kFailedPrecondition) return Failure(error);
  KINETIC_ASSIGN_OR_RETURN(const bool may_run_jobs, MayRunJobs(scope, std::move(stop)));
  if (!may_run_jobs) return std::nullopt;
  return Failure(error);
}

Result<std::vector<std::string>> ListNamespaces(const ClusterAccess& cluster,
                                                std::stop_token stop) {
  std::vector<std::string> names{cluster.name_space()};
  const auto add = [&](const Value& name_space) -> Status {
    names.emplace_back(kube::NameOf(name_space));
    return {};
  };
  const std::string users = std::string(kClusterLabel) + "=" + cluster.name();
  KINETIC_RETURN_IF_ERROR(cluster.client().List(kube::kNamespaces, "", {.label_selector = users},
                                                add, std::move(stop)));
  return names;
}

Status DeleteNamespace(const ClusterAccess& cluster, std::string_view name, std::stop_token stop) {
  constexpr std::chrono::seconds kPause{1};
  const kube::Client& client = cluster.client();
  KINETIC_RETURN_IF_ERROR(client.Delete(kube::kNamespaces, "", name, {}, stop));
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto found, client.Get(kube::kNamespaces, "", name, stop));
    if (!found) return {};
    KINETIC_RETURN_IF_ERROR(SystemClock().Sleep(kPause, stop));
  }
}

Result<std::vector<std::string>> ListRunningJobs(const ClusterAccess& cluster,
                                                 const std::vector<std::string>& namespaces,
                                                 std::stop_token stop) {
  std::vector<std::string> names;
  const auto add = [&](const Value& job) -> Status {
    if (!HasEnded(job)) names.emplace_back(kube::TextAt(job, {"metadata", "labels", kJobIdLabel}));
    return {};
  };
  for (const std::string& name_space : namespaces) {
    KINETIC_RETURN_IF_ERROR(cluster.client().List(
        kube::kJobs, name_space, {.label_selector = std::string(kJobIdLabel)}, add, stop));
  }
  return names;
}

Result<std::vector<std::string>> ListJobsOnPool(const ClusterAccess& cluster,
                                                const std::string& pool, std::stop_token stop) {
  std::set<std::string, std::less<>> nodes;
  const auto add_node = [&](const Value& node) -> Status {
    nodes.emplace(kube::NameOf(node));
    return {};
  };
  const std::string in_pool = std::string(kPoolLabel) + "=" + pool;
  KINETIC_RETURN_IF_ERROR(
      cluster.client().List(kube::kNodes, "", {.label_selector = in_pool}, add_node, stop));
  std::set<std::string> jobs;
  const auto add_job = [&](const Value& pod) -> Status {
    const bool here = nodes.contains(kube::TextAt(pod, {"spec", "nodeName"}));
    if (here && kube::TextAt(pod, {"status", "phase"}) == "Running")
      jobs.emplace(kube::TextAt(pod, {"metadata", "labels", kJobIdLabel}));
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const auto namespaces, ListNamespaces(cluster, stop));
  for (const std::string& name_space : namespaces) {
    KINETIC_RETURN_IF_ERROR(cluster.client().List(
        kube::kPods, name_space, {.label_selector = std::string(kJobIdLabel)}, add_job, stop));
  }
  return std::vector(jobs.begin(), jobs.end());
}

Result<std::optional<Value>> FindShutdownCronJob(const ClusterAccess& cluster,
                                                 std::stop_token stop) {
  return cluster.client().Get(kube::kCronJobs, kShutdownNamespace, kShutdownObjects,
                              std::move(stop));
}

Result<std::optional<ShutdownPolicy>> FindShutdownPolicy(const ClusterAccess& cluster,
                                                         std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto cron_job, FindShutdownCronJob(cluster, std::move(stop)));
  if (!cron_job) return std::nullopt;
  return PolicyOf(*cron_job);
}

Result<NodeTimes> ListNodes(const ClusterAccess& cluster, std::stop_token stop) {
  NodeTimes nodes;
  const auto add = [&](const Value& node) -> Status {
    const auto created = ParseTime(kube::TextAt(node, {"metadata", "creationTimestamp"}));
    nodes[std::string(kube::TextAt(node, {"metadata", "labels", kPoolLabel}))].push_back(
        created.value_or(SystemClock().Now()));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(cluster.client().List(
      kube::kNodes, "", {.label_selector = std::string(kPoolLabel)}, add, std::move(stop)));
  return nodes;
}

Result<std::optional<NodeTimes>> FindNodes(const Scope& scope, const ClusterAdminOptions& options,
                                           const std::stop_token& stop) {
  const auto cluster = ClusterAccess::OpenToRead(scope, options, stop);
  const auto nodes = cluster ? ListNodes(*cluster, stop) : Failure(cluster.error());
  if (nodes) return std::optional(*nodes);
  if (nodes.error().code == ErrorCode::kCancelled) return Failure(nodes.error());
  return std::optional<NodeTimes>();
}

}  // namespace kinetic::provision
