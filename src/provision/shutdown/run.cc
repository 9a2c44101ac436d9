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
#include "provision/shutdown/objects.h"

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

/// The Kubernetes API of the cluster in which this process runs.
Result<connect::Cluster> OpenKubernetes(const connect::Dependencies& deps,
                                        std::map<std::string, std::string> environment,
                                        std::stop_token stop) {
  connect::ClusterOptions options;
  options.profile.in_cluster = true;
  options.environment = std::move(environment);
  return connect::OpenCluster(options, deps, std::move(stop));
}

/// Records whether this process could delete the cluster if it had to.
Status Record(const kube::Client& client, const Status& check, std::stop_token stop) {
  const std::string text(check ? std::string(kCheckPassed) : check.error().message);
  const auto patched = client.Patch(kube::kCronJobs, kShutdownNamespace, kShutdownObjects,
                                    AnnotationPatch(kCheckAnnotation, text), std::move(stop));
  return patched ? Status{} : Failure(patched.error());
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
///
/// @param existing  the cluster.
Status DeleteAll(const Scope& scope, const Value& existing, LogSink& log,
                 const std::stop_token& stop) {
  const std::unique_ptr<Resource> cluster = MakeCluster(scope, "");
  KINETIC_ASSIGN_OR_RETURN(const bool ours, cluster->IsOurs(stop));
  if (!ours) {
    return Fail(ErrorCode::kFailedPrecondition,
                "cluster " + scope.name + " is not deleted: kinetic did not create it");
  }
  for (const std::unique_ptr<Resource>& pool : PoolsOf(scope, existing)) {
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
  KINETIC_ASSIGN_OR_RETURN(const auto connection, connect::Connection::Open(cloud, deps, stop));
  const google::ApiClient api(*connection, deps.clock, policy.api_endpoint);
  const Scope scope{.api = &api,
                    .project = policy.project,
                    .project_number = "",
                    .zone = policy.zone,
                    .name = policy.cluster};
  const auto existing =
      api.Find(std::string(google::kContainer), "/v1/" + scope.ClusterPath(), stop);
  KINETIC_ASSIGN_OR_RETURN(const auto own, OpenKubernetes(deps, std::move(environment), stop));
  const kube::Client kubernetes(*own.transport, deps.clock, {.server = own.server});
  const Status recorded = Record(kubernetes, existing ? Status{} : Failure(existing.error()), stop);
  if (!recorded) log.Write(LogLevel::kWarning, kComponent, recorded.error().message);
  if (!existing) return Failure(existing.error());
  if (!*existing) return {};
  // The deadline holds also if Kubernetes cannot be read.
  auto reason = ReasonToShutDown(policy, std::nullopt, deps.clock.Now());
  if (!reason && policy.idle_time) {
    KINETIC_ASSIGN_OR_RETURN(const ClusterUse use, FindLastUse(kubernetes, stop));
    reason = ReasonToShutDown(policy, use, deps.clock.Now());
  }
  if (!reason) {
    log.Write(LogLevel::kInfo, kComponent, "cluster " + policy.cluster + " is kept");
    return {};
  }
  log.Write(LogLevel::kInfo, kComponent, "deleting cluster " + policy.cluster + ": " + *reason);
  return DeleteAll(scope, **existing, log, stop);
}

}  // namespace kinetic::provision
