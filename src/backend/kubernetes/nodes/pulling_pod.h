#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// The specification of the pod that a job will have, as far as its spec alone decides it; what
/// `data` names is left out.
///
/// @param image    that its program will run in.
/// @param cluster  resolved: `name_space` and `runner_image` are not empty.
/// @errors  those of BuildManifests.
Result<Value> PodOfJob(const JobSpec& spec, const std::string& image,
                       const ClusterProfile& cluster);

/// A pod that pulls images where a job's pod would go, and ends.
struct PullingPod {
  struct Container {
    std::string name;
    Value resources = {};  ///< null: it asks for none
  };
  std::string runner_image;
  std::string image;
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  Value installing = {};    ///< what the init container asks for; null: nothing
  std::vector<Container> containers;  ///< all of `image`
};

/// Its specification: the runner's image as an init container that installs the launcher, and
/// containers that run the launcher for its version. So nothing of the image's own runs, and it
/// need not have a shell. Nodes are chosen as `of_job` chooses them.
///
/// @param of_job  as PodOfJob gives it.
Value PullingPodSpec(const PullingPod& pod, const Value& of_job);

}  // namespace kinetic::backend
