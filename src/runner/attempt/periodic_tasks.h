#pragma once

#include "kinetic/result.h"

#include "base/concurrency/waiter.h"
#include "base/time/clock.h"

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::runner {

/// Runs tasks repeatedly on its own thread while a job's program runs: every three seconds, less
/// often if a task takes long, and 30 seconds after a failure.
class PeriodicTasks {
 public:
  struct Task {
    std::string name;  ///< for diagnostics: "saving a checkpoint"
    std::function<Status()> run;
  };

  PeriodicTasks(Clock& clock, std::vector<Task> tasks);

  /// Waits for the task that is running.
  ~PeriodicTasks();
  PeriodicTasks(const PeriodicTasks&) = delete;
  PeriodicTasks& operator=(const PeriodicTasks&) = delete;

 private:
  struct Scheduled {
    Task task;
    SteadyTime next;
  };

  void Work(const std::stop_token& stop);
  void Run(Scheduled& scheduled);

  Clock& clock_;
  Waiter waiter_;
  std::vector<Scheduled> tasks_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
