#include "target/kubernetes_near_nodes.h"

#include "target/kubernetes_object.h"
#include "target/kubernetes_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kinetic::target {
namespace {

using Amounts = std::map<std::string, double, std::less<>>;

constexpr std::size_t kShown = 5;

/// What a container asks for; a limit without a request is one.
Amounts RequestsOfContainer(const Value& container) {
  Amounts amounts;
  for (const auto* const kind : {"limits", "requests"}) {
    const Value::Map& resources = MapAt(container, {"resources", kind});
    for (const auto& [resource, _] : resources) amounts[resource] = QuantityIn(resources, resource);
  }
  return amounts;
}

void Add(Amounts& sum, const Amounts& more) {
  for (const auto& [resource, amount] : more) sum[resource] += amount;
}

Amounts PodAmounts(const Value& pod) {
  Amounts together;
  Amounts largest;
  for (const Value& container : ListAt(pod, {"spec", "initContainers"})) {
    const Amounts amounts = RequestsOfContainer(container);
    if (TextAt(container, {"restartPolicy"}) == "Always") {
      Add(together, amounts);
      continue;
    }
    for (const auto& [resource, amount] : amounts) {
      largest[resource] = std::max(largest[resource], amount);
    }
  }
  for (const Value& container : ListAt(pod, {"spec", "containers"})) {
    Add(together, RequestsOfContainer(container));
  }
  for (const auto& [resource, amount] : largest) {
    together[resource] = std::max(together[resource], amount);
  }
  return together;
}

bool HasEnded(const Value& pod) {
  const std::string_view phase = TextAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

/// What the pods on a node ask for together, and how many they are.
Amounts UsedOn(std::string_view node, const Objects& pods) {
  Amounts used;
  for (const Value* pod : pods) {
    if (TextAt(*pod, {"spec", "nodeName"}) != node || HasEnded(*pod)) continue;
    Add(used, PodAmounts(*pod));
    used["pods"] += 1;
  }
  return used;
}

void FitResources(NodeFit& fit, const std::vector<Request>& requests, const Sighting& seen) {
  const Value::Map& allocatable = MapAt(*fit.node, {"status", "allocatable"});
  const bool knows_use = !seen.all.other_pods.empty();
  const Amounts used = UsedOn(NameOf(*fit.node), seen.all.other_pods);
  for (const Request& request : requests) {
    const double all = QuantityIn(allocatable, request.resource);
    const auto taken = used.find(request.resource);
    const double free = all - (taken == used.end() ? 0 : taken->second);
    if (request.amount <= free) continue;
    if (request.amount > all) fit.too_small = true;
    std::string has = all == 0 ? "has none"
                      : knows_use
                          ? fmt::format("has {} free of {}", ShowAmount(request.resource, free),
                                        ShowAmount(request.resource, all))
                          : fmt::format("has {} in all", ShowAmount(request.resource, all));
    fit.resources.push_back(fmt::format("{}, {}", ShowRequest(request), has));
  }
}

auto Distance(const NodeFit& fit) {
  return std::tuple(fit.selectors.size(), fit.taints.size(), fit.too_small, fit.resources.size(),
                    NameOf(*fit.node));
}

}  // namespace

std::vector<Request> RequestsOf(const Value& pod) {
  std::vector<Request> requests;
  for (const auto& [resource, amount] : PodAmounts(pod)) {
    if (amount > 0) requests.push_back({resource, amount});
  }
  requests.push_back({"pods", 1});
  return requests;
}

std::string ShowRequest(const Request& request) {
  return ShowAmount(request.resource, request.amount) + " " + request.resource;
}

std::vector<NodeFit> FitNodes(const Sighting& seen) {
  std::vector<NodeFit> fits;
  if (seen.pod == nullptr) return fits;
  const std::vector<Request> requests = RequestsOf(*seen.pod);
  for (const Value* node : seen.all.nodes) {
    NodeFit fit{.node = node,
                .selectors = UnmetSelectors(*seen.pod, *node),
                .taints = UntoleratedTaints(*seen.pod, *node)};
    FitResources(fit, requests, seen);
    fits.push_back(std::move(fit));
  }
  std::ranges::sort(fits,
                    [](const NodeFit& a, const NodeFit& b) { return Distance(a) < Distance(b); });
  return fits;
}

std::vector<NearNode> ShowNearest(const std::vector<NodeFit>& fits) {
  std::vector<NearNode> nearest;
  for (const NodeFit& fit : fits) {
    if (nearest.size() == kShown) break;
    NearNode near{.name = std::string(NameOf(*fit.node)), .lacks = fit.selectors};
    for (const std::string& taint : fit.taints) {
      near.lacks.push_back(taint.starts_with("node.kubernetes.io/unschedulable")
                               ? "is cordoned"
                               : "toleration of " + taint);
    }
    near.lacks.insert(near.lacks.end(), fit.resources.begin(), fit.resources.end());
    nearest.push_back(std::move(near));
  }
  return nearest;
}

}  // namespace kinetic::target
