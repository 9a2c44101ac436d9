#pragma once

#include "kinetic/accelerator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::spec {

/// Chips wired as a grid; z is 0 in two dimensions.
struct Topology {
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t chips() const { return x * y * (z == 0 ? 1 : z); }
  bool operator==(const Topology&) const = default;
};

/// One generation of TPUs. Where a slice of one host has machines and a label of its own (v3), the
/// `single_` members name them; elsewhere they are empty.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
struct TpuGeneration {
  std::string_view name;
  std::string_view alias;
  std::string_view node_label;
  std::string_view machine_prefix;  ///< "ct5lp-hightpu-": "4t" follows for four chips a host
  std::string_view single_node_label;
  std::string_view single_machine_prefix;
  std::uint32_t size_per_chip = 1;         ///< what a name's size counts: TensorCores or chips
  std::span<const Topology> topologies;    ///< those that have a size of their own, by chips
  std::optional<Topology> divisible;       ///< a slice of one host that two smaller ones make too
  std::optional<Topology> largest_custom;  ///< other shapes of multiples of four, up to this one
};

/// One kind of GPU; a machine has one of `counts` of them.
///
/// @source  https://cloud.google.com/compute/docs/gpus
struct GpuKind {
  struct Machine {
    std::uint32_t gpus;
    std::string_view type;
  };
  std::string_view name;
  std::string_view node_label;
  std::span<const Machine> machines;  ///< empty: known, and not supported (ARM64 machines)
};

std::span<const TpuGeneration> TpuGenerations();
std::span<const GpuKind> GpuKinds();

/// The slice of that shape; its name is by size where the shape is one of the generation's own.
///
/// @param chips_of_host  of the machines that make it, where there is a choice: v6e-8 is one
/// machine
///                       of 8 chips, and with 4 it is v6e-8-4t, two of them. 0: as few machines as
///                       possible.
Accelerator MakeTpu(const TpuGeneration& generation, const Topology& topology,
                    std::uint32_t chips_of_host = 0);
Accelerator MakeGpu(const GpuKind& kind, const GpuKind::Machine& machine);
Accelerator MakeCpu();

}  // namespace kinetic::spec
