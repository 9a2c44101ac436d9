#include "backend/kubernetes/probe/run.h"

#include "kinetic/try.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "kube/object.h"
#include "pod/container.h"
#include "pod/outcome.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns the pod's report, or nullopt while the pod is running.
std::optional<Status> OutcomeOf(const Value& pod) {
  const Value* const container = ContainerStatus(pod, pod::kCollectorContainer);
  const Value* const end = container != nullptr ? At(*container, {"state", "terminated"}) : nullptr;
  if (end == nullptr) return std::nullopt;
  if (auto outcome = pod::OutcomeFromJson(TextAt(*end, {"message"}))) return outcome;
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("the pod ended with exit code {} and reported nothing",
                          IntAt(*end, {"exitCode"}).value_or(0)),
              "the runner image may be of an older version: push a new one with 'kinetic image "
              "runner --push NAME'");
}

/// Returns whether the image could not be pulled. Another attempt rarely succeeds.
bool HasFailedPull(const Value& pod) {
  const Value* const container = ContainerStatus(pod, pod::kCollectorContainer);
  if (container == nullptr) return false;
  const std::string_view reason = TextAt(*container, {"state", "waiting", "reason"});
  return reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "InvalidImageName";
}

Status NotStartedError(const Explanation& why, bool timed_out, std::chrono::seconds deadline) {
  std::string message = timed_out ? fmt::format("the pod did not start within {} s: {}",
                                                deadline.count(), why.headline)
                                  : fmt::format("the pod did not start: {}", why.headline);
  if (!why.evidence.empty()) message += ": " + why.evidence.front().text;
  return Fail(ErrorCode::kFailedPrecondition, std::move(message), why.advice);
}

/// Follows the Job until its pod has ended, or cannot start.
Result<std::string> Follow(const ClusterClients& clients, const ProbeRequest& request,
                           const Value& job, std::chrono::seconds deadline,
                           const std::stop_token& stop) {
  const std::string name(kube::NameOf(job));
  const std::string selector =
      "batch.kubernetes.io/controller-uid=" + std::string(kube::UidOf(job));
  const JobMonitor monitor(clients.client,
                           {request.cluster.name_space, name, {name, name, selector}});
  const SteadyTime end = clients.clock.Steady() + deadline;
  for (JobMonitor::View view = monitor.Current();;) {
    const auto pods = view.snapshot.PodsInOrder();
    if (!pods.empty()) {
      const auto outcome = OutcomeOf(*pods.back());
      if (outcome && !*outcome) return Failure(outcome->error());
      if (outcome) return std::string(TextAt(*pods.back(), {"spec", "nodeName"}));
    }
    const bool timed_out = clients.clock.Steady() >= end;
    if (view.complete && view.snapshot.job) {
      const Explanation why = backend::Explain(view.snapshot.ViewAt(clients.clock.Now()));
      const bool failed = !pods.empty() && HasFailedPull(*pods.back());
      if (failed || why.final || timed_out) {
        return Failure(NotStartedError(why, timed_out, deadline).error());
      }
    }
    if (timed_out) {
      return Fail(ErrorCode::kUnavailable,
                  "the cluster does not respond: " + view.connection_error);
    }
    KINETIC_ASSIGN_OR_RETURN(view, monitor.Await(view.version, end, stop));
  }
}

}  // namespace

Result<std::string> RunProbe(const ClusterClients& clients, const ProbeRequest& request,
                             std::chrono::seconds deadline, std::stop_token stop) {
  const Value manifest = MakeProbeJob(request, deadline);
  KINETIC_ASSIGN_OR_RETURN(
      const auto created,
      clients.client.Create(kube::kJobs, request.cluster.name_space, manifest, stop));
  auto node = Follow(clients, request, created.object, deadline, stop);
  // If this fails, the cluster deletes the Job after its deadline.
  (void)clients.cleanup_client.Delete(kube::kJobs, request.cluster.name_space,
                                      kube::NameOf(created.object), {}, {});
  return node;
}

}  // namespace kinetic::backend
