#pragma once

#include "kinetic/profile.h"

#include "backend/target.h"

#include <vector>

namespace kinetic::backend {

/// What of `spec` a cluster refuses or does not apply, in the order of docs/reference/job-file.md:
/// all that can be said without asking the cluster. Each field under `pod` that does not merge or
/// changes what is kinetic's is one of them, by its own key, so that its place in the file is
/// known.
std::vector<Limitation> CheckKubernetes(const JobSpec& spec, const ClusterProfile& cluster);

}  // namespace kinetic::backend
