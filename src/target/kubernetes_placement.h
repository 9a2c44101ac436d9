#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::target {

/// Which nodes one pod of a job may go to, and what it takes of them.
struct Placement {
  Value::Map node_selector;
  Value::List tolerations;
  std::string resource;     ///< "google.com/tpu", "nvidia.com/gpu"; empty for cpu
  std::uint32_t chips = 0;  ///< of that resource, for each pod: all that a TPU's machine has
  std::uint32_t pods = 1;   ///< one for each host
};

/// GKE's labels, taints and resources for an accelerator. The selector always names x86-64, the one
/// kind of machine that the runner is built for; where machines of two types make the same
/// topology, it names the type too.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/tpus,
///          https://cloud.google.com/kubernetes-engine/docs/how-to/gpus,
///          https://cloud.google.com/kubernetes-engine/docs/how-to/spot-vms
Placement PlacementOf(const Accelerator& accelerator, bool spot);

/// One accelerator of a job's list, and how long it is waited for before the next one is tried.
struct PlacementChoice {
  std::size_t accelerator = 0;                        ///< index in spec.accelerators
  std::optional<std::chrono::milliseconds> patience;  ///< absent: to the end
};

/// The accelerators in the order in which they are tried. `timeouts.pending` is shared out evenly;
/// without it each but the last is waited for ten minutes.
std::vector<PlacementChoice> PlacementOrder(const JobSpec& spec);

}  // namespace kinetic::target
