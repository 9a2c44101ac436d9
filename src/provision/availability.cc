#include "kinetic/accelerator_offers.h"
#include "kinetic/prices.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/compute_lists.h"
#include "provision/plan.h"
#include "provision/quota.h"
#include "provision/scope.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using provision::RegionOf;
using State = ClusterPlan::State;

constexpr std::size_t kConcurrentRegions = 8;

/// Returns whether a reservation is for a machine type, or for the family of a TPU's machine types:
/// VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E for "ct6e-standard-4t".
bool HasMachine(const Value& reservation, const std::string& machine) {
  if (const Value* aggregate = reservation.Find("aggregateReservation"))
    return ToLower(json::TextAt(*aggregate, "vmFamily"))
        .ends_with("_" + machine.substr(0, machine.find('-')));
  const Value* specific = reservation.Find("specificReservation");
  const Value* properties = specific != nullptr ? specific->Find("instanceProperties") : nullptr;
  return properties != nullptr && json::TextAt(*properties, "machineType") == machine;
}

/// Returns the names of reservations of a machine type, by zone.
Result<std::map<std::string, std::vector<std::string>>> FindReservations(
    const State& state, const std::string& machine, const std::stop_token& stop) {
  std::map<std::string, std::vector<std::string>> found;
  const auto add = [&](const std::string& zone, const Value& reservation) {
    if (HasMachine(reservation, machine)) found[zone].push_back(json::TextAt(reservation, "name"));
  };
  KINETIC_RETURN_IF_ERROR(
      provision::ListEverywhere(*state.api, {state.spec.project, "reservations", ""}, add, stop));
  return found;
}

/// The unused quota of a region.
struct RegionQuota {
  std::optional<double> on_demand;
  std::optional<double> spot;
};

/// Returns the smallest of the quotas that are used together.
RegionQuota FindRegionQuota(const State& state, const Accelerator& accelerator,
                            const std::string& zone, const std::stop_token& stop) {
  ClusterSpec spec;
  spec.project = state.spec.project;
  spec.location = zone;
  spec.pools = {{.name = "", .accelerator = accelerator},
                {.name = "", .accelerator = accelerator, .spot = true}};
  RegionQuota quota;
  for (const auto& need : provision::FindQuotas(*state.api, spec, provision::NodeTimes{}, stop)) {
    auto& smallest = need.name.starts_with("PREEMPTIBLE") ? quota.spot : quota.on_demand;
    if (need.available) smallest = std::min(*need.available, smallest.value_or(*need.available));
  }
  return quota;
}

/// Sets the quotas of offers, which are sorted by zone. Zones of a region share them.
Status SetQuotas(const State& state, std::vector<AcceleratorOffer>& offers, std::stop_token stop) {
  std::vector<std::size_t> firsts;  // offer of each region
  for (std::size_t index = 0; index < offers.size(); ++index)
    if (index == 0 || RegionOf(offers[index].zone) != RegionOf(offers[index - 1].zone))
      firsts.push_back(index);
  return ParallelFor(
      kConcurrentRegions, firsts.size(), std::move(stop),
      [&](std::size_t region, std::stop_token each) -> Status {
        const AcceleratorOffer& first = offers[firsts[region]];
        const RegionQuota quota = FindRegionQuota(state, first.accelerator, first.zone, each);
        const std::size_t end = region + 1 < firsts.size() ? firsts[region + 1] : offers.size();
        for (std::size_t index = firsts[region]; index < end; ++index) {
          offers[index].quota = quota.on_demand;
          offers[index].spot_quota = quota.spot;
        }
        return {};
      });
}

}  // namespace

Result<std::vector<AcceleratorOffer>> FindOffers(const std::string& project,
                                                 const Accelerator& accelerator,
                                                 const ClusterAdminOptions& options,
                                                 std::stop_token stop) {
  ClusterSpec spec;
  spec.project = project;
  KINETIC_ASSIGN_OR_RETURN(const auto state, provision::OpenProject(spec, options, stop));
  const std::string machine = jobspec::MachineOf(accelerator);
  std::set<std::string> zones;
  const auto add = [&](const std::string& zone, const Value&) { zones.insert(zone); };
  const Status listed = provision::ListEverywhere(
      *state->api, {project, "machineTypes", "name=" + machine}, add, stop);
  if (!listed && state->api->IsApiDisabled(listed.error()))
    return Fail(ErrorCode::kFailedPrecondition,
                "the Compute Engine API, which has the list of machine types, is not enabled in "
                "project " +
                    Printable(project),
                "'kinetic up' enables it, or: gcloud services enable compute.googleapis.com "
                "--project=" +
                    Printable(project));
  KINETIC_RETURN_IF_ERROR(listed);
  KINETIC_ASSIGN_OR_RETURN(auto reservations, FindReservations(*state, machine, stop));
  std::vector<AcceleratorOffer> offers;
  offers.reserve(zones.size());
  for (const std::string& zone : zones) {
    offers.push_back(
        {.accelerator = accelerator,
         .zone = zone,
         .price = PriceOf(options.prices, accelerator, RegionOf(zone), Provisioning::kOnDemand),
         .spot_price = PriceOf(options.prices, accelerator, RegionOf(zone), Provisioning::kSpot),
         .quota = {},
         .spot_quota = {},
         .reservations = reservations[zone]});
  }
  KINETIC_RETURN_IF_ERROR(SetQuotas(*state, offers, std::move(stop)));
  return offers;
}

}  // namespace kinetic::inline v0
