#include "backend/kubernetes/manifest/job_manifest.h"

#include "kinetic/try.h"

#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/lifetime.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_fields.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "base/hash/digest.h"
#include "record/task_range.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {
namespace {

constexpr std::string_view kDefaultPython = "3.12";
/// The only platform in the table of accelerators.
constexpr std::string_view kPlatform = "linux-x86_64";
/// Tasks of an array that run at the same time unless the job file tells.
constexpr std::uint32_t kDefaultParallel = 100;

std::string PythonOf(const JobSpec& spec) {
  return spec.python.empty() ? std::string(kDefaultPython) : spec.python;
}

/// Returns the values that do not fit into labels.
Value::Map Annotations(const ManifestRequest& request, const Accelerator& accelerator) {
  const record::Record& record = *request.record;
  Value::Map annotations{{std::string(kRecordAnnotation), request.collect.record_sha256},
                         {std::string(kAcceleratorAnnotation), accelerator.name}};
  const auto add = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) annotations.emplace_back(std::string(key), text);
  };
  add(kNameAnnotation, record.spec.name);
  add(kOwnerAnnotation, record.owner);
  add(kStoreAnnotation, request.collect.store);
  const Timeouts& timeouts = record.spec.timeouts;
  if (timeouts.pending) add(kPendingAnnotation, std::to_string(timeouts.pending->count()));
  if (timeouts.run) add(kRunAnnotation, std::to_string(timeouts.run->count()));
  if (const auto& array = record.spec.array) {
    add(kTasksAnnotation, std::to_string(array->count));
    if (record::SharePods(*array))
      add(kTasksPerPodAnnotation, std::to_string(array->tasks_per_pod));
  }
  return annotations;
}

/// Returns the fields that run one pod, and fail the Job with it.
Value::Map SinglePod(const JobSpec& spec) {
  return {{"completionMode", "NonIndexed"},
          {"parallelism", 1},
          {"completions", 1},
          {"backoffLimit", BackoffLimit(spec.retry)},
          {"podFailurePolicy", PodFailurePolicy(spec.retry, FailureScope::kJob)}};
}

/// Returns the fields that run one pod for each task, and fail a task with its pod. If tasks share
/// pods, the pods continue until each of their tasks has a result.
Value::Map IndexedPods(const JobSpec& spec) {
  const ArraySpec& array = *spec.array;
  const bool share = record::SharePods(array);
  const std::uint32_t parallel = array.parallel == 0 ? kDefaultParallel : array.parallel;
  const std::uint32_t pods = record::CountPods(array);
  Value::Map job{{"completionMode", "Indexed"},
                 {"parallelism", std::int64_t{std::min(parallel, pods)}},
                 {"completions", std::int64_t{pods}},
                 {"backoffLimitPerIndex", BackoffLimit(spec.retry, array.tasks_per_pod)}};
  if (array.max_failed) {
    job.emplace_back("maxFailedIndexes", std::int64_t{std::min(*array.max_failed, pods)});
  }
  job.emplace_back("podFailurePolicy", PodFailurePolicy(spec.retry, share ? FailureScope::kTasks
                                                                          : FailureScope::kTask));
  return job;
}

Value JobSpecOf(const JobSpec& spec, Value pod_template) {
  Value::Map job = spec.array ? IndexedPods(spec) : SinglePod(spec);
  job.emplace_back("podReplacementPolicy", "Failed");
  job.emplace_back("ttlSecondsAfterFinished",
                   std::int64_t{std::chrono::seconds(kKeptWhenFinished).count()});
  if (const auto deadline = ActiveDeadline(spec)) {
    job.emplace_back("activeDeadlineSeconds", std::int64_t{deadline->count()});
  }
  // Kueue resumes it. Without Kueue, the job waits instead of bypassing the queue.
  if (!spec.queue.empty()) job.emplace_back("suspend", true);
  job.emplace_back("template", std::move(pod_template));
  return job;
}

Value::Map JobLabels(const record::Record& record) {
  Value::Map labels = LabelsOf(record);
  if (!record.spec.queue.empty()) labels.emplace_back(std::string(kQueueLabel), record.spec.queue);
  return labels;
}

Result<Placement> PlacementFor(const ManifestRequest& request, const Accelerator& accelerator) {
  Placement placement = PlacementOf(request.record->spec, accelerator);
  if (placement.pods == 1) return placement;
  return Fail(ErrorCode::kUnimplemented, accelerator.name + " spans " +
                                             std::to_string(placement.pods) +
                                             " machines, which is not supported yet");
}

