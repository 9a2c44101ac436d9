#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "backend/kubernetes/manifest/cluster_clients.h"
#include "kube/client.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
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

/// The complete input of the Job that requests a node.
struct ProvisioningJobRequest {
  NodeRequest node;
  ClusterProfile cluster;   ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  std::string digits;       ///< unique part of its name: [a-z0-9]
};

/// Maximum lifetime, if no node is created and the client was killed.
inline constexpr std::chrono::minutes kProvisioningDeadline{10};

/// Returns the Job that requests a node ahead of a job, "kinetic-provisioning-" with the digits.
/// Its pod has the placement and the requests of the job's pod, chips included, so that an
/// autoscaler creates the node that the job will need. On that node it pulls the images of the
/// runner and of the job, runs the launcher for its version, and ends. It is not a job of kinetic
/// and is deleted automatically.
///
/// @errors  kFailedPrecondition (Kueue, or a volume of the job, decides where it runs) · those of
///          BuildManifests.
/// @source  docs/reference/kubernetes.md, "Node provisioning ahead"
Result<Value> MakeProvisioningJob(const ProvisioningJobRequest& request);

/// Implements NodeProvisioner::ProvisionNode: creates the Job of MakeProvisioningJob, waits for the
/// stop request, and deletes the Job, even if creating it failed, because only the response may
/// have been lost.
///
/// @errors  those of MakeProvisioningJob and kube::Client.
Status ProvisionNode(const ClusterClients& clients, const ProvisioningJobRequest& request,
                     const std::function<void(std::string_view)>& requested, std::stop_token stop);

}  // namespace kinetic::backend
