#include "backend/kubernetes/logs/pod_log.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "base/try.h"
#include "kube/object.h"
#include "pod/container.h"
#include "record/object_names.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// Between two looks at the store for records that a pod's log has lost.
constexpr std::chrono::seconds kGapLook{1};
/// Between two readings of a log that ended although its container goes on.
constexpr std::chrono::milliseconds kTailReopenDelay{200};
/// A node that cannot be read for so long is left to itself: its collector stores what it has.
constexpr std::chrono::seconds kSilence{3};
/// An API server that has just started refuses what it does not know yet that it should allow.
constexpr std::chrono::seconds kRefusalTime{30};

class LogFollower {
 public:
  LogFollower(const WatchedJob& job, std::uint64_t from_sequence, const LogReader& reader)
      : job_(job),
        from_(from_sequence),
        log_(job.client, std::string(job.name_space), from_sequence, reader) {}

  Result<std::uint64_t> Run(const std::stop_token& stop) {
    JobMonitor::View view = job_.monitor.Look();
    while (!over_) {
      const Value* const pod = view.complete ? NextPod(view.observed) : nullptr;
      if (pod == nullptr) {
        if (view.complete && IsOver(view.observed)) break;
        KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, std::nullopt, stop));
        continue;
      }
      KINETIC_RETURN_IF_ERROR(ReadPod(*pod, stop));
      view = job_.monitor.Look();
    }
    return log_.next_sequence();
  }

 private:
  /// The oldest pod whose log has not been read to its end and whose collector has started.
  const Value* NextPod(const Observed& observed) const {
    for (const Value* pod : observed.PodsInOrder()) {
      if (done_.contains(std::string(kube::UidOf(*pod)))) continue;
      return HasStarted(*pod, pod::kCollectorContainer) ? pod : nullptr;
    }
    return nullptr;
  }

  bool IsOver(const Observed& observed) const {
    return !observed.job || !ObservationOf(observed, job_.clock.Now()).alive;
  }

  Status ReadPod(const Value& pod, const std::stop_token& stop) {
    const std::string uid(kube::UidOf(pod));
    KINETIC_ASSIGN_OR_RETURN(const auto stopped, log_.Read(kube::NameOf(pod), true, stop));
    switch (stopped) {
      case PodLogReader::Stop::kLastLine:
        job_.monitor.NoteEnd(*log_.end());
        done_.insert(uid);
        // Another attempt may follow the one whose end nobody knows.
        over_ = log_.end()->result_sha256 != "-";
        return {};
      case PodLogReader::Stop::kGap:
        over_ = true;
        return AwaitStore(stop);
      case PodLogReader::Stop::kGone:
        done_.insert(uid);
        return {};
      case PodLogReader::Stop::kTrouble:
        return Outlast(*log_.trouble(), stop);
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

  /// Waits a moment before the next attempt: an API server that is away comes back, one that
  /// refuses may have just started.
  Status Outlast(const Error& trouble, const std::stop_token& stop) {
    const SteadyTime now = job_.clock.Steady();
    if (trouble.code == ErrorCode::kUnavailable) {
      refused_since_.reset();
      const bool node_is_away = job_.monitor.Look().trouble.empty();
      if (!node_is_away) silent_since_.reset();
      if (node_is_away && !silent_since_) silent_since_ = now;
      if (silent_since_ && now - *silent_since_ > kSilence) {
        over_ = true;
        return AwaitStore(stop);
      }
    } else if (!refused_since_) {
      refused_since_ = now;
    } else if (now - *refused_since_ > kRefusalTime) {
      return Failure(trouble);
    }
    return job_.clock.Sleep(kTailReopenDelay, stop);
  }

  /// Whether the pod's collector had ended before its log was read to the end.
  bool IsFinished(const std::string& uid) {
    const auto view = job_.monitor.Look();
    const auto pod = view.observed.pods.find(uid);
    const bool ended =
        pod == view.observed.pods.end() || HasEnded(pod->second, pod::kCollectorContainer);
    return ended && !ended_.insert(uid).second;
  }

  /// Has the runner store what it has, and gives it the time to do so.
  Status AwaitStore(const std::stop_token& stop) {
    if (log_.next_sequence() != from_) return {};
    const auto marked = store::Overwrite(job_.store, record::FollowMarkerName(job_.id), "", stop);
    if (!marked && marked.error().code == ErrorCode::kCancelled) return marked;
    return job_.clock.Sleep(kGapLook, stop);
  }

  const WatchedJob& job_;
  const std::uint64_t from_;
  PodLogReader log_;
  std::set<std::string> done_;   ///< pods whose log has been read to its end
  std::set<std::string> ended_;  ///< pods that had ended when their log was begun last
  std::optional<SteadyTime> refused_since_;
  std::optional<SteadyTime> silent_since_;  ///< the node, while the API server answers
  bool over_ = false;
};

}  // namespace

Result<std::uint64_t> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                                  const Observed& observed, std::uint64_t from_sequence,
                                  const LogReader& reader, std::stop_token stop) {
  PodLogReader log(client, std::string(name_space), from_sequence, reader);
  for (const Value* pod : observed.PodsInOrder()) {
    if (!HasStarted(*pod, pod::kCollectorContainer)) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto stopped, log.Read(kube::NameOf(*pod), false, stop));
    if (stopped == PodLogReader::Stop::kTrouble) return Failure(*log.trouble());
    if (stopped == PodLogReader::Stop::kGap) break;
  }
  return log.next_sequence();
}

Result<std::uint64_t> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                                    const LogReader& reader, std::stop_token stop) {
  return LogFollower(job, from_sequence, reader).Run(stop);
}

}  // namespace kinetic::backend
