#pragma once

#include "record/job_record.h"
#include "runner/pod/collector.h"
#include "runner/pod/shared_folder.h"
#include "runner/staging/job_store.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::runner {

/// The tasks of an array that share a pod, one after the other. Each has its own log, result, and
/// attempts, as if it had a pod. A task that fails does not end the pod. Tasks that have a result are
/// not run again, so a replacement pod continues where the previous one ended.
///
/// SIGTERM must be blocked in all threads.
///
/// @threads  one thread.
class TaskSequence {
 public:
  struct Job {
    const record::Record& record;
    std::uint32_t pod = 0;  ///< the number of the pod
    std::string image;      ///< of the program's container, for messages; may be empty
  };

  /// @param job  its record outlives this object.
  TaskSequence(JobStore::Dependencies deps, Job job, PodFolder folder, PodIdentity identity);

  /// Returns the launcher's exit: 0 if each task has a result, pod::kTooManyTasksFailed, or a code
  /// after which Kubernetes starts another pod for the tasks that are left.
  LauncherExit Run();

  /// Returns whether this process has received SIGTERM since it started.
  bool terminated() const { return terminated_; }

 private:
  Result<std::optional<LauncherExit>> RunNext();
  Status Begin(const record::Record& task);
  Status AwaitLauncher();
  Status Advance(const PodCollector& ended, bool is_again);
  bool IsStopped() const;

  JobStore::Dependencies deps_;
  const Job job_;
  const PodFolder folder_;
  const PodIdentity identity_;
  NextTask next_;
  bool terminated_ = false;
};

}  // namespace kinetic::runner
