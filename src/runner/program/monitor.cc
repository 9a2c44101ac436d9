#include "runner/program/monitor.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/process_identity.h"

#include <fmt/format.h>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kOutputReadBytes = 256U << 10;
constexpr milliseconds kIdle{1000};            ///< longest wait for an event
constexpr milliseconds kPartialLineAge{1000};  ///< at which an incomplete line is recorded
constexpr milliseconds kMemorySample{50};      ///< between two samples of the memory
/// Between two checks for a killed process. A program that was killed itself has ended by then.
constexpr milliseconds kMemoryKillDelay{1000};
constexpr milliseconds kEndingPoll{50};       ///< between two checks for processes that must end
constexpr milliseconds kLeftoverGrace{2000};  ///< for processes that a program left behind
/// For processes to end by themselves after the program, as Python's resource tracker does.
constexpr milliseconds kSelfEndGrace{1000};
constexpr milliseconds kQuietGrace{1000};    ///< before the log reports that a program did not end
constexpr milliseconds kUnkillable{10'000};  ///< after which such a process is given up
/// A program that writes line by line would wake us for each line; this collects several.
constexpr milliseconds kOutputBatchTime{2};

}  // namespace

ProgramMonitor::ProgramMonitor(const Context& context, RunningProgram program, Path exchange)
    : capture_(context.capture),
      clock_(context.clock),
      limits_(context.limits),
      callbacks_(&context.callbacks),
      memory_(context.memory),
      program_(std::move(program)),
      exchange_(std::move(exchange)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffer_(kOutputReadBytes),
      started_(clock_.Steady()),
      now_(started_),
      last_output_(started_) {}

Status ProgramMonitor::RunUntil(const std::function<bool()>& done, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(wake_.get(), 1); });
  while (!done()) {
    if (auto stepped = Step(stop); !stepped) {
      // The log cannot be written; a program must not run on without its log.
      Kill();
      (void)local::EndProcesses({}, milliseconds(0), clock_, {}, ::getpid());
      return stepped;
    }
  }
  return {};
}

Result<ProgramExit> ProgramMonitor::Run(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(RunUntil([&] { return Done(); }, stop));
  return Finish();
}

Result<ProgramExit> ProgramMonitor::Call(std::string_view request, LogCapture& capture,
                                         const ProgramCallbacks& callbacks, std::stop_token stop) {
  capture_ = &capture;
  callbacks_ = &callbacks;
  exit_ = {};
  returned_.reset();
  call_ended_ = grace_reported_ = memory_kill_reported_ = memory_kill_seen_ = false;
  started_ = now_ = last_output_ = clock_.Steady();
  SendRequest(request);
  if (callbacks.started) callbacks.started();
  KINETIC_RETURN_IF_ERROR(RunUntil([&] { return Done() || (call_ended_ && !ended_); }, stop));
  if (ended_) return Finish();
  KINETIC_RETURN_IF_ERROR(Drain());
  KINETIC_RETURN_IF_ERROR(capture_->Flush());
  exit_.python_error = capture_->python_error();
  exit_.peak_memory_bytes = memory_.PeakBytes();
  return std::move(exit_);
}

