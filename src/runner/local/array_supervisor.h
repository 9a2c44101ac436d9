#pragma once

#include "kinetic/outcome.h"
#include "kinetic/result.h"

#include "base/time/clock.h"
#include "local/pulse.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "record/task_counts.h"
#include "runner/local/taken_job.h"
#include "runner/local/task_process.h"
#include "runner/outcome/classify.h"
#include "runner/staging/status_file.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <string>

namespace kinetic::runner {

/// Runs the tasks of an array on this machine, several at the same time. Each task that runs or waits
/// has a place in the queue, like a job, and a child process that supervises it.
///
/// @threads  one thread, and no other one in this process.
class ArraySupervisor {
 public:
  /// @param ticket  the place of the first task.
  ArraySupervisor(const local::LaunchRequest& request, const TakenJob& job,
                  local::QueueTicket ticket);

  /// Runs all tasks, and stores the outcome of the job when they have ended.
  ///
  /// @errors  the store stayed unavailable. The rest is in the runtime directory, and the next client
  ///          stores it.
  Status Run();

 private:
  /// A place in the queue, and the process of the task that has it.
  struct Slot {
    local::QueueTicket ticket;
    pid_t process = 0;  ///< 0: the task waits for its turn
    std::uint32_t task = 0;
    bool stores_loss = false;  ///< the process only stores that the task was lost
  };

  Status TakePlaces();
  Status StartTasks();
  std::chrono::milliseconds Pause() const;
  void Reap();
  void OnEnd(Slot& slot, TaskEnd end);
  void Count(TaskEnd end);
  void CheckStop(int signal);
  void Stop(StopReason reason);
  bool MayStartMore() const;
  bool HasWork() const;
  void Report();
  void Beat();
  Outcome Conclude() const;
  Status Finish();

  const local::LaunchRequest& request_;
  const TakenJob& job_;
  const local::Runtime runtime_;
  const std::uint32_t limit_;  ///< of tasks that run at the same time
  StatusFile status_;
  local::Pulse pulse_;
  std::list<Slot> slots_;
  TaskCounts counts_;
  std::uint32_t next_ = 0;  ///< the first task that has not been started
  bool has_unstored_ = false;
  bool too_many_failed_ = false;
  StopReason reason_ = StopReason::kNone;
  std::string reported_;
  SteadyTime next_beat_;
};

}  // namespace kinetic::runner
