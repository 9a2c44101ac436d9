#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// Returns the specification of the pod that a job will have, as far as the job's spec determines
/// it, without `data`.
///
/// @param image    of its program.
/// @param cluster  resolved: `name_space` and `runner_image` are not empty.
/// @errors  those of BuildManifests.
Result<Value> PodOfJob(const JobSpec& spec, const std::string& image,
                       const ClusterProfile& cluster);

/// A pod that pulls images on a node that fits a job, and ends.
struct ProvisioningPod {
  struct Container {
    std::string name;
    Value resources = {};  ///< requests; null: none
  };
  std::string runner_image;
  std::string image;
  bool restricted = false;    ///< the namespace enforces the Pod Security Standard "restricted"
  Value init_resources = {};  ///< requests of the init container; null: none
  std::vector<Container> containers;  ///< all with `image`
};

/// Returns its specification: an init container with the runner's image installs the launcher, and
/// the other containers run the launcher for its version. No program of their image runs, so the
/// image needs no shell. Nodes are selected as in `of_job`.
///
/// @param of_job  from PodOfJob.
Value ProvisioningPodSpec(const ProvisioningPod& pod, const Value& of_job);

}  // namespace kinetic::backend
