#include "backend/kubernetes/logs/follow.h"

#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/lifecycle/shared_pods.h"
#include "backend/kubernetes/logs/pod_log.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "kube/object.h"
#include "pod/container.h"
#include "record/object_names.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// Poll interval of the store for records that are missing in a pod's log.
constexpr std::chrono::seconds kGapPoll{1};
/// Delay before a log that ended is read again while its container runs.
constexpr std::chrono::milliseconds kTailReopenDelay{200};
/// A node that does not respond for this long is not waited for: its collector stores the log.
constexpr std::chrono::seconds kSilence{3};
/// A newly started API server rejects requests until it has loaded its permissions.
constexpr std::chrono::seconds kRefusalTime{30};

class LogFollower {
 public:
  LogFollower(const WatchedJob& job, std::uint64_t from_sequence, const LogRecordSink& reader)
      : job_(job),
        from_(from_sequence),
        log_(job.client, std::string(job.name_space), from_sequence, reader) {
    job_.monitor.BeginFollowing();
  }
  ~LogFollower() { job_.monitor.EndFollowing(); }
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  Result<LogRead> Run(const std::stop_token& stop) {
    JobMonitor::View view = job_.monitor.Current();
    while (!over_) {
      if (view.complete && view.snapshot.job && TasksPerPodOf(*view.snapshot.job) > 1) {
        KINETIC_RETURN_IF_ERROR(AwaitSharedTask(view, stop));
        break;
      }
      const Value* const pod = view.complete ? NextPod(view.snapshot) : nullptr;
      if (pod == nullptr) {
        if (view.complete && IsOver(view.snapshot)) break;
        KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, std::nullopt, stop));
        continue;
      }
      KINETIC_RETURN_IF_ERROR(ReadPod(*pod, stop));
      view = job_.monitor.Current();
    }
    return LogRead{log_.next_sequence(), is_whole_};
  }

 private:
  /// Returns the oldest pod with unread log records whose collector has started.
  const Value* NextPod(const ClusterSnapshot& snapshot) const {
    if (snapshot.job && IsArray(*snapshot.job)) return nullptr;  // its tasks have logs
    for (const Value* pod : snapshot.PodsInOrder()) {
      if (done_.contains(std::string(kube::UidOf(*pod)))) continue;
      return HasStarted(*pod, pod::kCollectorContainer) ? pod : nullptr;
    }
    return nullptr;
  }

  /// Waits until a task that shares its pod has started, and then for its records in the store.
  Status AwaitSharedTask(JobMonitor::View view, const std::stop_token& stop) {
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const auto state, ReadSharedTask(job_.store, job_.id, stop));
      if (state == SharedTaskState::kStarted) return AwaitStore(stop);
      if (state == SharedTaskState::kEnded || IsOver(view.snapshot)) return {};
      const SteadyTime until = job_.clock.Steady() + kGapPoll;
      KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, until, stop));
    }
  }

  bool IsOver(const ClusterSnapshot& snapshot) const {
    return !snapshot.job || !ObservationOf(snapshot, job_.clock.Now()).alive;
  }

  Status ReadPod(const Value& pod, const std::stop_token& stop) {
    const std::string uid(kube::UidOf(pod));
    KINETIC_ASSIGN_OR_RETURN(const auto stopped, log_.Read(kube::NameOf(pod), true, stop));
    switch (stopped) {
      case PodLogReader::Stop::kEndLine:
        job_.monitor.SetEndLine(*log_.end());
        done_.insert(uid);
        // Another attempt may follow one without a result.
        over_ = log_.end()->result_sha256 != "-";
        is_whole_ = over_;
        return {};
      case PodLogReader::Stop::kGap:
        over_ = true;
        return AwaitStore(stop);
      case PodLogReader::Stop::kGone:
        done_.insert(uid);
        return {};
      case PodLogReader::Stop::kApiError:
        return Outlast(*log_.api_error(), stop);
      case PodLogReader::Stop::kEnd:
      case PodLogReader::Stop::kNotStarted:
        break;
    }
    refused_since_.reset();
    silent_since_.reset();
    if (IsFinished(uid)) {
      done_.insert(uid);
      return {};
    }
    return job_.clock.Sleep(kTailReopenDelay, stop);
  }

  /// Waits before the next try: the API server may become available, or may have just started.
  Status Outlast(const Error& error, const std::stop_token& stop) {
    const SteadyTime now = job_.clock.Steady();
    if (error.code == ErrorCode::kUnavailable) {
      refused_since_.reset();
      const bool node_is_away = job_.monitor.Current().connection_error.empty();
      if (!node_is_away) silent_since_.reset();
      if (node_is_away && !silent_since_) silent_since_ = now;
      if (silent_since_ && now - *silent_since_ > kSilence) {
        over_ = true;
        return AwaitStore(stop);
      }
    } else if (!refused_since_) {
      refused_since_ = now;
    } else if (now - *refused_since_ > kRefusalTime) {
      return Failure(error);
    }
    return job_.clock.Sleep(kTailReopenDelay, stop);
  }

  /// Returns whether the pod's collector had ended before the last complete read of its log.
  bool IsFinished(const std::string& uid) {
    const auto view = job_.monitor.Current();
    const auto pod = view.snapshot.pods.find(uid);
    const bool ended =
        pod == view.snapshot.pods.end() || HasEnded(pod->second, pod::kCollectorContainer);
    return ended && !ended_.insert(uid).second;
  }

  /// Makes the runner store its records, and gives it time to do so.
  Status AwaitStore(const std::stop_token& stop) {
    if (log_.next_sequence() != from_) return {};
    const auto marked = store::Overwrite(job_.store, record::FollowMarkerName(job_.id), "", stop);
    if (!marked && marked.error().code == ErrorCode::kCancelled) return Failure(marked.error());
    return job_.clock.Sleep(kGapPoll, stop);
  }

  const WatchedJob& job_;
  const std::uint64_t from_;
  PodLogReader log_;
  std::set<std::string> done_;   ///< pods whose log was read completely
  std::set<std::string> ended_;  ///< pods that had ended before the last read of their log
  std::optional<SteadyTime> refused_since_;
  std::optional<SteadyTime> silent_since_;  ///< since when only the node has not responded
  bool over_ = false;
  bool is_whole_ = false;  ///< the last line of a job with a result was read
};

}  // namespace

Result<LogRead> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                            const ClusterSnapshot& snapshot, std::uint64_t from_sequence,
                            const LogRecordSink& reader, std::stop_token stop) {
  // The log of a shared pod mixes the lines of its tasks. The store has a log for each task.
  if (snapshot.job && TasksPerPodOf(*snapshot.job) > 1) return LogRead{from_sequence};
  PodLogReader log(client, std::string(name_space), from_sequence, reader);
  for (const Value* pod : snapshot.PodsInOrder()) {
    if (!HasStarted(*pod, pod::kCollectorContainer)) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto stopped, log.Read(kube::NameOf(*pod), false, stop));
    if (stopped == PodLogReader::Stop::kApiError) return Failure(*log.api_error());
    if (stopped == PodLogReader::Stop::kGap) break;
  }
  return LogRead{log.next_sequence()};
}

Result<LogRead> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                              const LogRecordSink& reader, std::stop_token stop) {
  return LogFollower(job, from_sequence, reader).Run(stop);
}

}  // namespace kinetic::backend
