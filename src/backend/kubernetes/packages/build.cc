#include "backend/kubernetes/packages/build.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/logs/pod_log.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/random.h"
#include "base/try.h"
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

bool IsOver(const Value& job) { return Holds(job, "Complete") || Holds(job, "Failed"); }

/// Returns the outcome that a pod reported, or nullopt if it has not ended or was killed.
std::optional<Status> ReportedOutcome(const Value& pod) {
  const Value* const container = ContainerStatus(pod, pod::kMainContainer);
  if (container == nullptr) return std::nullopt;
  return pod::OutcomeFromJson(TextAt(*container, {"state", "terminated", "message"}));
}

/// Follows one Job.
class FollowedJob {
 public:
  FollowedJob(const MakingPlace& place, const PackagesManifestRequest& request, const Value& job,
              Observer& observer)
      : place_(place),
        request_(request),
        uid_(UidOf(job)),
        name_(NameOf(job)),
        observer_(observer),
        monitor_(place.client, {.name_space = request.cluster.name_space,
                                .job_name = name_,
                                .job_id = name_,
                                .pod_selector = PodsOfSelector(uid_)}) {}

  /// @returns  its outcome, or nullopt if it was deleted before it ended.
  Result<std::optional<Status>> Run(const std::stop_token& stop) {
    for (JobMonitor::View view = monitor_.Look();;) {
      if (view.complete) {
        KINETIC_ASSIGN_OR_RETURN(auto ended, Look(view));
        if (ended) return ended;
        if (!IsThere(view.observed)) return std::optional<Status>();
      }
      KINETIC_ASSIGN_OR_RETURN(view, monitor_.Await(view.version, std::nullopt, stop));
    }
  }

 private:
  bool IsThere(const Observed& observed) const {
    return observed.job && UidOf(*observed.job) == uid_;
  }

  Result<std::optional<Status>> Look(const JobMonitor::View& view) {
    const Observed& observed = view.observed;
    const auto pods = observed.PodsInOrder();
    if (!pods.empty()) {
      const Value& pod = *pods.back();
      if (HasStarted(pod, pod::kMainContainer)) FollowLog(pod);
      if (auto outcome = ReportedOutcome(pod)) {
        log_->Drain();
        return outcome;
      }
    }
    if (!IsThere(observed)) return std::optional<Status>();
    const auto situation = observed.SituationAt(place_.clock.Now());
    if (const auto hopeless = GiveUp(situation)) return std::optional(NotStarted(*hopeless));
    const Explanation explanation = backend::Explain(situation);
    if (IsOver(*observed.job)) return std::optional(Ended(explanation));
    if (log_ == nullptr) ReportCause(explanation);
    return std::optional<Status>();
  }

  void FollowLog(const Value& pod) {
    const std::string name = NameText(pod);
    if (log_ != nullptr && log_->pod() == name) return;
    log_.reset();  // stops its thread before the next one starts
    log_ = std::make_unique<PlainLog>(place_.client, place_.clock, request_.cluster.name_space,
                                      name, [this](std::string_view line) { Forward(line); });
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
    return Explained("cannot build the packages in the cluster", why);
  }

  Status Ended(const Explanation& why) const {
    return Explained("the package build in the cluster failed", why);
  }

  static Status Explained(std::string_view what, const Explanation& why) {
    std::string message = fmt::format("{}: {}", what, why.headline);
    if (!why.evidence.empty()) {
      message += fmt::format("\n  {}: {}", why.evidence.front().source, why.evidence.front().text);
    }
    return Fail(ErrorCode::kFailedPrecondition, std::move(message), why.advice);
  }

  const MakingPlace& place_;
  const PackagesManifestRequest& request_;
  const std::string uid_;
  const std::string name_;
  Observer& observer_;
  std::string reported_;
  JobMonitor monitor_;
  std::unique_ptr<PlainLog> log_;  ///< last: its thread uses all other members
};

class PackageBuild {
 public:
  PackageBuild(const MakingPlace& place, const PackagesManifestRequest& request, const Value& job,
               Observer& observer, std::stop_token stop)
      : place_(place),
        request_(request),
        wanted_(job),
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
                "cannot build the packages in the cluster: Job " + NameText(wanted_) +
                    " was removed repeatedly before it ended",
                "run the same command again");
  }

 private:
  Result<std::optional<Status>> Once() {
    KINETIC_ASSIGN_OR_RETURN(const auto made,
                             place_.client.Create(kube::kJobs, Namespace(), wanted_, stop_));
    // This build has ended for another client.
    if (made.existed && (IsOver(made.object) || IsGoing(made.object))) {
      KINETIC_RETURN_IF_ERROR(Remove(place_.client, made.object, stop_));
      KINETIC_RETURN_IF_ERROR(place_.clock.Sleep(kGoing, stop_));
      return std::optional<Status>();
    }
    observer_.OnOutput(
        Phase::kBuild,
        fmt::format("building the packages in the cluster: job {}{}", NameOf(wanted_),
                    IsOwn(made.object) ? "" : ", started by another client"));
    KINETIC_RETURN_IF_ERROR(GiveCredentials(made.object));
    auto ended = FollowedJob(place_, request_, made.object, observer_).Run(stop_);
    if (ended && *ended) (void)Remove(place_.leaving, made.object, {});
    return ended;
  }

  bool IsOwn(const Value& job) const {
    return TextAt(job, {"metadata", "annotations", kBegunByAnnotation}) == request_.mark;
  }

  static bool IsGoing(const Value& job) {
    return At(job, {"metadata", "deletionTimestamp"}) != nullptr;
  }

  /// Also applies to a Job whose client was killed before it created the Secret.
  Status GiveCredentials(const Value& job) {
    if (request_.launch->private_urls.empty()) return {};
    const Value secret = PackagesSecret(job, *request_.launch);
    const auto made = place_.client.Create(kube::kSecrets, Namespace(), secret, stop_);
    if (!made) return Failure(made.error());
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
    const auto there = place_.leaving.Get(kube::kJobs, Namespace(), NameOf(wanted_), {});
    if (there && (!*there || !IsOwn(**there))) return;
    const Status removed =
        there ? Remove(place_.leaving, **there, {}) : Status(Failure(there.error()));
    if (removed) return;
    observer_.OnWarning("job " + NameText(wanted_) + " may still run: " + removed.error().message);
  }

  std::string_view Namespace() const { return request_.cluster.name_space; }

  static constexpr std::chrono::milliseconds kGoing{500};

  const MakingPlace& place_;
  const PackagesManifestRequest& request_;
  const Value& wanted_;
  Observer& observer_;
  const std::stop_token stop_;
};

}  // namespace

Status MakePackagesInPod(const MakingPlace& place, const PackagesManifestRequest& request,
                         Observer& observer, std::stop_token stop) {
  PackagesManifestRequest marked = request;
  marked.mark = RandomId();
  KINETIC_ASSIGN_OR_RETURN(const Value job, PackagesJob(marked));
  return PackageBuild(place, marked, job, observer, std::move(stop)).Run();
}

}  // namespace kinetic::backend
