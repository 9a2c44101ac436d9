#include "runner/launcher.h"

#include "base/try.h"
#include "runner/memory_limit.h"
#include "runner/watch.h"

#include <utility>

namespace kinetic::runner {

Result<ProgramEnd> Launcher::Run(const Program& program, const LaunchLimits& limits,
                                 std::string_view name, const LaunchEvents& events,
                                 std::stop_token stop) {
  const auto memory =
      limits.own_container ? MakeContainerMemory() : MakeMemoryLimit(limits.memory_bytes, name);
  Program placed = program;
  placed.cgroup_entry = memory->EntryFile();
  KINETIC_ASSIGN_OR_RETURN(RunningProgram running, StartProgram(placed));
  if (events.started) events.started();
  return Watch({capture_, clock_, limits, events, *memory}, std::move(running))
      .Run(std::move(stop));
}

}  // namespace kinetic::runner
