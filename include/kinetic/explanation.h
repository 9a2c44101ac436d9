#pragma once

#include "kinetic/export.h"
#include "kinetic/job.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// The reason for a job's state. docs/reference/causes.md has the names.
enum class Cause : std::uint8_t {
  // Nothing is wrong.
  kSucceeded,
  kRunning,
  kStarting,    ///< a container is being created, code is being fetched
  kCollecting,  ///< its outputs are being stored
  // The job waits in a queue.
  kJobsAhead,         ///< other jobs of this machine
  kQueue,             ///< not admitted by Kueue
  kQueueNotFound,     ///< no such Kueue queue
  kSuspended,         ///< suspended by another client
  kSchedulingGated,   ///< the pod has scheduling gates
  kRetrying,          ///< an attempt has ended; the next one has not started
  kStoreUnavailable,  ///< the store is unavailable
  kElsewhere,         ///< on a target that is not visible here
  kNoStatus,          ///< no information yet
  // No node accepts the pod.
  kInsufficient,       ///< not enough free resources
  kTaint,              ///< not tolerated by the pod
  kNoMatchingNode,     ///< for the pod's selectors or affinity
  kNoSuchPool,         ///< no node has the requested accelerator
  kUnschedulable,      ///< another of the scheduler's reasons
  kScalingUp,          ///< a node is being created
  kCannotScaleUp,      ///< no matching node pool, or at its maximum size
  kScaleUpBackoff,     ///< the autoscaler failed and will retry
  kCloudQuota,         ///< of the project
  kStockout,           ///< no capacity in the zone
  kReservation,        ///< the node pool's reservation is missing, used up or does not fit
  kPoolConfiguration,  ///< the node pool's TPU topology or service account is invalid
  kNodeTimeout,        ///< a new node did not join the cluster in time
  kAddressesExhausted,
  // The pod cannot be created.
  kQuota,  ///< a ResourceQuota of the namespace
  kServiceAccountNotFound,
  kPodSecurity,
  kAdmission,  ///< another admission controller or a webhook
  kNamespaceEnding,
  kPodRefused,  ///< another reason
  // The image.
  kPulling,
  kImageNotFound,
  kImageForbidden,  ///< no permission to pull
  kImageName,       ///< invalid name
  kImageArchitecture,
  kRegistryUnavailable,
  kImagePull,  ///< another failure to pull
  // The containers.
  kSecretNotFound,  ///< or a ConfigMap
  kVolume,
  kSandbox,  ///< the pod's network or sandbox cannot be created
  kContainerConfig,
  kCannotRun,  ///< the container's program cannot be started
  kCrashLoop,  ///< the collector exits repeatedly
  // The node.
  kNodeNotReady,
  kNodeLost,
  // The job has ended.
  kProgram,  ///< the program exited with a code other than 0
  kException,
  kBeforeUserCode,   ///< kinetic failed before any user code ran
  kNotSerializable,  ///< the function returned an object that kinetic cannot store
  kNotStored,        ///< kinetic failed to store the log, the outputs or the value
  kOutOfMemory,
  kEvictedMemory,
  kEvictedDisk,
  kEvicted,
  kPreempted,     ///< by a pod of higher priority
  kDrained,       ///< the node was drained, or an eviction was requested
  kNodeShutDown,  ///< for example, a spot node
  kPodDeleted,
  kStartTimeout,  ///< did not start within timeouts.pending
  kTimeLimit,     ///< exceeded timeouts.run
  kBackoffLimit,  ///< the pods failed more often than allowed
  kCancelled,
  kJobDeleted,
  kLost,  ///< no information left
};

/// Returns the cause's name in `--json`: "image_not_found".
KINETIC_EXPORT std::string_view Name(Cause cause);

/// An unmodified message of a server.
struct Evidence {
  std::string source;  ///< "event FailedScheduling of pod kinetic-a-x7 (default-scheduler)"
  std::string text;
  std::optional<std::chrono::system_clock::time_point> first;  ///< by the server's clock
  std::optional<std::chrono::system_clock::time_point> last;
  std::uint64_t count = 1;  ///< number of occurrences
};

/// A node that almost matches a job's requests.
struct NearNode {
  std::string name;
  std::vector<std::string> lacks;  ///< "4 google.com/tpu (0 of 4 free)", "toleration of …"
};

/// Why a job is in its state: cause, evidence, advice.
struct Explanation {
  Cause cause = Cause::kNoStatus;
  JobState state = JobState::kPending;
  Phase phase = Phase::kQueue;
  std::string headline;              ///< one line: "no node has 4 google.com/tpu free"
  std::vector<Evidence> evidence;    ///< most important first; may be empty
  std::string advice;                ///< what to do; may be empty
  std::vector<NearNode> near_nodes;  ///< nearest first, at most five
  std::string progress;              ///< "pulling for 40 s"; may be empty
  std::vector<std::string> blocked_by =
      {};  ///< IDs of the running jobs that it waits for, if known
  std::optional<std::chrono::system_clock::time_point> since;  ///< when the cause began
  bool final = false;  ///< waiting does not help: the job cannot start, or has ended
  /// Time of the explanation by the server's clock, for the age of the evidence; nullopt: unknown.
  std::optional<std::chrono::system_clock::time_point> asked = {};
};

}  // namespace kinetic::inline v0
