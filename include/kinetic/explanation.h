#pragma once

#include "kinetic/export.h"
#include "kinetic/job.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// What a job's state is due to. The names are those of docs/reference/causes.md.
enum class Cause : std::uint8_t {
  // Nothing is wrong.
  kSucceeded,
  kRunning,
  kStarting,    ///< on its way: a container is being made, code is being fetched
  kCollecting,  ///< its outputs are being stored
  // It waits for its turn.
  kJobsAhead,        ///< other jobs of this machine
  kQueue,            ///< Kueue has not admitted it
  kQueueAbsent,      ///< no such Kueue queue
  kSuspended,        ///< somebody suspended it
  kSchedulingGated,  ///< something holds its pod back from the scheduler
  kRetrying,         ///< an attempt ended; the next one has not begun
  kStoreAway,        ///< the store does not answer
  kElsewhere,        ///< it runs on another target, which this one cannot see
  kNothingSeen,      ///< no sign of why yet
  // No node takes its pod.
  kInsufficient,    ///< too little free of a resource
  kTaint,           ///< nodes keep it off
  kNoMatchingNode,  ///< its selector or affinity fits none
  kNoSuchPool,      ///< no node has the accelerator it asks for
  kUnschedulable,   ///< another of the scheduler's reasons
  kScalingUp,       ///< a node is being made
  kCannotScaleUp,   ///< the autoscaler has nothing that fits, or is at its bound
  kScaleUpBackoff,  ///< the autoscaler failed and waits before it tries again
  kCloudQuota,      ///< the project may not have more
  kStockout,        ///< the cloud has none left there
  kAddressesExhausted,
  // Its pod is not let in.
  kQuota,  ///< a ResourceQuota of the namespace
  kServiceAccountAbsent,
  kPodSecurity,
  kAdmission,  ///< another admission controller or a webhook
  kNamespaceEnding,
  kPodRefused,  ///< another reason why no pod could be made
  // Its image.
  kPulling,
  kImageAbsent,
  kImageForbidden,  ///< no permission to pull
  kImageName,       ///< not the name of an image
  kImageArchitecture,
  kRegistryAway,
  kImagePull,  ///< another failure to pull
  // Its containers.
  kSecretAbsent,  ///< or a ConfigMap
  kVolume,
  kSandbox,  ///< the pod's network or sandbox cannot be made
  kContainerConfig,
  kCannotRun,  ///< the container's program cannot be started
  kCrashLoop,  ///< the collector ends again and again
  // Its node.
  kNodeNotReady,
  kNodeLost,
  // How it ended.
  kProgram,  ///< the program ended with another code than 0
  kException,
  kBeforeUserCode,  ///< kinetic failed before any code of the job ran
  kOutOfMemory,
  kEvictedMemory,
  kEvictedDisk,
  kEvicted,
  kPreempted,     ///< by a pod of higher priority
  kDrained,       ///< its node was drained, or its pod evicted by request
  kNodeShutDown,  ///< as when a spot machine is taken back
  kPodDeleted,
  kTooLate,       ///< it did not start within timeouts.pending
  kTimeLimit,     ///< it ran longer than timeouts.run
  kBackoffLimit,  ///< its pods failed more often than it may
  kCancelled,
  kJobDeleted,
  kLost,  ///< nobody knows
};

/// The cause's name in `--json`: "image_absent".
KINETIC_EXPORT std::string_view Name(Cause cause);

/// Something a server said, as it said it.
struct Evidence {
  std::string source;  ///< "event FailedScheduling of pod kinetic-a-x7 (default-scheduler)"
  std::string text;
  std::optional<std::chrono::system_clock::time_point> first;  ///< by the server's clock
  std::optional<std::chrono::system_clock::time_point> last;
  std::uint64_t count = 1;  ///< how often it was said
};

/// A node that comes near to what a job asks for.
struct NearNode {
  std::string name;
  std::vector<std::string> lacks;  ///< "4 google.com/tpu, 0 of 4 free"; "toleration of …"
};

/// Why a job is in its state: one cause, what shows it, what to do.
struct Explanation {
  Cause cause = Cause::kNothingSeen;
  JobState state = JobState::kPending;
  Phase phase = Phase::kQueue;
  std::string headline;              ///< one line: "no node has 4 google.com/tpu free"
  std::vector<Evidence> evidence;    ///< the decisive one first; may be empty
  std::string advice;                ///< what to do; empty: nothing needs to be done
  std::vector<NearNode> near_nodes;  ///< nearest first, at most five
  std::string progress;              ///< "pulling for 40 s"; may be empty
  std::optional<std::chrono::system_clock::time_point> since;  ///< of this cause
  bool final = false;  ///< waiting does not help: it cannot start, or has ended
  /// When that was, by a server's clock, for the age of what was said; nothing: not known.
  std::optional<std::chrono::system_clock::time_point> asked = {};
};

}  // namespace kinetic
