#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/target.h"
#include "base/hash/digest.h"

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// What only some targets offer; Target has an accessor for each.
namespace kinetic::backend {

/// The image that a job's program runs in, or that its packages are added to.
struct BaseImage {
  std::string image;      ///< as written: "python:3.12-slim"
  std::string python;     ///< "3.12": the Python that packages are resolved for
  std::string platform;   ///< of its machines: "linux-x86_64"
  bool is_given = false;  ///< the job names it: it is used with the packages that it contains
};

/// A target whose jobs run in container images.
class ContainerImages {
 public:
  virtual ~ContainerImages() = default;

  virtual BaseImage BaseImageOf(const JobSpec& spec) const = 0;
};

/// A target whose pods can check what they need.
class PodProber {
 public:
  virtual ~PodProber() = default;

  /// Starts a pod that uses the store, and removes it.
  ///
  /// @param   deadline  includes the wait for a node.
  /// @returns the name of its node.
  /// @errors  those of the store, from the pod · kFailedPrecondition (the pod did not start: the
  ///          cause) · those of the API server.
  virtual Result<std::string> ProbePod(std::chrono::seconds deadline, std::stop_token stop) = 0;
};

/// A job that will need a node, while its packages or image are still being built.
struct NodeRequest {
  const JobSpec* spec = nullptr;  ///< required; its first accelerator counts
  std::string image = {};         ///< that the job's image is based on; empty: not known
};

/// A target that can have a node created before the job is submitted.
class NodeProvisioner {
 public:
  virtual ~NodeProvisioner() = default;

  /// Requests a node, waits until it is stopped, and removes the request. Best effort: no job
  /// depends on it.
  ///
  /// @param requested  called once the request exists, with its name in the cluster.
  /// @errors  kFailedPrecondition (the node that the job will need cannot be determined) · those of
  ///          the cluster's server, of requesting and of removing.
  virtual Status ProvisionNode(const NodeRequest& request,
                               const std::function<void(std::string_view)>& requested,
                               std::stop_token stop) = 0;
};

}  // namespace kinetic::backend
