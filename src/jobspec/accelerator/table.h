#pragma once

#include "kinetic/accelerator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::jobspec {

/// The taint of nodes without accelerators that are only for jobs. Pods of the system would keep
/// the autoscaler from deleting such a node.
inline constexpr std::string_view kJobsTaint = "kinetic.dev/jobs";

/// The grid of a slice's chips; z is 0 in two dimensions.
struct Topology {
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t chips() const { return x * y * (z == 0 ? 1 : z); }
  bool operator==(const Topology&) const = default;
};

/// One generation of TPUs. The `single_` members are set if slices of one host have a separate
/// machine type and label (v3).
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
struct TpuGeneration {
  std::string_view name = {};
  std::string_view alias = {};
  std::string_view node_label = {};
  std::string_view machine_prefix =
      {};  ///< "ct5lp-hightpu-"; followed by "4t" for four chips per host
  std::string_view single_node_label = {};
  std::string_view single_machine_prefix = {};
  std::uint32_t size_per_chip = 1;  ///< unit of the size in a name: 2 TensorCores or 1 chip
  std::span<const Topology> topologies = {};    ///< those with a size, by chips
  std::optional<Topology> divisible = {};       ///< a one-host slice that also exists on two hosts
  std::optional<Topology> largest_custom = {};  ///< largest other shape of multiples of four
};

/// One kind of GPU and the machines that have it.
///
/// @source  https://cloud.google.com/compute/docs/gpus
struct GpuKind {
  struct Machine {
    std::uint32_t gpus;
    std::string_view type;
  };
  std::string_view name;
  std::string_view node_label;
  std::span<const Machine> machines;  ///< empty: not supported (ARM64 machines)
};

std::span<const TpuGeneration> TpuGenerations();
std::span<const GpuKind> GpuKinds();

/// Returns the slice of that shape, named by size if the generation has a size for it.
///
/// @param chips_of_host  chips per machine if there is a choice: v6e-8 is one machine of 8 chips,
///                       v6e-8-4t is two machines of 4. 0: as few machines as possible.
Accelerator MakeTpu(const TpuGeneration& generation, const Topology& topology,
                    std::uint32_t chips_of_host = 0);
Accelerator MakeGpu(const GpuKind& kind, const GpuKind::Machine& machine);
Accelerator MakeCpu();

}  // namespace kinetic::jobspec