/// Returns the pod template for the accelerator with this index.
Result<Value> TemplateFor(const ManifestRequest& request, std::size_t index,
                          const std::string& name) {
  const record::Record& record = *request.record;
  const Accelerator& accelerator = record.spec.accelerators[index];
  KINETIC_ASSIGN_OR_RETURN(const Placement placement, PlacementFor(request, accelerator));
  KINETIC_ASSIGN_OR_RETURN(const Value plain, PodTemplate(request, placement, name));
  return WithPodFields(plain, record.spec.pod);
}

/// Returns the accelerators after the requested one.
Result<std::vector<FallbackAccelerator>> LaterAccelerators(const ManifestRequest& request,
                                                           const std::string& name) {
  const JobSpec& spec = request.record->spec;
  std::vector<FallbackAccelerator> later;
  for (std::size_t i = request.accelerator + 1; i < spec.accelerators.size(); ++i) {
    KINETIC_ASSIGN_OR_RETURN(Value pod_template, TemplateFor(request, i, name));
    later.push_back({.accelerator = spec.accelerators[i].name,
                     .timeout = FallbackTimeout(spec, i),
                     .pod_template = std::move(pod_template)});
  }
  return later;
}

/// Any account that can read Jobs can read the collector's request.
Status CheckCollect(const pod::CollectRequest& collect) {
  if (collect.cloud.access_token.empty() && collect.cloud.environment.empty()) return {};
  return Fail(ErrorCode::kInternal, "the collector's request contains credentials");
}

}  // namespace

std::string ResolveImage(const JobSpec& spec, const ClusterProfile& cluster) {
  if (spec.image && !spec.image->uri.empty()) return spec.image->uri;
  if (!cluster.image.empty()) return cluster.image;
  return "python:" + PythonOf(spec) + "-slim";
}

std::string ResolveImage(const record::Record& record, const ClusterProfile& cluster) {
  return record.environment_image.empty() ? ResolveImage(record.spec, cluster)
                                          : record.environment_image;
}

BaseImage ResolveBaseImage(const JobSpec& spec, const ClusterProfile& cluster) {
  return {.image = ResolveImage(spec, cluster),
          .python = PythonOf(spec),
          .platform = std::string(kPlatform),
          .is_given = spec.image.has_value()};
}

Result<Manifests> BuildManifests(const ManifestRequest& request) {
  const record::Record& record = *request.record;
  KINETIC_RETURN_IF_ERROR(CheckCollect(request.collect));
  KINETIC_ASSIGN_OR_RETURN(
      const std::string name,
      ObjectName(record.id, record.spec.array ? record::CountPods(*record.spec.array) : 0));
  if (request.accelerator >= record.spec.accelerators.size()) {
    return Fail(ErrorCode::kInvalidArgument, "accelerator index " +
                                                 std::to_string(request.accelerator) +
                                                 " is out of range: the job lists " +
                                                 std::to_string(record.spec.accelerators.size()));
  }
  const Accelerator& accelerator = record.spec.accelerators[request.accelerator];
  KINETIC_ASSIGN_OR_RETURN(Value pod_template, TemplateFor(request, request.accelerator, name));
  KINETIC_ASSIGN_OR_RETURN(const auto later, LaterAccelerators(request, name));

  Value metadata = Value::Map{
      {"name", name}, {"namespace", request.cluster.name_space}, {"labels", JobLabels(record)}};
  Value::Map annotations = Annotations(request, accelerator);
  AnnotateFallbacks(annotations, FallbackTimeout(record.spec, request.accelerator), later);
  Value job = Value::Map{{"apiVersion", "batch/v1"},
                         {"kind", "Job"},
                         {"metadata", metadata},
                         {"spec", JobSpecOf(record.spec, std::move(pod_template))}};
  const std::string digest = Sha256::Of(Value(annotations).ToJson() + job.ToJson()).Hex();
  annotations.emplace_back(std::string(kSpecAnnotation), digest);
  metadata.Set("annotations", std::move(annotations));
  job.Set("metadata", std::move(metadata));

  Manifests manifests{.job = std::move(job), .secret = std::nullopt};
  if (!request.secrets.empty() || !record.secret_names.empty()) {
    KINETIC_ASSIGN_OR_RETURN(manifests.secret, MakeSecret(record, request.cluster.name_space,
                                                          request.collect.store, request.secrets));
  }
  return manifests;
}

JobMatch MatchJob(const Value& existing_job, const Value& wanted_job) {
  const auto same = [&](std::string_view name) {
    const std::string_view existing = AnnotationAt(existing_job, name);
    return !existing.empty() && existing == AnnotationAt(wanted_job, name);
  };
  if (JobIdOf(existing_job).empty() || !same(kRecordAnnotation)) return JobMatch::kOther;
  return same(kSpecAnnotation) ? JobMatch::kSame : JobMatch::kSameRecord;
}

}  // namespace kinetic::backend
