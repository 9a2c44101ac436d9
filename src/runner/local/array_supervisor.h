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

#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Runs the tasks of an array on this machine, several at the same time. A child process supervises
/// each task like a job. The array has up to `concurrency` places in the queue, which `parallel` tasks
/// share. It gives a place up after a task if another job waits.
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
  /// A place in the queue, in which one task runs, or several.
  struct Place {
    local::QueueTicket ticket;
    bool has_turn = false;
    bool is_awaited = false;    ///< by another job: no further task is started in it
    std::uint32_t running = 0;  ///< tasks
  };
  /// A process, and the place of its tasks.
  struct Process {
    Place* place = nullptr;
    TaskProcess process;
    bool stores_loss = false;  ///< it only stores that its task was lost
  };

  Status StartWhatMayStart();
  Status TakePlaces();
  Status StartTasks();
  Status StartTasksIn(Place& place);
  void ReleasePlaces();
  std::chrono::milliseconds Pause() const;
  void Reap();
  TaskRange TakeTasks();
  void ReadEnds(Process& process);
  void OnExit(Process& process);
  void EndProcessesOf(const Process& process) const;
  void Count(TaskEnd end);
  void CheckStop(int signal);
  void Stop(StopReason reason);
  bool HasMore() const;
  void Report();
  void Beat();
  Outcome Conclude() const;
  Status Finish();

  const local::LaunchRequest& request_;
  const TakenJob& job_;
  const local::Runtime runtime_;
  const std::uint32_t parallel_;  ///< tasks that run at the same time
  const std::uint32_t max_places_;
  StatusFile status_;
  local::Pulse pulse_;
  std::list<Place> places_;
  std::list<Process> processes_;
  TaskCounts counts_;
  std::uint32_t next_ = 0;        ///< the first task that has not been started
  std::vector<TaskRange> again_;  ///< tasks of killed processes that did not start
  bool has_unstored_ = false;
  bool too_many_failed_ = false;
  StopReason reason_ = StopReason::kNone;
  std::string trouble_;  ///< why no task can be started; empty: they can
  std::string reported_;
  SteadyTime next_beat_;
};

}  // namespace kinetic::runner
