#include "backend/kubernetes/manifest/placement.h"

#include "jobspec/accelerator/table.h"

#include <algorithm>

namespace kinetic::backend {
namespace {

constexpr std::chrono::minutes kPatience{10};

Value Toleration(std::string key) {
  return Value::Map{{"key", std::move(key)}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
}

/// Returns whether a machine with more chips provides the whole slice, with the same topology label.
bool FitsOneMachine(const Accelerator& tpu) {
  const auto generations = jobspec::TpuGenerations();
  const auto found = std::ranges::find_if(
      generations, [&](const auto& known) { return known.name == tpu.generation; });
  if (found == generations.end() || !found->divisible) return false;
  const jobspec::Topology& shape = *found->divisible;
  return tpu.topology == std::to_string(shape.x) + "x" + std::to_string(shape.y);
}

void PlaceOnTpu(const Accelerator& tpu, Placement& placement) {
  placement.node_selector.emplace_back("cloud.google.com/gke-tpu-accelerator", tpu.node_label);
  placement.node_selector.emplace_back("cloud.google.com/gke-tpu-topology", tpu.topology);
  if (tpu.hosts > 1 && FitsOneMachine(tpu)) {
    placement.node_selector.emplace_back("cloud.google.com/gke-accelerator-count",
                                         std::to_string(placement.chips));
  }
  // GKE's device plugin sets these variables for the other generations.
  if (tpu.hosts == 1 && tpu.generation == "tpu7x") {
    placement.variables = {{"TPU_WORKER_ID", "0"}, {"TPU_WORKER_HOSTNAMES", "localhost"}};
  }
  placement.resource = "google.com/tpu";
}

/// Returns an affinity to nodes without a label.
Value WithoutLabel(std::string_view key) {
  const Value::Map expression{{"key", std::string(key)}, {"operator", "DoesNotExist"}};
  const Value::Map term{{"matchExpressions", Value::List{expression}}};
  return Value::Map{
      {"nodeAffinity", Value::Map{{"requiredDuringSchedulingIgnoredDuringExecution",
                                   Value::Map{{"nodeSelectorTerms", Value::List{term}}}}}}};
}

}  // namespace

Placement PlacementOf(const Accelerator& accelerator, bool spot) {
  Placement placement;
  placement.accelerator = accelerator.name;
  placement.pods = std::max(accelerator.hosts, 1U);
  placement.chips = accelerator.chips / placement.pods;
  placement.node_selector.emplace_back("kubernetes.io/arch", "amd64");
  if (accelerator.kind == AcceleratorKind::kTpu) PlaceOnTpu(accelerator, placement);
  if (accelerator.kind == AcceleratorKind::kGpu) {
    placement.node_selector.emplace_back("cloud.google.com/gke-accelerator",
                                         accelerator.node_label);
    placement.resource = "nvidia.com/gpu";
  }
  placement.tolerations.push_back(Toleration(
      placement.resource.empty() ? std::string(jobspec::kJobsTaint) : placement.resource));
  const std::string key = "cloud.google.com/gke-spot";
  // Spot nodes without a taint would accept the pod.
  if (!spot) placement.affinity = WithoutLabel(key);
  if (spot) {
    placement.node_selector.emplace_back(key, "true");
    placement.tolerations.emplace_back(Value::Map{
        {"key", key}, {"operator", "Equal"}, {"value", "true"}, {"effect", "NoSchedule"}});
  }
  return placement;
}

Placement PlacementOf(const JobSpec& spec, const Accelerator& accelerator) {
  Placement placement = PlacementOf(accelerator, spec.spot);
  if (spec.flex_start)
    placement.node_selector.emplace_back("cloud.google.com/gke-flex-start", "true");
  if (!spec.reservation.empty()) {
    placement.node_selector.emplace_back("cloud.google.com/reservation-affinity", "specific");
    placement.node_selector.emplace_back("cloud.google.com/reservation-name", spec.reservation);
  }
  return placement;
}

std::optional<std::chrono::milliseconds> FallbackTimeout(const JobSpec& spec, std::size_t index) {
  const std::size_t count = spec.accelerators.size();
  if (index + 1 >= count) return std::nullopt;
  if (!spec.timeouts.pending) return kPatience;
  return *spec.timeouts.pending / static_cast<std::int64_t>(count);
}

}  // namespace kinetic::backend
