#include "runner/pod/launcher.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "local/event_waiter.h"
#include "local/replace_file.h"
#include "pod/container.h"
#include "runner/devices/check.h"
#include "runner/diagnostics.h"
#include "runner/outcome/classify.h"
#include "runner/program/command.h"
#include "runner/program/install_project.h"
#include "runner/program/python.h"
#include "runner/program/runner.h"
#include "runner/program/virtual_environment.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// The kubelet restarts a crashing container after at most five minutes.
constexpr std::chrono::minutes kCollectorTimeout{10};
/// Interval of checks whether the collector is alive.
constexpr milliseconds kCollectorPoll{5000};
constexpr milliseconds kLauncherEchoTimeout{5000};

void AppendText(std::string& out, const LogRecord& record) { out += record.text; }

std::string CgroupName(const ProgramRequest& request) {
  return fmt::format("kinetic-{}-{}", request.job_id, request.attempt);
}

}  // namespace

PodLauncher::PodLauncher(FileSystem& fs, Clock& clock, PodFolder folder,
                         std::map<std::string, std::string> container, int out)
    : fs_(fs),
      clock_(clock),
      folder_(std::move(folder)),
      container_(std::move(container)),
      out_(out) {}

Result<LauncherExit> PodLauncher::Run() {
  KINETIC_RETURN_IF_ERROR(MakePodFolder(fs_, folder_));
  KINETIC_ASSIGN_OR_RETURN(lock_, TakeLauncherLock(fs_, folder_));
  KINETIC_RETURN_IF_ERROR(StartInterruption());
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto request, AwaitRequest());
    if (!request) break;
    KINETIC_RETURN_IF_ERROR(PrepareNext());
    const ExitReport report = Execute(*request);
    KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs_, folder_.Report(), ToJson(report), 0644));
  }
  session_.reset();
  KINETIC_ASSIGN_OR_RETURN(auto exit, AwaitExit());
  if (echo_) (void)echo_->Finish(kLauncherEchoTimeout);
  if (exit) return *std::move(exit);
  return LauncherExit{
      pod::kCollectorLost, "the collector exited unexpectedly; results may be incomplete", {}};
}

Status PodLauncher::StartInterruption() {
  on_stop_.reset();
  interruption_.reset();
  KINETIC_ASSIGN_OR_RETURN(interruption_,
                           Interruption::Start(folder_.runtime, clock_, std::nullopt));
  on_stop_.emplace(interruption_->stop(), [this] {
    LogFailure("notifying the collector of SIGTERM", Touch(fs_, folder_.runtime.CancelRequest()));
  });
  return {};
}

/// Clears the state of the previous request. The collector has removed the `cancel` file, which ends
/// single tasks, too. After SIGTERM, no other task runs.
Status PodLauncher::PrepareNext() {
  if (echo_) (void)echo_->Finish(kLauncherEchoTimeout);
  echo_ = std::make_unique<LogEcho>(fs_, folder_.runtime.Spool(), out_, AppendText);
  if (interruption_->terminated()) return Touch(fs_, folder_.runtime.CancelRequest());
  return interruption_->reason() == StopReason::kNone ? Status() : StartInterruption();
}

Result<bool> PodLauncher::IsCollectorDead() {
  KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(fs_, folder_.CollectorLock()));
  if (held) {
    collector_dead_since_.reset();
    return false;
  }
  if (!collector_dead_since_) collector_dead_since_ = clock_.Steady();
  return clock_.Steady() - *collector_dead_since_ >= kCollectorTimeout;
}

/// Waits for one of two files; returns false if the collector, which creates them, is dead.
Result<bool> PodLauncher::AwaitFile(const Path& file, const Path& other) {
  KINETIC_ASSIGN_OR_RETURN(local::EventWaiter events, local::EventWaiter::Make({}));
  KINETIC_RETURN_IF_ERROR(events.WatchFolder(folder_.runtime.folder));
  while (!Exists(fs_, file) && !Exists(fs_, other)) {
    KINETIC_ASSIGN_OR_RETURN(const bool dead, IsCollectorDead());
    if (dead) return false;
    KINETIC_ASSIGN_OR_RETURN(const auto ignored, events.Wait(kCollectorPoll));
    (void)ignored;
  }
  return true;
}

