#include "provision/join/existing_cluster.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "google/gke/cluster.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/profile.h"
#include "provision/resource.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::provision {
namespace {

const Value* MemberAt(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* here = &value;
  for (const std::string_view key : path) {
    if (here != nullptr) here = here->Find(key);
  }
  return here;
}

std::string TextIn(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* member = MemberAt(value, path);
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

bool FlagIn(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* member = MemberAt(value, path);
  return member != nullptr && member->AsBool() != nullptr && *member->AsBool();
}

/// Numbers of 64 bits are strings in the API.
std::uint32_t CountIn(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* member = MemberAt(value, path);
  if (member == nullptr) return 0;
  if (member->AsInt() != nullptr) return static_cast<std::uint32_t>(*member->AsInt());
  const auto number = ParseInt(TextIn(value, path));
  return number ? static_cast<std::uint32_t>(*number) : 0;
}

std::string Described(const Value& cluster) {
  return Printable(json::TextAt(cluster, "name")) + " in " +
         Printable(json::TextAt(cluster, "location"));
}

Failure NotFound(const Scope& scope, const std::vector<Value>& clusters) {
  std::vector<std::string> names;
  names.reserve(clusters.size());
  for (const Value& cluster : clusters) names.push_back(Described(cluster));
  const std::string where = scope.zone.empty() ? "" : " in " + Printable(scope.zone);
  std::string hint = names.empty() ? "the project has no clusters; create one: kinetic up"
                                   : "existing clusters: " + Join(names, ", ");
  const auto is_near = [&](const Value& cluster) {
    const std::vector name{json::TextAt(cluster, "name")};
    return Nearest(scope.name, name).has_value();
  };
  const auto near = std::ranges::find_if(clusters, is_near);
  if (near != clusters.end()) hint = "did you mean " + Described(*near) + "?";
  return Fail(
      ErrorCode::kNotFound,
      "project " + Printable(scope.project) + " has no cluster " + Printable(scope.name) + where,
      std::move(hint));
}

Failure Ambiguous(const Scope& scope, const std::vector<Value>& found) {
  std::vector<std::string> locations;
  locations.reserve(found.size());
  for (const Value& cluster : found) locations.push_back(json::TextAt(cluster, "location"));
  return Fail(ErrorCode::kInvalidArgument,
              "project " + Printable(scope.project) + " has " + std::to_string(found.size()) +
                  " clusters named " + Printable(scope.name),
              "specify one: --location " + Join(locations, ", or --location "));
}

/// TPU machine types start with "ct", from v7 on with "tpu".
bool IsTpuMachine(std::string_view machine_type) {
  return machine_type.starts_with("ct") || machine_type.starts_with("tpu");
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/NodeConfig
ClusterProfile ProfileWith(const Scope& scope, Endpoint endpoint) {
  Scope changed = scope;
  changed.endpoint = endpoint;
  return ProfileOf(changed, "").kubernetes;
}

}  // namespace

Result<Value> FindCluster(const Scope& scope, std::stop_token stop) {
  const std::string what = "cannot find cluster " + Printable(scope.name);
  if (!scope.zone.empty()) {
    auto cluster =
        scope.api->Find(std::string(google::kContainer), "/v1/" + scope.ClusterPath(), stop);
    if (!cluster) return Failure(std::move(cluster).error().Context(what));
    if (*cluster) return **std::move(cluster);
  }
  auto clusters = scope.api->List(
      std::string(google::kContainer),
      "/v1/projects/" + http::PercentEncode(scope.project) + "/locations/-/clusters", "clusters",
      stop);
  if (!clusters) return Failure(std::move(clusters).error().Context(what));
  std::vector<Value> found;
  std::ranges::copy_if(*clusters, std::back_inserter(found), [&](const Value& cluster) {
    return scope.zone.empty() && json::TextAt(cluster, "name") == scope.name;
  });
  if (found.empty()) return NotFound(scope, *clusters);
  if (found.size() > 1) return Ambiguous(scope, found);
  return std::move(found.front());
}

ExistingCluster ParseCluster(const Scope& scope, const Value& cluster) {
  ExistingCluster parsed;
  parsed.name = json::TextAt(cluster, "name");
  parsed.location = json::TextAt(cluster, "location");
  parsed.status = json::TextAt(cluster, "status");
  parsed.version = json::TextAt(cluster, "currentMasterVersion");
  parsed.workload_pool = TextIn(cluster, {"workloadIdentityConfig", "workloadPool"});
  parsed.created_by_kinetic = TextIn(cluster, {"resourceLabels", kOwnerLabel}) == parsed.name;
  parsed.autopilot = FlagIn(cluster, {"autopilot", "enabled"});
  parsed.auto_provisioning = FlagIn(cluster, {"autoscaling", "enableNodeAutoprovisioning"});
  json::ObjectReader reader(cluster, "cluster");
  const Value::List& pools = reader.List("nodePools");
  parsed.pools.reserve(pools.size());
  for (const Value& pool : pools) parsed.pools.push_back(ParsePool(scope, pool));
  return parsed;
}

ExistingPool ParsePool(const Scope& scope, const Value& pool) {
  ExistingPool parsed;
  parsed.name = json::TextAt(pool, "name");
  parsed.machine_type = TextIn(pool, {"config", "machineType"});
  parsed.account = TextIn(pool, {"config", "serviceAccount"});
  if (parsed.account.empty() || parsed.account == "default") {
    parsed.account = scope.project_number + "-compute@developer.gserviceaccount.com";
  }
  parsed.topology = TextIn(pool, {"placementPolicy", "tpuTopology"});
  parsed.spot = FlagIn(pool, {"config", "spot"});
  parsed.flex_start = FlagIn(pool, {"config", "flexStart"});
  const Value* reservations = MemberAt(pool, {"config", "reservationAffinity", "values"});
  if (reservations != nullptr && reservations->AsList() != nullptr &&
      !reservations->AsList()->empty())
    parsed.reservation = TextIn(reservations->AsList()->front(), {});
  parsed.max_nodes = CountIn(pool, {"autoscaling", "maxNodeCount"});
  if (parsed.max_nodes == 0) parsed.max_nodes = CountIn(pool, {"initialNodeCount"});
  const Value* gpus = MemberAt(pool, {"config", "accelerators"});
  const bool has_gpus = gpus != nullptr && gpus->AsList() != nullptr && !gpus->AsList()->empty() &&
                        !TextIn(gpus->AsList()->front(), {"acceleratorType"}).starts_with("tpu");
  if (has_gpus) {
    parsed.gpu = TextIn(gpus->AsList()->front(), {"acceleratorType"});
    parsed.gpus = CountIn(gpus->AsList()->front(), {"acceleratorCount"});
    parsed.installs_driver =
        TextIn(gpus->AsList()->front(), {"gpuDriverInstallationConfig", "gpuDriverVersion"}) !=
        "INSTALLATION_DISABLED";
  }
  parsed.has_accelerators = !parsed.gpu.empty() || IsTpuMachine(parsed.machine_type);
  parsed.has_pod_identities =
      TextIn(pool, {"config", "workloadMetadataConfig", "mode"}) == "GKE_METADATA";
  return parsed;
}

Result<Endpoint> ChooseEndpoint(const Scope& scope, const Value& cluster) {
  const auto requested = google::ParseGkeCluster(ProfileWith(scope, scope.endpoint), cluster);
  if (requested) return scope.endpoint;
  for (const Endpoint other : {Endpoint::kPublic, Endpoint::kPrivate}) {
    if (google::ParseGkeCluster(ProfileWith(scope, other), cluster)) return other;
  }
  return Failure(requested.error());
}

}  // namespace kinetic::provision