/// The program notices a closed socket, and ends.
void ProgramMonitor::SendRequest(std::string_view request) {
  while (!request.empty()) {
    const ssize_t count =
        ::send(program_.control.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (count > 0) request.remove_prefix(static_cast<std::size_t>(count));
    if (count >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) break;
    pollfd writable{program_.control.get(), POLLOUT, 0};
    ::poll(&writable, 1, WaitMs());
  }
  control_works_ = request.empty();
}

/// Reads the rest of the output of a call, which is in the pipes already.
Status ProgramMonitor::Drain() {
  const auto is_readable = [&] {
    std::array<pollfd, 2> polled{
        {{program_.out.get(), POLLIN, 0}, {program_.err.get(), POLLIN, 0}}};
    return ::poll(polled.data(), polled.size(), 0) > 0;
  };
  while ((program_.out || program_.err) && is_readable()) KINETIC_RETURN_IF_ERROR(ReadStreams());
  return {};
}

Status ProgramMonitor::Step(const std::stop_token& stop) {
  Wait();
  now_ = clock_.Steady();
  KINETIC_RETURN_IF_ERROR(ReadStreams());
  ReadControl();
  Reap();
  CheckLimits(stop);
  AdvanceEnding();
  KINETIC_RETURN_IF_ERROR(ReportGrace());
  KINETIC_RETURN_IF_ERROR(ReportMemoryKill());
  return capture_->FlushPartialLines(now_ - kPartialLineAge);
}

int ProgramMonitor::WaitMs() const {
  if (ending_ != Ending::kNone || ended_ || !program_.process) {
    return static_cast<int>(kEndingPoll.count());
  }
  if (memory_.NeedsSampling()) return static_cast<int>(kMemorySample.count());
  milliseconds wait = kIdle;
  if (const auto deadline = Deadline()) {
    const auto left = std::chrono::duration_cast<milliseconds>(*deadline - now_);
    wait = std::clamp(left + milliseconds(1), milliseconds(0), wait);
  }
  return static_cast<int>(wait.count());
}

void ProgramMonitor::Wait() {
  if (has_read_) (void)clock_.Sleep(kOutputBatchTime, {});
  has_read_ = false;
  std::array<pollfd, 5> polled{{{program_.out.get(), POLLIN, 0},
                                {program_.err.get(), POLLIN, 0},
                                {program_.control.get(), POLLIN, 0},
                                {ended_ ? -1 : program_.process.get(), POLLIN, 0},
                                {terminated_ || ended_ ? -1 : wake_.get(), POLLIN, 0}}};
  ::poll(polled.data(), polled.size(), WaitMs());
}

Status ProgramMonitor::ReadStreams() {
  KINETIC_RETURN_IF_ERROR(ReadStream(program_.out, Stream::kStdout));
  return ReadStream(program_.err, Stream::kStderr);
}

Status ProgramMonitor::ReadStream(UniqueFd& fd, Stream stream) {
  if (!fd) return {};
  const ssize_t count = ::read(fd.get(), buffer_.data(), buffer_.size());
  if (count > 0) {
    last_output_ = now_;
    has_read_ = true;
    return capture_->Append(stream, {buffer_.data(), static_cast<std::size_t>(count)});
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) fd.Reset();
  return {};
}

void ProgramMonitor::ReadControl() {
  if (!program_.control) return;
  const ssize_t count = ::read(program_.control.get(), buffer_.data(), buffer_.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) program_.control.Reset();
  if (count <= 0) return;
  auto messages = parser_.Feed({buffer_.data(), static_cast<std::size_t>(count)});
  if (!messages) {
    exit_.control_fault = std::move(messages).error();
    RedactTexts(*exit_.control_fault, capture_->secrets());
    program_.control.Reset();
    return;
  }
  for (auto& message : *messages) OnMessage(std::move(message));
}

void ProgramMonitor::ReadControlFile() {
  if (exchange_.empty()) return;
  const auto bytes = ReadRegularFile(PosixFileSystem(), exchange_ / kControlFile, kMaxShimFrame);
  if (!bytes) return;
  auto messages = ShimParser().Feed(*bytes);
  if (!messages) return;
  for (auto& message : *messages) OnMessage(std::move(message));
}

void ProgramMonitor::OnMessage(ShimMessage message) {
  RedactTexts(message, capture_->secrets());
  if (message.kind == ShimMessage::Kind::kCalled) {
    exit_.status.code = static_cast<int>(message.number);
    call_ended_ = true;
    return;
  }
  if (message.kind != ShimMessage::Kind::kStarted && !returned_) returned_ = now_;
  if (message.kind == ShimMessage::Kind::kReturned && callbacks_->returned) callbacks_->returned();
  exit_.messages.push_back(std::move(message));
}

/// Reaps the program and those of its descendants that have become our children.
void ProgramMonitor::Reap() {
  for (;;) {
    int status = 0;
    rusage used = {};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
    if (pid <= 0) return;
    if (pid != program_.pid) continue;
    ended_ = now_;
    exit_.peak_memory_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    if (WIFSIGNALED(status)) {
      exit_.status.signal = WTERMSIG(status);
    } else {
      exit_.status.code = WEXITSTATUS(status);
    }
    OnProgramEnded();
  }
}

void ProgramMonitor::OnProgramEnded() {
  exit_.out_of_memory = exit_.out_of_memory || (memory_.Exceeded() && !exit_.status.Succeeded());
  if (ending_ != Ending::kNone)
    exit_.remaining_processes = local::ProcessesOf({}, ::getpid()).size();
}

/// Returns when limits.run ends.
std::optional<SteadyTime> ProgramMonitor::RunEnd() const {
  if (!limits_.run) return std::nullopt;
  return started_ + *limits_.run;
}

/// Returns when the program must have exited by itself.
std::optional<SteadyTime> ProgramMonitor::Deadline() const {
  const auto run_end = RunEnd();
  if (!returned_) return run_end;
  const SteadyTime grace_end = *returned_ + limits_.grace;
  return run_end ? std::min(*run_end, grace_end) : grace_end;
}

void ProgramMonitor::CheckLimits(const std::stop_token& stop) {
  if (ended_ || ending_ != Ending::kNone) return;
  if (stop.stop_requested()) {
    exit_.stopped = true;
    Terminate();
  } else if (const auto deadline = Deadline(); deadline && now_ >= *deadline) {
    if (!returned_) {
      exit_.timed_out = true;
    } else {
      exit_.lingered = deadline == RunEnd() ? LingerLimit::kRunLimit : LingerLimit::kGrace;
    }
    Terminate();
  } else if (memory_.NeedsSampling() && now_ >= next_sample_) {
    next_sample_ = now_ + kMemorySample;
    exit_.out_of_memory = memory_.Exceeded();
    if (exit_.out_of_memory) Kill();
  }
}

/// Adds one note to the log if a program that must end is still running, because the user waits for it.
Status ProgramMonitor::ReportGrace() {
  const bool requested = exit_.stopped || exit_.timed_out;
  if (grace_reported_ || ended_ || !requested || ending_ != Ending::kTerminating) return {};
  const auto waited = std::chrono::duration_cast<milliseconds>(now_ - *terminated_);
  if (waited < kQuietGrace) return {};
  grace_reported_ = true;
  const auto left = std::chrono::ceil<std::chrono::seconds>(limits_.grace - waited);
  return capture_->Note(
      fmt::format("{}, but the program is still running; it will be killed in {}",
                  exit_.timed_out ? "the time limit has passed" : "a stop was requested",
                  FormatDuration(left)));
}

/// Adds a note to the log if the kernel killed one process for its memory and the program goes on,
/// as a pool of workers may. The outcome of a program that was killed, which ends soon after,
/// contains it.
Status ProgramMonitor::ReportMemoryKill() {
  if (memory_kill_reported_ || memory_.NeedsSampling() || exit_.out_of_memory) return {};
  if (!ended_ && now_ < next_sample_) return {};
  next_sample_ = now_ + kMemoryKillDelay;
  if (!memory_.Exceeded()) return {};
  if (!ended_ && !std::exchange(memory_kill_seen_, true)) return {};
  memory_kill_reported_ = true;
  return capture_->Note("the kernel killed a process: the job exceeded its memory limit");
}

void ProgramMonitor::Terminate() {
  ending_ = Ending::kTerminating;
  terminated_ = now_;
  local::Signal(local::ProcessesOf({}, ::getpid()), SIGTERM);
}

void ProgramMonitor::Kill() {
  ending_ = Ending::kKilling;
  if (!terminated_) terminated_ = now_;
  local::Signal(local::ProcessesOf({}, ::getpid()), SIGKILL);
}

void ProgramMonitor::AdvanceEnding() {
  if (ending_ == Ending::kNone && !ended_) return;
  if (ended_) {
    const auto left = local::ProcessesOf({}, ::getpid());
    all_ended_ = left.empty();
    if (all_ended_) return;
    if (ending_ == Ending::kNone) {
      if (now_ - *ended_ < kSelfEndGrace) return;
      exit_.remaining_processes = left.size();
      return Terminate();
    }
  }
  // Processes that a program left behind get a shorter grace period.
  const bool requested = exit_.stopped || exit_.timed_out;
  const milliseconds grace = requested ? limits_.grace : std::min(limits_.grace, kLeftoverGrace);
  if (ending_ == Ending::kKilling || now_ - *terminated_ >= grace) Kill();
}

bool ProgramMonitor::Done() const {
  if (!ended_) return false;
  const bool read_out = !program_.out && !program_.err && !program_.control;
  if (all_ended_ && read_out) return true;
  // A process cannot be killed, or one that is not ours holds a descriptor.
  const auto since = now_ - std::max(*ended_, terminated_.value_or(*ended_));
  return all_ended_ ? since >= kIdle && now_ - last_output_ >= kIdle
                    : since >= limits_.grace + kUnkillable;
}

Result<ProgramExit> ProgramMonitor::Finish() {
  KINETIC_RETURN_IF_ERROR(capture_->Flush());
  ReadControlFile();
  exit_.python_error = capture_->python_error();
  exit_.peak_memory_bytes = std::max(exit_.peak_memory_bytes, memory_.PeakBytes());
  return std::move(exit_);
}

}  // namespace kinetic::runner
