#pragma once

#include "kinetic/result.h"

#include "record/job_record.h"

#include <string>
#include <string_view>

/// How what a job makes in a cluster is called, and what people and kinetic select it by.
namespace kinetic::backend {

inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "kinetic";
inline constexpr std::string_view kJobIdLabel = "kinetic.dev/job-id";
inline constexpr std::string_view kNameLabel = "kinetic.dev/name";    ///< cut to what a label holds
inline constexpr std::string_view kOwnerLabel = "kinetic.dev/owner";  ///< "ana-laptop"
/// Of what makes packages: digits that are those of its name.
inline constexpr std::string_view kPackagesLabel = "kinetic.dev/packages";
/// Of what asks for a node ahead of a job: the digits of its name.
inline constexpr std::string_view kAheadLabel = "kinetic.dev/ahead";
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
/// Of a job with several accelerators (kubernetes_choices.h): those that come after this one, how
/// long this one is waited for, those that could not be had, and when the first Job was made.
inline constexpr std::string_view kChoicesAnnotation = "kinetic.dev/choices-left";
inline constexpr std::string_view kPatienceAnnotation = "kinetic.dev/patience-milliseconds";
inline constexpr std::string_view kTriedAnnotation = "kinetic.dev/tried";
inline constexpr std::string_view kSubmittedAnnotation = "kinetic.dev/submitted";
/// A client has ended the job, for the cause of that name.
inline constexpr std::string_view kStoppedAnnotation = "kinetic.dev/stopped";

/// The selector of all that kinetic manages, and of what one job has.
std::string ManagedSelector();
std::string JobSelector(std::string_view id);

/// The name of the Job and of its Secret: "kinetic-{id}".
///
/// @errors  kInvalidArgument: with it the name would be no DNS label that leaves a task's number
///          room.
Result<std::string> ObjectName(std::string_view id);

/// The same for an id that is known to be one.
std::string JobNameOf(std::string_view id);

/// The id of the job that a Job or Secret belongs to; empty: it is none of kinetic's.
std::string JobIdOf(const Value& object);

/// `text` as a label may hold it: what is not allowed becomes "-", at most 63 characters, letters
/// or digits at both ends. May be empty.
///
/// @source  https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
std::string LabelValue(std::string_view text);

/// The labels of the Job, its pods and its Secret.
Value::Map LabelsOf(const record::Record& record);

}  // namespace kinetic::backend
