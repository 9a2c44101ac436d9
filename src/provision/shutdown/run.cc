#include "provision/shutdown/run.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "connect/cluster.h"
#include "connect/connection.h"
#include "google/api/client.h"
#include "google/api/services.h"
#include "json/document.h"
#include "kube/client.h"
#include "provision/resources/all.h"
#include "provision/scope.h"
#include "provision/shutdown/last_use.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::string_view kComponent = "shutdown";
constexpr const char* kMetadataServer = "http://metadata.google.internal";
constexpr const char* kPodToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// The credential of the pod's service account: by Workload Identity, or for an emulator, which has
/// no metadata server, the token of the pod itself.
CloudOptions CloudOf(const ShutdownPolicy& policy) {
  CloudOptions cloud;
  if (policy.api_endpoint.empty()) {
    cloud.metadata_url = kMetadataServer;
    return cloud;
  }
  cloud.api_endpoint = policy.api_endpoint;
  cloud.storage_endpoint = policy.api_endpoint;  // the services that this connection is for
  cloud.token_file = kPodToken;
  return cloud;
}

Result<ClusterUse> FindUse(const connect::Dependencies& deps,
                           std::map<std::string, std::string> environment, std::stop_token stop) {
  connect::ClusterOptions options;
  options.profile.in_cluster = true;
  options.environment = std::move(environment);
  KINETIC_ASSIGN_OR_RETURN(const connect::Cluster cluster,
                           connect::OpenCluster(options, deps, stop));
  const kube::Client client(*cluster.transport, deps.clock, {.server = cluster.server});
  return FindLastUse(client, std::move(stop));
}

/// Returns the node pools except the first one, on which this pod runs.
std::vector<std::unique_ptr<Resource>> PoolsOf(const Scope& scope, const Value& cluster) {
  std::vector<std::unique_ptr<Resource>> found;
  json::ObjectReader reader(cluster, "cluster");
  for (const Value& pool : reader.List("nodePools")) {
    const std::string name = json::TextAt(pool, "name");
    if (name != kSystemPool) found.push_back(MakeExistingPool(scope, name, 0));
  }
  return found;
}

/// The cluster is deleted even if a pool cannot be.
Status DeleteAll(const Scope& scope, LogSink& log, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(
      const auto existing,
      scope.api->Find(std::string(google::kContainer), "/v1/" + scope.ClusterPath(), stop));
  if (!existing) return {};
  const std::unique_ptr<Resource> cluster = MakeCluster(scope, "");
  KINETIC_ASSIGN_OR_RETURN(const bool ours, cluster->IsOurs(stop));
  if (!ours) {
    return Fail(ErrorCode::kFailedPrecondition,
                "cluster " + scope.name + " is not deleted: kinetic did not create it");
  }
  for (const std::unique_ptr<Resource>& pool : PoolsOf(scope, *existing)) {
    log.Write(LogLevel::kInfo, kComponent, "deleting node pool " + pool->Name());
    const Status removed = pool->Remove(stop);
    if (!removed) log.Write(LogLevel::kWarning, kComponent, removed.error().message);
  }
  log.Write(LogLevel::kInfo, kComponent, "deleting cluster " + scope.name);
  return cluster->Remove(stop);
}

}  // namespace

Status RunShutdown(const ShutdownPolicy& policy, std::map<std::string, std::string> environment,
                   LogSink& log, std::stop_token stop) {
  const CloudOptions cloud = CloudOf(policy);
  const connect::Dependencies deps{.fs = PosixFileSystem(), .clock = SystemClock(), .log = nullptr};
  // The deadline holds also if Kubernetes cannot be read.
  auto reason = ReasonToShutDown(policy, std::nullopt, deps.clock.Now());
  if (!reason && policy.idle_time) {
    KINETIC_ASSIGN_OR_RETURN(const ClusterUse use, FindUse(deps, std::move(environment), stop));
    reason = ReasonToShutDown(policy, use, deps.clock.Now());
  }
  if (!reason) {
    log.Write(LogLevel::kInfo, kComponent, "cluster " + policy.cluster + " is kept");
    return {};
  }
  log.Write(LogLevel::kInfo, kComponent, "deleting cluster " + policy.cluster + ": " + *reason);
  KINETIC_ASSIGN_OR_RETURN(const auto connection, connect::Connection::Open(cloud, deps, stop));
  const google::ApiClient api(*connection, deps.clock, policy.api_endpoint);
  const Scope scope{.api = &api,
                    .project = policy.project,
                    .project_number = "",
                    .zone = policy.zone,
                    .name = policy.cluster};
  return DeleteAll(scope, log, stop);
}

}  // namespace kinetic::provision
