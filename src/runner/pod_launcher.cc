#include "runner/pod_launcher.h"

#include "base/try.h"
#include "local/events.h"
#include "local/replace_file.h"
#include "pod/container.h"
#include "runner/device_check.h"
#include "runner/diagnostics.h"
#include "runner/driver_paths.h"
#include "runner/launcher.h"
#include "runner/program_notes.h"
#include "runner/python_choice.h"
#include "runner/virtual_environment.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxDocumentBytes = 64U << 20;
/// A container that ends again and again is started anew after five minutes at most.
constexpr std::chrono::minutes kCollectorPatience{10};
/// A collector that dies says nothing: it is looked for this often.
constexpr milliseconds kCollectorLook{5000};
constexpr milliseconds kEchoPatience{5000};

void CopyAsItIs(std::string& out, const LogRecord& record) { out += record.text; }

}  // namespace

PodLauncher::PodLauncher(FileSystem& fs, Clock& clock, PodFolder folder,
                         std::map<std::string, std::string> container, int out)
    : fs_(fs),
      clock_(clock),
      folder_(std::move(folder)),
      container_(std::move(container)),
      echo_(fs, folder_.runtime.Spool(), out, CopyAsItIs) {}

Result<Settlement> PodLauncher::Run() {
  KINETIC_RETURN_IF_ERROR(MakePodFolder(fs_, folder_));
  KINETIC_ASSIGN_OR_RETURN(lock_, TakeLauncherLock(fs_, folder_));
  KINETIC_ASSIGN_OR_RETURN(interruption_,
                           Interruption::Begin(folder_.runtime, clock_, std::nullopt));
  // The collector is told so by a file, and a file that is there is what it would look for.
  const std::stop_callback on_stop(interruption_->stop(), [this] {
    DiagnoseError("asking the collector to hurry", Touch(fs_, folder_.runtime.CancelRequest()));
  });
  KINETIC_ASSIGN_OR_RETURN(const auto order, AwaitOrder());
  if (order) {
    const EndReport report = Perform(*order);
    KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs_, folder_.End(), ToJson(report), 0644));
  }
  KINETIC_ASSIGN_OR_RETURN(auto settlement, AwaitSettlement());
  (void)echo_.Finish(kEchoPatience);
  if (settlement) return *std::move(settlement);
  return Settlement{
      pod::kCollectorWentAway, "the collector went away, and nobody knows what it stored", {}};
}

Result<bool> PodLauncher::IsCollectorGone() {
  KINETIC_ASSIGN_OR_RETURN(const bool held, local::FileLock::IsHeld(fs_, folder_.CollectorLock()));
  if (held) {
    collector_gone_.reset();
    return false;
  }
  if (!collector_gone_) collector_gone_ = clock_.Steady();
  return clock_.Steady() - *collector_gone_ >= kCollectorPatience;
}

/// Waits for one of two files; false: nobody is there any more to make it.
Result<bool> PodLauncher::AwaitFile(const Path& file, const Path& other) {
  KINETIC_ASSIGN_OR_RETURN(local::Events events, local::Events::Make({}));
  KINETIC_RETURN_IF_ERROR(events.WatchFolder(folder_.runtime.folder));
  while (!IsThere(fs_, file) && !IsThere(fs_, other)) {
    KINETIC_ASSIGN_OR_RETURN(const bool gone, IsCollectorGone());
    if (gone) return false;
    KINETIC_ASSIGN_OR_RETURN(const auto ignored, events.Wait(kCollectorLook));
    (void)ignored;
  }
  return true;
}

/// The order, which is then the launcher's own; nothing when it was withdrawn.
Result<std::optional<ProgramOrder>> PodLauncher::TakeOrder() {
  const Status taken = fs_.Rename(folder_.Order(), folder_.TakenOrder());
  if (!taken && taken.error().code == ErrorCode::kNotFound) return std::optional<ProgramOrder>();
  KINETIC_RETURN_IF_ERROR(taken);
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs_, folder_.TakenOrder(), kMaxDocumentBytes));
  KINETIC_ASSIGN_OR_RETURN(ProgramOrder order, ProgramOrderFromJson(json));
  return std::optional(std::move(order));
}

/// Nothing: there is nothing to run.
Result<std::optional<ProgramOrder>> PodLauncher::AwaitOrder() {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, AwaitFile(folder_.Order(), folder_.Settled()));
    if (!there || IsThere(fs_, folder_.Settled())) return std::optional<ProgramOrder>();
    KINETIC_ASSIGN_OR_RETURN(auto order, TakeOrder());
    if (order) return order;
  }
}

