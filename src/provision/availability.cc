#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/compute_lists.h"
#include "provision/plan.h"
#include "provision/quota.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace kinetic {
namespace {

using State = ClusterPlan::State;

constexpr std::size_t kConcurrentRegions = 8;

/// Returns the names of reservations of a machine type, by zone.
Result<std::map<std::string, std::vector<std::string>>> FindReservations(
    const State& state, const std::string& machine, const std::stop_token& stop) {
  std::map<std::string, std::vector<std::string>> found;
  const auto add = [&](const std::string& zone, const Value& reservation) {
    const Value* specific = reservation.Find("specificReservation");
    const Value* properties = specific != nullptr ? specific->Find("instanceProperties") : nullptr;
    const bool fits = properties != nullptr && json::TextAt(*properties, "machineType") == machine;
    if (fits) found[zone].push_back(json::TextAt(reservation, "name"));
  };
  KINETIC_RETURN_IF_ERROR(
      provision::ListEverywhere(*state.api, {state.spec.project, "reservations", ""}, add, stop));
  return found;
}

std::string RegionOf(const std::string& zone) { return zone.substr(0, zone.rfind('-')); }

/// Returns the unused quota of an offer, for on-demand or Spot nodes.
std::optional<double> QuotaOf(const State& state, const AcceleratorOffer& offer, bool spot,
                              const std::stop_token& stop) {
  ClusterSpec spec;
  spec.project = state.spec.project;
  spec.location = offer.zone;
  spec.pools = {{.name = "", .accelerator = offer.accelerator, .spot = spot}};
  const auto quotas = provision::FindQuotas(*state.api, spec, stop);
  return quotas.empty() ? std::nullopt : quotas.front().available;
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
  KINETIC_RETURN_IF_ERROR(provision::ListEverywhere(
      *state->api, {project, "machineTypes", "name=" + machine}, add, stop));
  KINETIC_ASSIGN_OR_RETURN(auto reservations, FindReservations(*state, machine, stop));
  std::vector<AcceleratorOffer> offers;
  offers.reserve(zones.size());
  for (const std::string& zone : zones) {
    offers.push_back({.accelerator = accelerator,
                      .zone = zone,
                      .price = ListPrice(accelerator, RegionOf(zone), false),
                      .spot_price = ListPrice(accelerator, RegionOf(zone), true),
                      .quota = {},
                      .spot_quota = {},
                      .reservations = reservations[zone]});
  }
  const auto set_quota = [&](std::size_t index, std::stop_token each) -> Status {
    AcceleratorOffer& offer = offers[index];
    offer.quota = QuotaOf(*state, offer, false, each);
    offer.spot_quota = QuotaOf(*state, offer, true, each);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(kConcurrentRegions, offers.size(), std::move(stop), set_quota));
  return offers;
}

}  // namespace kinetic
