#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "kube/client.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// What the Job that asks for a node is made from. Nothing else has a say in it.
struct NodeAheadRequest {
  NodeRequest node;
  ClusterProfile cluster;   ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  std::string digits;       ///< of its name, which nobody else has: [a-z0-9]
};

/// How long it stays where no node comes and whoever made it was killed.
inline constexpr std::chrono::minutes kLongestAhead{10};

/// The Job that asks for a node ahead of a job, "kinetic-ahead-" with the digits: its pod goes
/// where the job's will and asks for the same, chips included, so that an autoscaler makes the node
/// that the job will need. There it has the runner's image and that of the job pulled, runs the
/// launcher for its version, and ends at once. It is none of kinetic's jobs, and goes by itself.
///
/// @errors  kFailedPrecondition (Kueue, or a volume of the job's, decides where it may run) · those
///          of BuildManifests.
/// @source  docs/reference/kubernetes.md, "Node provisioning ahead"
Result<Value> NodeAheadJob(const NodeAheadRequest& request);

/// Who asks.
struct AskingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< gives up soon: for who wants to be gone
};

/// NodeProvisioner::ProvisionNode: creates the Job of NodeAheadJob, waits until it is stopped,
/// and removes it, whatever the server has said of it: an answer may have been lost.
///
/// @errors  those of NodeAheadJob and kube::Client.
Status AskAhead(const AskingPlace& place, const NodeAheadRequest& request,
                const std::function<void(std::string_view)>& asked, std::stop_token stop);

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