Result<std::optional<Settlement>> PodLauncher::AwaitSettlement() {
  KINETIC_ASSIGN_OR_RETURN(const bool there, AwaitFile(folder_.Settled(), folder_.Settled()));
  if (!there) return std::optional<Settlement>();
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs_, folder_.Settled(), kMaxDocumentBytes));
  KINETIC_ASSIGN_OR_RETURN(Settlement settlement, SettlementFromJson(json));
  return std::optional(std::move(settlement));
}

std::vector<std::string> PodLauncher::SecretValues(const ProgramOrder& order) const {
  std::vector<std::string> values;
  for (const auto& name : order.secrets) {
    const auto secret = container_.find(name);
    if (secret != container_.end()) values.push_back(secret->second);
  }
  return MaskableSecrets(std::move(values));
}

EndReport PodLauncher::Perform(const ProgramOrder& order) {
  const std::vector<std::string> secrets = SecretValues(order);
  Spool spool(fs_, folder_.runtime.Spool(),
              [this](const SpooledSegment& segment) { echo_.Take(segment); });
  LogCapture capture(spool, clock_, secrets);
  EndReport report;
  Result<ProgramEnd> end = Fail(ErrorCode::kInternal, "not run");
  if (const Status begun = spool.BeginAttempt(order.attempt, order.first_sequence); !begun) {
    end = Failure(begun.error());
  } else {
    end = RunProgram(order, capture, report.began);
  }
  if (end) {
    for (const auto& note : ProgramNotes(*end, order.limits)) {
      DiagnoseError("noting", capture.Note(note));
    }
    report.end = *std::move(end);
  } else {
    report.fault = std::move(end).error();
  }
  capture.Seal();
  report.next_record = spool.next_sequence();
  MaskReport(report, secrets);
  return report;
}

Result<ProgramEnd> PodLauncher::RunProgram(const ProgramOrder& order, LogCapture& capture,
                                           bool& began) {
  for (const auto& note : order.notes) KINETIC_RETURN_IF_ERROR(capture.Note(note));
  KINETIC_ASSIGN_OR_RETURN(const Program program, MakeProgram(order));
  KINETIC_RETURN_IF_ERROR(LookForDevices(order, program, capture));
  if (interruption_->stop().stop_requested()) {
    return Fail(ErrorCode::kCancelled, "stopped before the program began");
  }
  Launcher launcher(capture, clock_);
  const auto started = [&] {
    began = true;
    DiagnoseError("telling that the program runs", Touch(fs_, folder_.Started()));
  };
  const auto returned = [&] {
    DiagnoseError("telling of the value", Touch(fs_, folder_.Returned()));
  };
  return launcher.Run(program, order.limits,
                      fmt::format("kinetic-{}-{}", order.job_id, order.attempt),
                      {.started = started, .returned = returned}, interruption_->stop());
}

Status PodLauncher::LookForDevices(const ProgramOrder& order, const Program& program,
                                   LogCapture& capture) {
  const auto variable = container_.find(std::string(pod::kChipsVariable));
  const auto asked = variable == container_.end() ? std::nullopt : ChipsOf(variable->second);
  if (!asked) return {};
  const DeviceCheck check{.asked = *asked,
                          .program = program,
                          .environment = order.environment ? order.environment->root : Path()};
  KINETIC_ASSIGN_OR_RETURN(DeviceVerdict verdict, CheckDevices(fs_, check, interruption_->stop()));
  for (const auto& note : verdict.notes) KINETIC_RETURN_IF_ERROR(capture.Note(note));
  if (verdict.fault) return Failure(*std::move(verdict.fault));
  return {};
}

Result<Program> PodLauncher::MakeProgram(const ProgramOrder& order) {
  Program program = order.program;
  program.environment = EnvironmentOf(order, container_);
  AddDriverPaths(fs_, Path(kNvidiaFolder), program.environment);
  if (order.environment) {
    KINETIC_RETURN_IF_ERROR(UseEnvironment(order, program));
  } else if (program.control) {
    const PythonWish wish{order.python, program.environment.at("PATH"), program.environment,
                          order.image};
    KINETIC_ASSIGN_OR_RETURN(const ImagePython python, ChoosePython(wish, interruption_->stop()));
    program.argv.at(0) = python.path.native();
  }
  return program;
}

Status PodLauncher::UseEnvironment(const ProgramOrder& order, Program& program) {
  // What the image says of its own Python's library is not so of a virtual environment.
  if (!order.program.environment.contains("PYTHONHOME")) program.environment.erase("PYTHONHOME");
  const PythonWish wish{order.environment->python, program.environment.at("PATH"),
                        program.environment, order.image};
  KINETIC_RETURN_IF_ERROR(
      MakeVirtualEnvironment(fs_, *order.environment, wish, interruption_->stop()));
  Activate(*order.environment, order.program.environment.contains("PATH"), program.environment);
  if (program.control) program.argv.at(0) = (order.environment->root / "bin/python").native();
  return {};
}

}  // namespace kinetic::runner
