#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::backend {

/// Which nodes one pod of a job may go to, and what it takes of them.
struct Placement {
  std::string accelerator;  ///< as the job file names it
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

/// How long the accelerator with index `choice` of the job's list is waited for before the next one
/// is tried: an even share of `timeouts.pending`, or ten minutes. Nothing: to the end, as the last
/// one is.
std::optional<std::chrono::milliseconds> PatienceFor(const JobSpec& spec, std::size_t choice);

/// A Kubernetes quantity: "32Gi", "1500Mi", or bytes where nothing larger is exact.
std::string BytesQuantity(std::uint64_t bytes);

/// A Kubernetes quantity of processors, rounded up to thousandths: "8", "500m".
std::string CpuQuantity(double processors);

/// Requests and limits of the job's container: memory and disk are limits too, processors are what
/// is kept for the job, and more may be used while nobody else needs them.
Value ResourcesOf(const Resources& resources, const Placement& placement);

/// Requests of the collector's container.
///
/// @param packages_bytes  of memory, for what it unpacks there: who writes it is charged for it.
Value CollectorResources(std::uint64_t packages_bytes);

}  // namespace kinetic::backend
