#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

enum class AcceleratorKind : std::uint8_t { kCpu, kGpu, kTpu };

/// Hardware that a job can request, as Google names it.
struct Accelerator {
  AcceleratorKind kind = AcceleratorKind::kCpu;
  std::string name;  ///< canonical: "cpu", "gpu-l4", "gpu-h100x8", "v5litepod-4", "v5p-16"; by
                     ///< topology only where no size names the shape: "v5p-4x4x12"
  std::string generation;    ///< "l4", "h100", "v5litepod", "v5p"; empty for cpu
  std::uint32_t chips = 0;   ///< accelerator chips in all
  std::uint32_t hosts = 1;   ///< number of machines
  std::string topology;      ///< TPU only: "2x2x1"
  std::string machine_type;  ///< Google's machine type, "ct5lp-hightpu-4t"; empty for cpu
  std::string node_label;    ///< the value of GKE's accelerator label

  bool operator==(const Accelerator&) const = default;
};

/// Parses an accelerator's name: `cpu`, `gpu-KIND[xCOUNT]`, `GENERATION-SIZE` or
/// `GENERATION-TOPOLOGY`; case-insensitive. Sizes are those of Google: TensorCores for v3, v4, v5p
/// and tpu7x (v5p-8 is 4 chips), chips for v5litepod and v6e. The prefixes `gpu-` and `tpu-` may be
/// left out or added, `v5e` means v5litepod, and GKE's own labels (`nvidia-l4`) are accepted for
/// GPUs.
///
/// @errors  kInvalidArgument: "found X, expected …" with the closest name, or the sizes that the
///          generation has; also for machines that are not x86-64 (gb200).
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
KINETIC_EXPORT Result<Accelerator> ParseAccelerator(std::string_view name);

/// Returns the accelerators that ParseAccelerator accepts, by generation and size.
KINETIC_EXPORT std::span<const Accelerator> Accelerators();

}  // namespace kinetic::inline v0
