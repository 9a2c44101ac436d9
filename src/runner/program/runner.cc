#include "runner/program/runner.h"

#include "kinetic/try.h"

#include "runner/program/memory_limit.h"
#include "runner/program/monitor.h"

#include <utility>

namespace kinetic::runner {

Result<ProgramExit> ProgramRunner::Run(const Program& program, const ProgramLimits& limits,
                                       std::string_view name, const ProgramCallbacks& callbacks,
                                       std::stop_token stop) {
  const auto memory =
      limits.own_container ? MakeContainerMemory() : MakeMemoryLimit(limits.memory_bytes, name);
  Program started = program;
  started.cgroup_entry = memory->EntryFile();
  KINETIC_ASSIGN_OR_RETURN(RunningProgram running, StartProgram(started));
  if (callbacks.started) callbacks.started();
  return ProgramMonitor({&capture_, clock_, limits, callbacks, *memory}, std::move(running),
                        program.exchange)
      .Run(std::move(stop));
}

}  // namespace kinetic::runner
