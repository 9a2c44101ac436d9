#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {

/// The nodes on which a pod of a job can run, and its accelerators.
struct Placement {
  std::string accelerator;  ///< as in the job file
  Value::Map node_selector;
  Value::List tolerations;
  Value affinity;           ///< null: none
  std::string resource;     ///< "google.com/tpu", "nvidia.com/gpu"; empty for cpu
  std::uint32_t chips = 0;  ///< per pod; all of the machine for a TPU
  std::uint32_t pods = 1;   ///< one per host
  std::vector<std::pair<std::string, std::string>> variables;  ///< of the job's container
};

/// Returns GKE's labels, taints and resources for an accelerator. The selector always contains
/// x86-64, the only architecture of the runner. If a slice of several machines also exists as one
/// machine, it contains the number of chips of a machine. Without `spot`, Spot nodes are excluded.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/tpus,
///          https://cloud.google.com/kubernetes-engine/docs/how-to/gpus,
///          https://cloud.google.com/kubernetes-engine/docs/how-to/spot-vms
Placement PlacementOf(const Accelerator& accelerator, bool spot);

/// Same, on the nodes that a job asks for.
Placement PlacementOf(const JobSpec& spec, const Accelerator& accelerator);

/// Returns how long to wait for accelerator `index` of the job's list before the next one is
/// tried: an even share of `timeouts.pending`, or ten minutes. Returns nullopt for the last one,
/// which has no limit.
std::optional<std::chrono::milliseconds> FallbackTimeout(const JobSpec& spec, std::size_t index);

/// Returns a Kubernetes quantity: "32Gi", "1500Mi", or bytes if no larger unit is exact.
std::string BytesQuantity(std::uint64_t bytes);

/// Returns a Kubernetes quantity of CPUs, rounded up to thousandths: "8", "500m".
std::string CpuQuantity(double processors);

/// Returns requests and limits of the job's container. Memory and disk are limited. CPUs are only
/// requested, so a job can use idle ones too.
Value ResourcesOf(const Resources& resources, const Placement& placement);

/// Returns the requests of the collector's container.
///
/// @param packages_bytes  memory for unpacked packages, which counts as the collector's.
/// @param disk_bytes      disk for packages and data; 0: as much as the cluster's default.
Value CollectorResources(std::uint64_t packages_bytes, std::uint64_t disk_bytes);

}  // namespace kinetic::backend
