#include "kinetic/try.h"

#include "backend/kubernetes/cluster_clients.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/logs/follow.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/packages/build_job.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/random.h"
#include "kube/object.h"
#include "pod/container.h"
#include "pod/package_build_request.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// How many Jobs that are deleted before they end a client follows.
constexpr int kFollowed = 5;

std::string NameText(const Value& object) { return std::string(NameOf(object)); }

bool IsOver(const Value& job) {
  return IsConditionTrue(job, "Complete") || IsConditionTrue(job, "Failed");
}

/// Returns the outcome that a pod reported, or nullopt if the pod is running or was killed.
std::optional<Status> ReportedOutcome(const Value& pod) {
  const Value* const container = ContainerStatus(pod, pod::kMainContainer);
  if (container == nullptr) return std::nullopt;
  return pod::OutcomeFromJson(TextAt(*container, {"state", "terminated", "message"}));
}

/// Follows one Job.
class FollowedJob {
 public:
  FollowedJob(const ClusterClients& clients, const PackageBuildManifestRequest& request,
              const Value& job, Observer& observer)
      : clients_(clients),
        request_(request),
        uid_(UidOf(job)),
        name_(NameOf(job)),
        observer_(observer),
        monitor_(clients.client, {.name_space = request.cluster.name_space,
                                  .job_name = name_,
                                  .job_id = name_,
                                  .pod_selector = PodSelector(uid_)}) {}

  /// @returns  its outcome, or nullopt if it was deleted before it ended.
  Result<std::optional<Status>> Run(const std::stop_token& stop) {
    for (JobMonitor::View view = monitor_.Current();;) {
      if (view.complete) {
        KINETIC_ASSIGN_OR_RETURN(auto ended, OutcomeIn(view));
        if (ended) return ended;
        if (!IsThere(view.snapshot)) return std::optional<Status>();
      }
      KINETIC_ASSIGN_OR_RETURN(view, monitor_.Await(view.version, std::nullopt, stop));
    }
  }

 private:
  bool IsThere(const ClusterSnapshot& snapshot) const {
    return snapshot.job && UidOf(*snapshot.job) == uid_;
  }

  Result<std::optional<Status>> OutcomeIn(const JobMonitor::View& view) {
    const ClusterSnapshot& snapshot = view.snapshot;
    const auto pods = snapshot.PodsInOrder();
    if (!pods.empty()) {
      const Value& pod = *pods.back();
      if (HasStarted(pod, pod::kMainContainer)) FollowLog(pod);
      if (auto outcome = ReportedOutcome(pod)) {
        log_->Drain();
        return outcome;
      }
    }
    if (!IsThere(snapshot)) return std::optional<Status>();
    const auto now = snapshot.ViewAt(clients_.clock.Now());
    if (const auto hopeless = GiveUp(now)) return std::optional(NotStarted(*hopeless));
    const Explanation explanation = backend::Explain(now);
    if (IsOver(*snapshot.job)) return std::optional(Ended(explanation));
    if (log_ == nullptr) ReportCause(explanation);
    return std::optional<Status>();
  }

  void FollowLog(const Value& pod) {
    const std::string name = NameText(pod);
    if (log_ != nullptr && log_->pod() == name) return;
    log_.reset();  // stops its thread before the next one starts
    log_ = std::make_unique<MainContainerLog>(clients_.client, clients_.clock,
                                              request_.cluster.name_space, name,
                                              [this](std::string_view line) { Forward(line); });
  }

  void Forward(std::string_view line) {
    if (line.starts_with(pod::kWarningMark)) {
      observer_.OnWarning(line.substr(pod::kWarningMark.size()));
    } else {
      observer_.OnOutput(Phase::kBuild, line);
    }
  }

  /// Reports why the pod has not started, if that has changed.
  void ReportCause(const Explanation& explanation) {
    if (explanation.headline == reported_) return;
    reported_ = explanation.headline;
    observer_.OnOutput(Phase::kBuild, "pod of " + name_ + ": " + reported_);
  }

  Status NotStarted(const Explanation& why) const {
    return BuildFailure("cannot build the packages in the cluster", why);
  }

  Status Ended(const Explanation& why) const {
    return BuildFailure("the package build in the cluster failed", why);
  }

  static Status BuildFailure(std::string_view what, const Explanation& why) {
    std::string message = fmt::format("{}: {}", what, why.headline);
    if (!why.evidence.empty()) {
      message += fmt::format("\n  {}: {}", why.evidence.front().source, why.evidence.front().text);
    }
    return Fail(ErrorCode::kFailedPrecondition, std::move(message), why.advice);
  }

