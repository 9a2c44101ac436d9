#include "provision/location.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "http/url.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/compute_lists.h"
#include "provision/quota.h"
#include "provision/resources/all.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

struct GenerationZone {
  std::string_view generation;
  std::string_view zone;
};

/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus#availability
constexpr std::array<GenerationZone, 5> kZones{{{"v4", "us-central2-b"},
                                                {"v5litepod", "us-west4-a"},
                                                {"v5p", "us-east5-a"},
                                                {"v6e", "us-east5-b"},
                                                {"b200", "us-east1-b"}}};
constexpr std::string_view kOtherZone = "us-central1-a";
constexpr std::size_t kSuggestedZones = 6;

std::string MachinePath(const ClusterSpec& spec, std::string_view machine) {
  return "/compute/v1/projects/" + http::PercentEncode(spec.project) + "/zones/" +
         http::PercentEncode(spec.location) + "/machineTypes/" + std::string(machine);
}

std::string DefaultZone(const ClusterSpec& spec) {
  const std::string generation =
      spec.pools.empty() ? "" : spec.pools.front().accelerator.generation;
  const auto* const row = std::ranges::find(kZones, generation, &GenerationZone::generation);
  return std::string(row != kZones.end() ? row->zone : kOtherZone);
}

/// Returns the region of a bucket, or "" if it does not exist.
Result<std::string> FindRegion(const google::ApiClient& api, const std::string& bucket,
                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(
      const auto found,
      api.FindCreated(std::string(google::kStorage),
                      "/storage/v1/b/" + http::PercentEncode(bucket) + "?fields=location",
                      std::move(stop)));
  return found ? ToLower(json::TextAt(*found, "location")) : std::string();
}

/// The machine types that a cluster needs, with what needs them.
std::map<std::string, std::string> MachinesOf(const ClusterSpec& spec) {
  std::map<std::string, std::string> machines;
  for (const NodePoolSpec& pool : spec.pools)
    machines.emplace(jobspec::MachineOf(pool.accelerator), pool.accelerator.name);
  if (machines.empty()) machines.emplace(kSystemMachine, "the default node pool");
  return machines;
}

/// Returns the zones for a cluster that have the machine types of all pools.
Result<std::vector<std::string>> ZonesOfAll(const google::ApiClient& api, const ClusterSpec& spec,
                                            const std::stop_token& stop) {
  const auto machines = MachinesOf(spec);
  std::vector<std::string> common;
  for (const auto& [machine, user] : machines) {
    KINETIC_ASSIGN_OR_RETURN(auto zones, ZonesOf(api, spec.project, machine, stop));
    if (machine == machines.begin()->first) common = zones;
    std::erase_if(common, [&](const std::string& zone) {
      return std::ranges::find(zones, zone) == zones.end();
    });
  }
  std::erase_if(common, IsAiZone);
  return common;
}

/// Returns the zone nearest to `preferred` that has the machine types of all pools, or `preferred`
/// if there is none, or if the list cannot be read yet.
std::string CommonZone(const google::ApiClient& api, const ClusterSpec& spec,
                       const std::string& preferred, const std::stop_token& stop) {
  const auto zones = ZonesOfAll(api, spec, stop);
  if (!zones || zones->empty()) return preferred;
  const std::string region = preferred.substr(0, preferred.rfind('-'));
  const std::string continent = preferred.substr(0, preferred.find('-'));
  const auto distance = [&](const std::string& zone) {
    return std::tuple(zone != preferred, !zone.starts_with(region), !zone.starts_with(continent),
                      zone);
  };
  return *std::ranges::min_element(*zones, {}, distance);
}

/// Returns advice for a plan whose machine types a zone lacks.
///
/// @param how  what to do with the zones that have all of them.
std::string OtherZonesHint(const google::ApiClient& api, const ClusterSpec& spec,
                           const std::string& zone, std::string_view how,
                           const std::stop_token& stop) {
  auto zones = ZonesOfAll(api, spec, stop);
  if (!zones) return {};
  if (zones->empty() && spec.pools.size() > 1)
    return "no zone has all accelerators of this plan: create a second cluster with --cluster NAME";
  const bool has_zones = !zones->empty();
  std::string hint = ZoneHint(*std::move(zones), zone.substr(0, zone.rfind('-')));
  return has_zones ? hint.append("; ").append(how) : hint;
}

/// What a zone lacks, as text, or "".
struct Lack {
  std::string text;
  bool is_certain = true;  ///< TPUs have been missing from the list of machine types for days
};

/// Finds out whether a zone has the machine types of all pools.
Result<Lack> FindLack(const google::ApiClient& api, const ClusterSpec& spec,
                      const std::stop_token& stop) {
  const auto has = [&](std::string_view machine) -> Result<bool> {
    KINETIC_ASSIGN_OR_RETURN(const auto found, api.Find(std::string(google::kCompute),
                                                        MachinePath(spec, machine), stop));
    return found.has_value();
  };
  Lack lack;
  for (const auto& [machine, user] : MachinesOf(spec)) {
    KINETIC_ASSIGN_OR_RETURN(const bool is_listed, has(machine));
    if (is_listed) continue;
    lack.text = user + " (machine type " + machine + ") is not available in " + spec.location;
    KINETIC_ASSIGN_OR_RETURN(const bool is_zone, has(kSystemMachine));
    lack.is_certain = !is_zone || !machine.ends_with('t');
    if (lack.is_certain) break;
  }
  return lack;
}

ClusterSpec Placed(ClusterSpec spec, const std::string& zone) {
  spec.location = zone;
  return spec;
}

