#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "base/strings.h"

#include <algorithm>
#include <utility>

namespace kinetic::backend {
namespace {

std::optional<std::chrono::milliseconds> MillisecondsAt(const Value& job, std::string_view key) {
  const auto number = ParseInt(TextAt(job, {"metadata", "annotations", key}));
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

Objects PointersTo(const std::vector<Value>& values) {
  Objects pointers;
  for (const Value& value : values) pointers.push_back(&value);
  return pointers;
}

Objects PointersTo(const std::map<std::string, Value>& values) {
  Objects pointers;
  for (const auto& [uid, value] : values) pointers.push_back(&value);
  return pointers;
}

/// Returns whether a controller derived `name` from `base`, by adding five random characters after
/// a dash. The dash is omitted if the name would be too long.
bool IsMadeOf(std::string_view name, std::string_view base) {
  constexpr std::size_t kRandomCharacters = 5;
  if (!name.starts_with(base)) return false;
  name.remove_prefix(base.size());
  if (name.starts_with('-')) name.remove_prefix(1);
  return name.size() == kRandomCharacters && name.find('-') == std::string_view::npos;
}

}  // namespace

bool IsEventOf(const Value& event, const ObjectNames& names) {
  const std::string_view kind = TextAt(event, {"involvedObject", "kind"});
  const std::string_view name = TextAt(event, {"involvedObject", "name"});
  if (kind == "Job") return name == names.job;
  if (kind == "Pod") return IsMadeOf(name, names.pods);
  return kind == "Workload" && IsMadeOf(name, "job-" + names.job);
}

bool IsPodOf(std::string_view pod, const ObjectNames& names) { return IsMadeOf(pod, names.pods); }

kube::ListOptions EventsOf(std::string_view object) {
  return {.label_selector = {}, .field_selector = "involvedObject.name=" + std::string(object)};
}

std::string_view PodNamedBy(const Value& event) {
  if (TextAt(event, {"involvedObject", "kind"}) != "Job") return {};
  const std::string_view message = TextAt(event, {"message"});
  for (const std::string_view what : {"Created pod: ", "Deleted pod: "}) {
    if (message.starts_with(what)) return message.substr(what.size());
  }
  return {};
}

RequestedLimits RequestedLimitsOf(const Value& job) {
  RequestedLimits requested;
  requested.accelerator = TextAt(job, {"metadata", "annotations", kAcceleratorAnnotation});
  requested.pending = MillisecondsAt(job, kPendingAnnotation);
  requested.run = MillisecondsAt(job, kRunAnnotation);
  return requested;
}

SnapshotView ClusterSnapshot::ViewAt(WallTime now) const {
  SnapshotView view;
  view.job_id = job_id;
  view.job = job ? &*job : nullptr;
  view.job_existed = job_existed;
  view.pods = PointersTo(pods);
  view.events = PointersTo(events);
  view.nodes = PointersTo(nodes);
  view.nodes_known = nodes_known;
  view.other_pods = PointersTo(other_pods);
  view.quotas = PointersTo(quotas);
  view.workload = workload ? &*workload : nullptr;
  if (job) view.requested = RequestedLimitsOf(*job);
  if (job && IsArray(*job)) {
    const TaskCounts counts = TaskCountsOf(*job);
    view.has_begun = counts.running + counts.Ended() > 0;
  }
  view.now = now;
  return view;
}

std::vector<const Value*> ClusterSnapshot::PodsInOrder() const {
  Objects ordered = PointersTo(pods);
  std::ranges::sort(ordered, {}, [](const Value* pod) {
    return std::pair(TextAt(*pod, {"metadata", "creationTimestamp"}), UidOf(*pod));
  });
  return ordered;
}

bool AllPodsEnded(const ClusterSnapshot& snapshot) {
  if (snapshot.job && IsArray(*snapshot.job)) return HasNoPods(*snapshot.job);
  return std::ranges::all_of(snapshot.pods,
                             [](const auto& known) { return HasEnded(known.second); });
}

bool IsStopped(const Value& job) {
  return At(job, {"metadata", "annotations", kStoppedAnnotation}) != nullptr;
}

bool HasEnded(const Value& pod) {
  const std::string_view phase = TextAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool HasEnded(const Value& pod, std::string_view container) {
  if (HasEnded(pod)) return true;
  const Value* status = ContainerStatus(pod, container);
  return status != nullptr && At(*status, {"state", "terminated"}) != nullptr;
}

bool HasStarted(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  if (status == nullptr) return false;
  return At(*status, {"state", "running"}) != nullptr ||
         At(*status, {"state", "terminated"}) != nullptr ||
         At(*status, {"lastState", "terminated"}) != nullptr;
}

}  // namespace kinetic::backend
