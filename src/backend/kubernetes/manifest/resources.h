#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include "backend/kubernetes/manifest/placement.h"

#include <cstdint>
#include <string>

namespace kinetic::backend {

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
