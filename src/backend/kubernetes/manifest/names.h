#pragma once

#include "kinetic/result.h"

#include "record/job_record.h"

#include <cstdint>
#include <string>
#include <string_view>

/// Names, labels and annotations of a job's objects in a cluster.
namespace kinetic::backend {

inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "kinetic";
inline constexpr std::string_view kJobIdLabel = "kinetic.dev/job-id";
/// Instead of kJobIdLabel at the pods of an array, so that queries for the pods of a job never list
/// those of its tasks.
inline constexpr std::string_view kArrayIdLabel = "kinetic.dev/array-id";
inline constexpr std::string_view kNameLabel = "kinetic.dev/name";    ///< shortened
inline constexpr std::string_view kOwnerLabel = "kinetic.dev/owner";  ///< "ana-laptop"
/// Label of a node request, with the digits of its name.
inline constexpr std::string_view kProvisioningLabel = "kinetic.dev/provisioning";
inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

inline constexpr std::string_view kNameAnnotation = "kinetic.dev/full-name";    ///< as written
inline constexpr std::string_view kOwnerAnnotation = "kinetic.dev/full-owner";  ///< "ana@laptop"
inline constexpr std::string_view kRecordAnnotation = "kinetic.dev/record-sha256";
inline constexpr std::string_view kSpecAnnotation = "kinetic.dev/spec-sha256";
inline constexpr std::string_view kAcceleratorAnnotation = "kinetic.dev/accelerator";
inline constexpr std::string_view kStoreAnnotation = "kinetic.dev/store";
/// timeouts.pending and timeouts.run, in milliseconds.
inline constexpr std::string_view kPendingAnnotation = "kinetic.dev/pending-milliseconds";
inline constexpr std::string_view kRunAnnotation = "kinetic.dev/run-milliseconds";
/// For jobs with several accelerators (fallback_annotations.h): the later ones, how long to wait
/// for this one, those that were tried, and when the first Job was created.
inline constexpr std::string_view kFallbacksAnnotation = "kinetic.dev/fallbacks";
inline constexpr std::string_view kFallbackTimeoutAnnotation =
    "kinetic.dev/fallback-timeout-milliseconds";
inline constexpr std::string_view kFailedAcceleratorsAnnotation = "kinetic.dev/failed-accelerators";
inline constexpr std::string_view kSubmittedAnnotation = "kinetic.dev/submitted";
/// Of the Job of an array: the number of its tasks.
inline constexpr std::string_view kTasksAnnotation = "kinetic.dev/tasks";
/// The number of tasks that each pod of the array runs. Absent: one.
inline constexpr std::string_view kTasksPerPodAnnotation = "kinetic.dev/tasks-per-pod";
/// Set when a client has ended the job, to the name of the cause.
inline constexpr std::string_view kStoppedAnnotation = "kinetic.dev/stopped";

/// Return the selectors of all objects that kinetic manages, and of one job's objects.
std::string ManagedSelector();
std::string JobSelector(std::string_view id);
/// Returns the selector of the pods of an array.
std::string ArraySelector(std::string_view id);

/// Returns the name of the Job and its Secret: "kinetic-{id}".
///
/// @param indexes  of an array, whose pods are named "kinetic-{id}-{index}"; otherwise 0.
/// @errors         kInvalidArgument: the name would not be a DNS label with room for an index.
Result<std::string> ObjectName(std::string_view id, std::uint32_t indexes = 0);

/// Same as ObjectName, for a valid ID of a job, or of one of its tasks.
std::string JobNameOf(std::string_view id);

/// How the objects of a job or of a task are found in a cluster.
struct ObjectNames {
  std::string job;   ///< its Job
  std::string pods;  ///< what the names of its pods begin with, before the random characters
  std::string pod_selector;  ///< of its pods; those of an array are only found by task
};
/// @param tasks_per_pod  of the array of a task.
ObjectNames ObjectNamesOf(std::string_view id, std::uint32_t tasks_per_pod = 1);

/// Returns the ID of the job that a Job or Secret belongs to, or an empty string if it is not
/// kinetic's.
std::string JobIdOf(const Value& object);

/// Returns `text` as a label value: at most 63 characters, with "-" for invalid ones, and a letter
/// or digit at both ends. May be empty.
///
/// @source  https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
std::string LabelValue(std::string_view text);

/// Returns the labels of the Job and its Secret.
Value::Map LabelsOf(const record::Record& record);
/// Returns the labels of the pods.
Value::Map PodLabelsOf(const record::Record& record);

}  // namespace kinetic::backend
