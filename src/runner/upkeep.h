#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "runner/alarm.h"

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::runner {

/// Looks after a job's folders again and again while its program runs, on a thread of its own:
/// every three seconds, less often when looking takes long, and half a minute after a failure.
class Upkeep {
 public:
  struct Chore {
    std::string name;  ///< for diagnostics: "saving outputs"
    std::function<Status()> look;
  };

  Upkeep(Clock& clock, std::vector<Chore> chores);

  /// Ends it; a look that goes on is waited for.
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

 private:
  struct Planned {
    Chore chore;
    SteadyTime next;
  };

  void Work(const std::stop_token& stop);
  void Do(Planned& planned);

  Clock& clock_;
  Alarm alarm_;
  std::vector<Planned> chores_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace kinetic::runner
