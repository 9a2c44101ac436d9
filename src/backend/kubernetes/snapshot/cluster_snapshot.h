#pragma once

#include "kinetic/value.h"

#include "base/time/clock.h"
#include "pod/log_line.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Objects of a cluster, owned by whoever observes it.
using Objects = std::vector<const Value*>;

/// What the job file asked for that its manifests do not show.
struct Wanted {
  std::string accelerator;                           ///< as the user wrote it; empty: none
  std::optional<std::chrono::milliseconds> pending;  ///< timeouts.pending
  std::optional<std::chrono::milliseconds> run;      ///< timeouts.run, of one attempt
};

/// What was observed of one job on a cluster, as the API server gave it: the one input of StateOf
/// and Explain. Nothing but `job_id` and `now` has to be there; what is missing makes the answer
/// poorer, not wrong.
struct PodSituation {
  std::string job_id;
  const Value* job = nullptr;         ///< the Job; null: it is not there
  bool job_was_there = false;         ///< it was seen before, or its submission was acknowledged
  bool has_begun = false;             ///< its program was seen to run, now or earlier
  Objects pods;                       ///< of the Job, in any order
  Objects events;                     ///< about the Job, its pods and its workload, in any order
  Objects nodes;                      ///< all; empty where they may not be listed
  bool nodes_known = false;           ///< whether `nodes` are all there are
  Objects other_pods;                 ///< of any namespace: they take room on nodes
  Objects quotas;                     ///< ResourceQuotas of the namespace
  const Value* name_space = nullptr;  ///< its Namespace, where it may be read
  const Value* workload = nullptr;    ///< Kueue's, where there is one
  /// Kueue's PendingWorkloadsSummary of its LocalQueue, where it may be read.
  const Value* pending_workloads = nullptr;
  Wanted wanted;
  WallTime now;  ///< by the server's clock
};

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
