#pragma once

#include "kinetic/value.h"

#include "backend/kubernetes/snapshot/pod_snapshot.h"
#include "pod/log_line.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// What was observed of one job, as copies that outlive the answers they came with.
struct Observed {
  std::string job_id;
  std::optional<Value> job;
  bool job_was_there = false;
  std::map<std::string, Value> pods;  ///< by uid
  std::map<std::string, Value> events;
  std::vector<Value> nodes;
  bool nodes_known = false;
  std::vector<std::string> nodes_gone;  ///< nodes of its pods that the cluster has not any more
  std::vector<Value> other_pods;
  std::vector<Value> quotas;
  std::optional<Value> workload;
  std::optional<pod::EndLine> end;  ///< the collector's last word, where somebody has read it

  /// The same as StateOf and Explain take it; not to be used when this is gone or has changed.
  PodSituation SituationAt(WallTime now) const;

  /// The job's pods, the oldest first.
  std::vector<const Value*> PodsInOrder() const;
};

/// The job file's wishes that the Job carries as annotations.
Wanted WantedOf(const Value& job);

/// Whether an event is about a Job of that name, its pods, or Kueue's workload for it: those of a
/// namespace are about every job in it.
bool IsEventOf(const Value& event, std::string_view job_name);

/// Whether no pod of the job runs any more.
bool NothingRuns(const Observed& observed);
/// Whether a client has ended the job, for the cause in its annotation.
bool IsStopped(const Value& job);
/// Whether nothing of a pod runs any more.
bool HasEnded(const Value& pod);
/// Whether a container of a pod, `main` or `collector`, has ended for good.
bool HasEnded(const Value& pod, std::string_view container);
/// Whether it runs, or has run.
bool HasStarted(const Value& pod, std::string_view container);

}  // namespace kinetic::backend
