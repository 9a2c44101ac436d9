#include "provision/shutdown/last_use.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "kube/object.h"
#include "kube/resource.h"
#include "provision/cluster_access.h"
#include "provision/shutdown/objects.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kinetic::provision {
namespace {

void Extend(ClusterUse& use, const Value& object, std::initializer_list<std::string_view> path) {
  if (const auto time = ParseTime(kube::TextAt(object, path))) use.last = std::max(use.last, *time);
}

Status AddJobs(const kube::Client& client, ClusterUse& use, std::stop_token stop) {
  const auto add = [&](const Value& job) -> Status {
    if (!HasEnded(job)) use.has_jobs = true;
    Extend(use, job, {"metadata", "creationTimestamp"});
    Extend(use, job, {"status", "completionTime"});
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client.List(kube::kJobs, "", {.label_selector = std::string(kJobIdLabel)},
                                      add, std::move(stop)));
  return {};
}

/// Clients delete Jobs that have ended, but their events remain for an hour.
Status AddEvents(const kube::Client& client, ClusterUse& use, std::stop_token stop) {
  const auto add = [&](const Value& event) -> Status {
    if (kube::NamespaceOf(event) == kShutdownNamespace) return {};
    Extend(use, event, {"lastTimestamp"});
    Extend(use, event, {"eventTime"});
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client.List(
      kube::kEvents, "", {.field_selector = "involvedObject.kind=Job"}, add, std::move(stop)));
  return {};
}

}  // namespace

Result<ClusterUse> FindLastUse(const kube::Client& client, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto cron_job,
                           client.Get(kube::kCronJobs, kShutdownNamespace, kShutdownObjects, stop));
  if (!cron_job) {
    return Fail(ErrorCode::kNotFound,
                "CronJob " + std::string(kShutdownObjects) + " does not exist");
  }
  ClusterUse use;
  Extend(use, *cron_job, {"metadata", "creationTimestamp"});
  Extend(use, *cron_job, {"metadata", "annotations", kLastUseAnnotation});
  const WallTime known = use.last;
  KINETIC_RETURN_IF_ERROR(AddJobs(client, use, stop));
  KINETIC_RETURN_IF_ERROR(AddEvents(client, use, stop));
  if (use.has_jobs) use.last = std::max(use.last, SystemClock().Now());
  if (use.last == known) return use;
  KINETIC_RETURN_IF_ERROR(client.Patch(kube::kCronJobs, kShutdownNamespace, kShutdownObjects,
                                       AnnotationPatch(kLastUseAnnotation, FormatTime(use.last)),
                                       std::move(stop)));
  return use;
}

}  // namespace kinetic::provision