/// Returns the zones that have the machine types, or else those that may have them.
Result<std::vector<std::string>> ZonesWithMachines(
    const google::ApiClient& api, const ClusterSpec& spec, const std::vector<std::string>& zones,
    std::string_view how, std::vector<std::string>& warnings, const std::stop_token& stop) {
  std::vector<std::string> fitting;
  std::vector<std::string> possible;
  Lack first;
  for (const std::string& zone : zones) {
    KINETIC_ASSIGN_OR_RETURN(Lack lack, FindLack(api, Placed(spec, zone), stop));
    if (lack.text.empty()) fitting.push_back(zone);
    if (!lack.text.empty() && !lack.is_certain) possible.push_back(zone);
    if (first.text.empty()) first = std::move(lack);
  }
  if (!fitting.empty()) return fitting;
  const std::string hint = OtherZonesHint(api, spec, zones.front(), how, stop);
  if (!possible.empty()) {
    warnings.push_back(
        first.text +
        " according to Google's list, so GKE will probably refuse the node pool, and "
        "the cluster will not contain it; " +
        hint);
    return possible;
  }
  const std::string scope =
      zones.size() > 1 ? "none of " + Join(zones, ", ") + " has all machine types: " : "";
  return Fail(ErrorCode::kInvalidArgument, scope + first.text, hint);
}

}  // namespace

Result<std::vector<std::string>> FindNamedClusters(const google::ApiClient& api,
                                                   const ClusterSpec& spec,
                                                   const std::stop_token& stop) {
  const std::string path =
      "/v1/projects/" + http::PercentEncode(spec.project) +
      "/locations/-/clusters?fields=clusters(name%2Clocation%2CcreateTime)%2CmissingZones";
  std::vector<std::string> locations;
  const auto clusters = api.List(std::string(google::kContainer), path, "clusters", stop);
  if (!clusters) {
    KINETIC_RETURN_IF_ERROR(api.CheckNothingExists(clusters.error(), stop));
    return locations;
  }
  std::set<std::pair<std::string, std::string>> by_age;
  for (const Value& cluster : *clusters) {
    if (json::TextAt(cluster, "name") == spec.name)
      by_age.emplace(json::TextAt(cluster, "createTime"), json::TextAt(cluster, "location"));
  }
  for (const auto& [created, location] : by_age) locations.push_back(location);
  return locations;
}

Result<std::vector<std::string>> ZonesOf(const google::ApiClient& api, const std::string& project,
                                         const std::string& machine, std::stop_token stop) {
  std::vector<std::string> zones;
  const auto add = [&](const std::string& zone, const Value& /*item*/) { zones.push_back(zone); };
  KINETIC_RETURN_IF_ERROR(
      ListEverywhere(api, {project, "machineTypes", "name=" + machine}, add, stop));
  return zones;
}

std::string ZoneHint(std::vector<std::string> zones, std::string_view region) {
  if (zones.empty())
    return "no zone has this machine type: request access from Google, or use another accelerator";
  // Zones of the same region first.
  std::ranges::sort(zones, {}, [&](const std::string& zone) {
    return std::pair(!zone.starts_with(region), zone);
  });
  const bool more = zones.size() > kSuggestedZones;
  if (more) zones.resize(kSuggestedZones);
  return "zones that have it: " + Join(zones, ", ") + (more ? ", …" : "");
}

Result<std::vector<std::string>> FindZones(const google::ApiClient& api, const ClusterSpec& spec,
                                           const std::string& bucket, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto clusters, FindNamedClusters(api, spec, stop));
  if (!clusters.empty()) return std::vector{clusters.front()};
  KINETIC_ASSIGN_OR_RETURN(const std::string region, FindRegion(api, bucket, stop));
  if (spec.locations.empty()) {
    const std::string zone = DefaultZone(spec);
    const bool elsewhere = !region.empty() && !zone.starts_with(region + "-");
    return std::vector{CommonZone(api, spec, elsewhere ? region + "-a" : zone, stop)};
  }
  const auto is_near = [&](const std::string& zone) { return zone.starts_with(region + "-"); };
  std::vector<std::string> zones;
  std::ranges::copy_if(spec.locations, std::back_inserter(zones), is_near);
  std::ranges::copy_if(spec.locations, std::back_inserter(zones), std::not_fn(is_near));
  return zones;
}

std::string DownCommand(const ClusterSpec& spec, const std::string& location) {
  return "kinetic down --cluster " + spec.name + " --project " + spec.project + " --location " +
         Printable(location);
}

std::string CreationHint(const ClusterSpec& spec) {
  return "create it: kinetic up --cluster " + Printable(spec.name) + " --project " +
         Printable(spec.project);
}

Status CheckOtherLocations(const google::ApiClient& api, const ClusterSpec& spec,
                           const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto clusters, FindNamedClusters(api, spec, stop));
  if (clusters.empty() || std::ranges::find(clusters, spec.location) != clusters.end()) return {};
  const std::string other = Printable(clusters.front());
  Error error{
      ErrorCode::kFailedPrecondition,
      "cluster " + spec.name + " exists in " + other + ", not in " + Printable(spec.location),
      "use --location " + other,
      {}};
  return Failure(std::move(error).With(std::string(kOtherLocation), other));
}

Result<std::string> FirstFittingZone(const google::ApiClient& api, const ClusterSpec& spec,
                                     const std::vector<std::string>& zones, std::string_view how,
                                     std::vector<std::string>& warnings, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto fitting,
                           ZonesWithMachines(api, spec, zones, how, warnings, stop));
  if (fitting.size() == 1) return fitting.front();
  const auto has_quota = [&](const std::string& zone) {
    return std::ranges::all_of(FindQuotas(api, Placed(spec, zone), NodeTimes{}, stop), HasEnough);
  };
  const auto found = std::ranges::find_if(fitting, has_quota);
  return found != fitting.end() ? *found : fitting.front();
}

}  // namespace kinetic::provision