/// Takes the request, so that it cannot be withdrawn; returns nullopt if it was withdrawn before.
Result<std::optional<ProgramRequest>> PodLauncher::ClaimRequest() {
  const Status claimed = fs_.Rename(folder_.Request(), folder_.ClaimedRequest());
  if (!claimed && claimed.error().code == ErrorCode::kNotFound)
    return std::optional<ProgramRequest>();
  KINETIC_RETURN_IF_ERROR(claimed);
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs_, folder_.ClaimedRequest(), kMaxPodDocumentBytes));
  KINETIC_ASSIGN_OR_RETURN(ProgramRequest request, ProgramRequestFromJson(json));
  return std::optional(std::move(request));
}

/// Returns nullopt if there is nothing to run.
Result<std::optional<ProgramRequest>> PodLauncher::AwaitRequest() {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const bool found, AwaitFile(folder_.Request(), folder_.Exit()));
    if (!found || Exists(fs_, folder_.Exit())) return std::optional<ProgramRequest>();
    KINETIC_ASSIGN_OR_RETURN(auto request, ClaimRequest());
    if (request) return request;
  }
}

Result<std::optional<LauncherExit>> PodLauncher::AwaitExit() {
  KINETIC_ASSIGN_OR_RETURN(const bool found, AwaitFile(folder_.Exit(), folder_.Exit()));
  if (!found) return std::optional<LauncherExit>();
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs_, folder_.Exit(), kMaxPodDocumentBytes));
  KINETIC_ASSIGN_OR_RETURN(LauncherExit exit, LauncherExitFromJson(json));
  return std::optional(std::move(exit));
}

std::vector<std::string> PodLauncher::SecretValues(const ProgramRequest& request) const {
  std::map<std::string, std::string> secrets;
  for (const auto& name : request.secrets) {
    const auto secret = container_.find(name);
    if (secret != container_.end()) secrets.insert(*secret);
  }
  return RedactableSecrets(secrets);
}

ExitReport PodLauncher::Execute(const ProgramRequest& request) {
  const std::vector<std::string> secrets = SecretValues(request);
  Spool spool(fs_, folder_.runtime.Spool(),
              [this](const SpooledSegment& segment) { echo_->OnSegment(segment); });
  LogCapture capture(spool, clock_, secrets, folder_.runtime.Work());
  ExitReport report;
  Result<ProgramExit> exit = Fail(ErrorCode::kInternal, "not run");
  if (const Status begun = spool.BeginAttempt(request.attempt, request.first_sequence); !begun) {
    exit = Failure(begun.error());
  } else {
    exit = RunProgram(request, capture, report.began);
  }
  if (exit) {
    for (const auto& note : ExitNotes(*exit, request.limits)) {
      LogFailure("writing to the log", capture.Note(note));
    }
    report.exit = *std::move(exit);
  } else {
    report.fault = std::move(exit).error();
    RedactTexts(*report.fault, secrets);
  }
  capture.Seal();
  report.next_record = spool.next_sequence();
  return report;
}

Result<ProgramExit> PodLauncher::RunProgram(const ProgramRequest& request, LogCapture& capture,
                                            bool& began) {
  for (const auto& note : request.notes) KINETIC_RETURN_IF_ERROR(capture.Note(note));
  const auto started = [&] {
    began = true;
    LogFailure("notifying the collector of the start", Touch(fs_, folder_.Started()));
  };
  const auto returned = [&] {
    LogFailure("notifying the collector of the value", Touch(fs_, folder_.Returned()));
  };
  const ProgramCallbacks callbacks{.started = started, .returned = returned};
  if (request.makes_calls) return Call(request, capture, callbacks);
  KINETIC_ASSIGN_OR_RETURN(const Program program, PrepareProgram(request, capture));
  ProgramRunner runner(capture, clock_);
  return runner.Run(program, request.limits, CgroupName(request), callbacks, interruption_->stop());
}

