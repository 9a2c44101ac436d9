#pragma once

#include "store/advisory_lease.h"

namespace kinetic::job {

/// Returns this client's identity for leases on image builds. It detects holders on this machine
/// that have exited.
store::AdvisoryLease::Client LeaseClient();

}  // namespace kinetic::job
