#pragma once

#include "kinetic/profile.h"
#include "kinetic/warming.h"

#include "base/clock.h"
#include "kube/client.h"
#include "record/record.h"

#include <stop_token>
#include <string>

namespace kinetic::target {

/// What nodes are to pull, and for which job.
struct WarmRequest {
  JobSpec spec;             ///< its accelerator, `spot` and `pod` choose nodes
  std::string image;        ///< that its program runs in
  ClusterProfile cluster;   ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  std::string pool;         ///< of GKE; empty: any
};

/// The DaemonSet that has a node pull the runner's image and that of the job: the first as an init
/// container that installs the launcher, the second as one that runs the launcher for its version.
/// So nothing of the image's own runs, and it need not have a shell. It asks for no resources and
/// no chips. Its name is made of what it is for: equal requests, equal names.
///
/// @errors  those of BuildManifests.
Result<Value> WarmSet(const WarmRequest& request);

/// How far a pod of a DaemonSet is that was made by WarmSet.
struct WarmState {
  bool settled = false;  ///< both images are there, or one of them cannot be had
  std::string failed;    ///< why not; empty: they are there
};
WarmState WarmStateOf(const Value& pod);

/// "2.3s", "1m2.5s", "450ms", as Go writes a time.
std::optional<std::chrono::milliseconds> ParseGoDuration(std::string_view text);

/// What an event of a kubelet says of an image that it pulled or found; nothing: it is of something
/// else.
std::optional<WarmReport::Image> PulledImage(const Value& event);

/// Has the nodes pull them: makes the DaemonSet, watches its pods, and removes it, whatever comes.
///
/// @errors  kDeadlineExceeded · kAborted (somebody else removed it) · kCancelled · those of WarmSet
///          and of kube::Client.
Result<WarmReport> WarmNodes(const kube::Client& client, const WarmRequest& request,
                             const WarmOptions& options, std::stop_token stop);

}  // namespace kinetic::target