/// Lets the program of the previous task call its function again, or starts a program.
Result<ProgramExit> PodLauncher::Call(const ProgramRequest& request, LogCapture& capture,
                                      const ProgramCallbacks& callbacks) {
  if (!session_) {
    KINETIC_ASSIGN_OR_RETURN(Program program, PrepareProgram(request, capture));
    KINETIC_ASSIGN_OR_RETURN(session_, ProgramSession::Start(std::move(program), request.limits,
                                                             CgroupName(request), clock_));
  } else if (interruption_->stop().stop_requested()) {
    return Fail(ErrorCode::kCancelled, "stopped before the function was called");
  }
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : request.program.environment) {
    if (name.starts_with("KINETIC_")) variables.emplace(name, value);
  }
  auto exit = session_->Call(variables, capture, callbacks, interruption_->stop());
  if (!exit || !session_->CanCall()) session_.reset();
  return exit;
}

Result<Program> PodLauncher::PrepareProgram(const ProgramRequest& request, LogCapture& capture) {
  KINETIC_ASSIGN_OR_RETURN(Program program, MakeProgram(request));
  KINETIC_RETURN_IF_ERROR(AddProject(program, capture));
  KINETIC_RETURN_IF_ERROR(CheckForDevices(request, program, capture));
  if (interruption_->stop().stop_requested()) {
    return Fail(ErrorCode::kCancelled, "stopped before the program started");
  }
  return program;
}

/// Also applies to images with packages.
Status PodLauncher::AddProject(const Program& program, LogCapture& capture) {
  const auto active = program.environment.find("VIRTUAL_ENV");
  const Path environment = folder_.Environment();
  if (active == program.environment.end() || active->second != environment) return {};
  const std::string note = InstallProject(
      fs_, {folder_.runtime.Work(), program.working_directory, environment}, program.environment);
  return note.empty() ? Status() : capture.Note(note);
}

Status PodLauncher::CheckForDevices(const ProgramRequest& request, const Program& program,
                                    LogCapture& capture) {
  const auto variable = container_.find(std::string(pod::kChipsVariable));
  const auto requested = variable == container_.end() ? std::nullopt : ParseChips(variable->second);
  if (!requested || has_checked_devices_) return {};
  const DeviceCheck check{.requested = *requested,
                          .program = program,
                          .environment = request.environment ? request.environment->root : Path()};
  KINETIC_ASSIGN_OR_RETURN(DeviceCheckResult result,
                           CheckDevices(fs_, check, interruption_->stop()));
  for (const auto& note : result.notes) KINETIC_RETURN_IF_ERROR(capture.Note(note));
  if (result.fault) return Failure(*std::move(result.fault));
  has_checked_devices_ = true;
  return {};
}

Result<Program> PodLauncher::MakeProgram(const ProgramRequest& request) {
  Program program = request.program;
  program.environment = ProgramEnvironment(request, container_);
  AddDriverPaths(fs_, Path(kNvidiaFolder), program.environment);
  const auto active = container_.find("VIRTUAL_ENV");  // of an image with packages
  if (request.environment ||
      (active != container_.end() && active->second == folder_.Environment())) {
    DropRedirections(request.program.environment, program.environment);
  }
  if (request.environment) {
    KINETIC_RETURN_IF_ERROR(UseEnvironment(request, program));
  } else if (program.calls_python) {
    const PythonQuery query{request.python, program.environment.at("PATH"), program.environment,
                            request.image};
    KINETIC_ASSIGN_OR_RETURN(const ImagePython python,
                             FindFunctionPython(query, interruption_->stop()));
    program.argv.at(0) = python.path.native();
  }
  AddLibraryPath(program);
  return program;
}

Status PodLauncher::UseEnvironment(const ProgramRequest& request, Program& program) {
  const PythonQuery query{request.environment->python, program.environment.at("PATH"),
                          program.environment, request.image};
  KINETIC_RETURN_IF_ERROR(
      MakeVirtualEnvironment(fs_, *request.environment, query, interruption_->stop()));
  Activate(*request.environment, request.program.environment.contains("PATH"), program.environment);
  if (program.calls_python)
    program.argv.at(0) = (request.environment->root / "bin/python").native();
  return {};
}

}  // namespace kinetic::runner