  const ClusterClients& clients_;
  const PackageBuildManifestRequest& request_;
  const std::string uid_;
  const std::string name_;
  Observer& observer_;
  std::string reported_;
  JobMonitor monitor_;
  std::unique_ptr<MainContainerLog> log_;  ///< last: its thread uses all other members
};

class PackageBuild {
 public:
  PackageBuild(const ClusterClients& clients, const PackageBuildManifestRequest& request,
               const Value& job, Observer& observer, std::stop_token stop)
      : clients_(clients),
        request_(request),
        job_(job),
        observer_(observer),
        stop_(std::move(stop)) {}

  Status Run() {
    for (int attempt = 0; attempt < kFollowed; ++attempt) {
      auto ended = Once();
      if (!ended && ended.error().code == ErrorCode::kCancelled) Rollback();
      KINETIC_RETURN_IF_ERROR(ended);
      if (*ended) return **ended;
    }
    return Fail(ErrorCode::kAborted,
                "cannot build the packages in the cluster: Job " + NameText(job_) +
                    " was removed repeatedly before it ended",
                "run the same command again");
  }

 private:
  Result<std::optional<Status>> Once() {
    KINETIC_ASSIGN_OR_RETURN(const auto created,
                             clients_.client.Create(kube::kJobs, Namespace(), job_, stop_));
    // This build has ended for another client.
    if (created.existed && (IsOver(created.object) || IsBeingDeleted(created.object))) {
      KINETIC_RETURN_IF_ERROR(Remove(clients_.client, created.object, stop_));
      KINETIC_RETURN_IF_ERROR(clients_.clock.Sleep(kDeletionPoll, stop_));
      return std::optional<Status>();
    }
    observer_.OnOutput(Phase::kBuild,
                       fmt::format("building the packages in the cluster: job {}{}", NameOf(job_),
                                   IsOwn(created.object) ? "" : ", started by another client"));
    KINETIC_RETURN_IF_ERROR(CreateSecret(created.object));
    auto ended = FollowedJob(clients_, request_, created.object, observer_).Run(stop_);
    if (ended && *ended) (void)Remove(clients_.cleanup_client, created.object, {});
    return ended;
  }

  bool IsOwn(const Value& job) const {
    return TextAt(job, {"metadata", "annotations", kStartedByAnnotation}) == request_.client_id;
  }

  static bool IsBeingDeleted(const Value& job) {
    return At(job, {"metadata", "deletionTimestamp"}) != nullptr;
  }

  /// Also applies to a Job whose client was killed before it created the Secret.
  Status CreateSecret(const Value& job) {
    if (request_.launch->private_urls.empty()) return {};
    const Value secret = MakePackageBuildSecret(job, *request_.launch);
    const auto created = clients_.client.Create(kube::kSecrets, Namespace(), secret, stop_);
    if (!created) return Failure(created.error());
    return {};
  }

  Status Remove(const kube::Client& client, const Value& job, const std::stop_token& stop) const {
    const auto removed = client.Delete(kube::kJobs, Namespace(), NameOf(job),
                                       {.grace = {}, .uid = std::string(UidOf(job))}, stop);
    if (!removed) return Failure(removed.error());
    return {};
  }

  /// Deletes the Job if this client created it, even if the server's response was lost.
  void Rollback() const {
    const auto there = clients_.cleanup_client.Get(kube::kJobs, Namespace(), NameOf(job_), {});
    if (there && (!*there || !IsOwn(**there))) return;
    const Status removed =
        there ? Remove(clients_.cleanup_client, **there, {}) : Status(Failure(there.error()));
    if (removed) return;
    observer_.OnWarning("job " + NameText(job_) + " may still run: " + removed.error().message);
  }

  std::string_view Namespace() const { return request_.cluster.name_space; }

  static constexpr std::chrono::milliseconds kDeletionPoll{500};

  const ClusterClients& clients_;
  const PackageBuildManifestRequest& request_;
  const Value& job_;
  Observer& observer_;
  const std::stop_token stop_;
};

}  // namespace

Status BuildPackagesInPod(const ClusterClients& clients, const PackageBuildManifestRequest& request,
                          Observer& observer, std::stop_token stop) {
  PackageBuildManifestRequest own_request = request;
  own_request.client_id = RandomId();
  KINETIC_ASSIGN_OR_RETURN(const Value job, MakePackageBuildJob(own_request));
  return PackageBuild(clients, own_request, job, observer, std::move(stop)).Run();
}

}  // namespace kinetic::backend
