#include "backend/kubernetes/diagnose/node_fit.h"

#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kinetic::backend {
namespace {

using Amounts = std::map<std::string, double, std::less<>>;

constexpr std::size_t kShown = 5;

/// Returns a container's requests; a limit without a request counts as one.
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

/// Total requests and number of the pods on each node.
using Use = std::map<std::string_view, Amounts>;

Use UseOf(const Objects& pods) {
  Use use;
  for (const Value* pod : pods) {
    const std::string_view node = TextAt(*pod, {"spec", "nodeName"});
    if (node.empty() || HasEnded(*pod)) continue;
    Add(use[node], PodAmounts(*pod));
    use[node]["pods"] += 1;
  }
  return use;
}

std::string ShowRoom(const Request& request, double all, double free, bool knows_use) {
  if (all == 0) return "has none";
  const std::string whole = FormatAmount(request.resource, all);
  if (!knows_use) return fmt::format("has {}", whole);
  return fmt::format("{} of {} free", FormatAmount(request.resource, free), whole);
}

void FitResources(NodeFit& fit, const std::vector<Request>& requests, const Use& use) {
  const Value::Map& allocatable = MapAt(*fit.node, {"status", "allocatable"});
  const auto used = use.find(NameOf(*fit.node));
  for (const Request& request : requests) {
    const double all = QuantityIn(allocatable, request.resource);
    double free = all;
    if (used != use.end()) {
      const auto taken = used->second.find(request.resource);
      if (taken != used->second.end()) free -= taken->second;
    }
    if (request.amount <= free) continue;
    if (request.amount > all) fit.too_small = true;
    fit.resources.push_back(
        fmt::format("{} ({})", FormatRequest(request), ShowRoom(request, all, free, !use.empty())));
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

std::string FormatRequest(const Request& request) {
  return FormatAmount(request.resource, request.amount) + " " + request.resource;
}

std::vector<NodeFit> FitNodes(const SnapshotIndex& index) {
  std::vector<NodeFit> fits;
  if (index.pod == nullptr) return fits;
  const std::vector<Request> requests = RequestsOf(*index.pod);
  const Use use = UseOf(index.view.other_pods);
  for (const Value* node : index.view.nodes) {
    NodeFit fit{.node = node,
                .selectors = UnmetSelectors(*index.pod, *node),
                .taints = UntoleratedTaints(*index.pod, *node)};
    FitResources(fit, requests, use);
    fits.push_back(std::move(fit));
  }
  std::ranges::sort(fits,
                    [](const NodeFit& a, const NodeFit& b) { return Distance(a) < Distance(b); });
  return fits;
}

std::vector<NearNode> NearestNodes(const std::vector<NodeFit>& fits) {
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

}  // namespace kinetic::backend
