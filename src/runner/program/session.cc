#include "runner/program/session.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "local/process_identity.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

/// For a program to exit by itself when there are no more calls.
constexpr std::chrono::milliseconds kExitGrace{2000};

std::string RequestLine(const std::map<std::string, std::string>& environment) {
  Value::Map variables;
  for (const auto& [name, value] : environment) variables.emplace_back(name, value);
  return Value(Value::Map{{"env", std::move(variables)}}).ToJson() + "\n";
}

}  // namespace

Result<std::unique_ptr<ProgramSession>> ProgramSession::Start(Program program,
                                                              const ProgramLimits& limits,
                                                              std::string_view name, Clock& clock) {
  std::unique_ptr<ProgramSession> session(new ProgramSession(limits));
  session->memory_ =
      limits.own_container ? MakeContainerMemory() : MakeMemoryLimit(limits.memory_bytes, name);
  program.cgroup_entry = session->memory_->EntryFile();
  program.awaits_calls = true;
  program.argv.emplace_back("calls");
  KINETIC_ASSIGN_OR_RETURN(RunningProgram running, StartProgram(program));
  session->monitor_.emplace(ProgramMonitor::Context{nullptr, clock, session->limits_,
                                                    session->no_callbacks_, *session->memory_},
                            std::move(running), program.exchange);
  return session;
}

ProgramSession::~ProgramSession() {
  if (!monitor_ || !monitor_->CanCall()) return;
  monitor_->EndCalls();
  (void)local::EndProcesses({}, kExitGrace, SystemClock(), {}, ::getpid());
}

Result<ProgramExit> ProgramSession::Call(const std::map<std::string, std::string>& environment,
                                         LogCapture& capture, const ProgramCallbacks& callbacks,
                                         std::stop_token stop) {
  return monitor_->Call(RequestLine(environment), capture, callbacks, std::move(stop));
}

}  // namespace kinetic::runner
