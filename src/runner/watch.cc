#include "runner/watch.h"

#include "base/try.h"
#include "local/processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = 256U << 10;
constexpr milliseconds kIdle{1000};           ///< a line without an end is shown after this pause
constexpr milliseconds kMemoryLook{50};       ///< between two looks at the memory
constexpr milliseconds kEndingLook{50};       ///< between two looks at processes that are to go
constexpr milliseconds kLeftoverGrace{2000};  ///< for what a program left behind
constexpr milliseconds kUnkillable{10'000};
/// A program that writes line by line would wake us for each: wait this long and take many.
constexpr milliseconds kGather{2};

}  // namespace

Watch::Watch(const Surroundings& surroundings, RunningProgram program)
    : capture_(surroundings.capture),
      clock_(surroundings.clock),
      limits_(surroundings.limits),
      events_(surroundings.events),
      memory_(surroundings.memory),
      program_(std::move(program)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffer_(kReadBytes),
      started_(clock_.Steady()),
      now_(started_),
      last_output_(started_) {}

Result<ProgramEnd> Watch::Run(std::stop_token stop) {
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(wake_.get(), 1); });
  while (!Done()) {
    if (auto stepped = Step(stop); !stepped) {
      // The log cannot be kept: a program whose output is lost is not let run on.
      Force();
      (void)local::EndProcesses({}, milliseconds(0), clock_, {}, ::getpid());
      return Failure(std::move(stepped).error());
    }
  }
  return Finish();
}

Status Watch::Step(const std::stop_token& stop) {
  Wait();
  now_ = clock_.Steady();
  KINETIC_RETURN_IF_ERROR(ReadStreams());
  ReadControl();
  Reap();
  CheckLimits(stop);
  AdvanceEnding();
  if (capture_.HasRest() && now_ - last_output_ >= kIdle) KINETIC_RETURN_IF_ERROR(capture_.Pause());
  return {};
}

int Watch::WaitMs() const {
  if (ending_ != Ending::kNot || ended_ || !program_.process) {
    return static_cast<int>(kEndingLook.count());
  }
  if (memory_.NeedsSampling()) return static_cast<int>(kMemoryLook.count());
  milliseconds wait = kIdle;
  if (const auto deadline = Deadline()) {
    const auto left = std::chrono::duration_cast<milliseconds>(*deadline - now_);
    wait = std::clamp(left + milliseconds(1), milliseconds(0), wait);
  }
  return static_cast<int>(wait.count());
}

void Watch::Wait() {
  if (read_much_) (void)clock_.Sleep(kGather, {});
  read_much_ = false;
  std::array<pollfd, 5> polled{{{program_.out.get(), POLLIN, 0},
                                {program_.err.get(), POLLIN, 0},
                                {program_.control.get(), POLLIN, 0},
                                {ended_ ? -1 : program_.process.get(), POLLIN, 0},
                                {asked_ || ended_ ? -1 : wake_.get(), POLLIN, 0}}};
  ::poll(polled.data(), polled.size(), WaitMs());
}

Status Watch::ReadStreams() {
  KINETIC_RETURN_IF_ERROR(ReadStream(program_.out, Stream::kStdout));
  return ReadStream(program_.err, Stream::kStderr);
}

Status Watch::ReadStream(UniqueFd& fd, Stream stream) {
  if (!fd) return {};
  const ssize_t count = ::read(fd.get(), buffer_.data(), buffer_.size());
  if (count > 0) {
    last_output_ = now_;
    read_much_ = true;
    return capture_.Take(stream, {buffer_.data(), static_cast<std::size_t>(count)});
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) fd.Reset();
  return {};
}

void Watch::ReadControl() {
  if (!program_.control) return;
  const ssize_t count = ::read(program_.control.get(), buffer_.data(), buffer_.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) program_.control.Reset();
  if (count <= 0) return;
  auto messages = parser_.Feed({buffer_.data(), static_cast<std::size_t>(count)});
  if (!messages) {
    end_.control_fault = std::move(messages).error();
    program_.control.Reset();
    return;
  }
  for (auto& message : *messages) Hear(std::move(message));
}

void Watch::Hear(ShimMessage message) {
  if (message.kind != ShimMessage::Kind::kStarted && !returned_) returned_ = now_;
  if (message.kind == ShimMessage::Kind::kReturned && events_.returned) events_.returned();
  end_.messages.push_back(std::move(message));
}

/// Reaps the program and whatever of its descendants has become our child.
void Watch::Reap() {
  for (;;) {
    int status = 0;
    rusage used = {};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
    if (pid <= 0) return;
    if (pid != program_.pid) continue;
    ended_ = now_;
    end_.peak_memory_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    if (WIFSIGNALED(status)) {
      end_.exit.signal = WTERMSIG(status);
    } else {
      end_.exit.code = WEXITSTATUS(status);
    }
    OnProgramEnded();
  }
}

void Watch::OnProgramEnded() {
  end_.out_of_memory = end_.out_of_memory || (memory_.Exceeded() && !end_.exit.Succeeded());
  const auto left = local::ProcessesOf({}, ::getpid());
  end_.left_behind = left.size();
  if (left.empty()) {
    none_left_ = true;
  } else if (ending_ == Ending::kNot) {
    Ask();
  }
}

/// When timeouts.run is over.
std::optional<SteadyTime> Watch::RunEnd() const {
  if (!limits_.run) return std::nullopt;
  return started_ + *limits_.run;
}

/// When the program has to be gone of itself.
std::optional<SteadyTime> Watch::Deadline() const {
  const auto run_end = RunEnd();
  if (!returned_) return run_end;
  const SteadyTime patience_end = *returned_ + limits_.grace;
  return run_end ? std::min(*run_end, patience_end) : patience_end;
}

void Watch::CheckLimits(const std::stop_token& stop) {
  if (ended_ || ending_ != Ending::kNot) return;
  if (stop.stop_requested()) {
    end_.stopped = true;
    Ask();
  } else if (const auto deadline = Deadline(); deadline && now_ >= *deadline) {
    if (!returned_) {
      end_.out_of_time = true;
    } else {
      end_.lingered = deadline == RunEnd() ? Lingered::kRunLimit : Lingered::kGrace;
    }
    Ask();
  } else if (memory_.NeedsSampling() && now_ >= next_look_) {
    next_look_ = now_ + kMemoryLook;
    end_.out_of_memory = memory_.Exceeded();
    if (end_.out_of_memory) Force();
  }
}

void Watch::Ask() {
  ending_ = Ending::kAsked;
  asked_ = now_;
  local::Signal(local::ProcessesOf({}, ::getpid()), SIGTERM);
}

void Watch::Force() {
  ending_ = Ending::kForced;
  if (!asked_) asked_ = now_;
  local::Signal(local::ProcessesOf({}, ::getpid()), SIGKILL);
}

void Watch::AdvanceEnding() {
  if (ending_ == Ending::kNot) return;
  if (ended_ && local::ProcessesOf({}, ::getpid()).empty()) {
    none_left_ = true;
    return;
  }
  // What a program left behind when it ended of itself has no claim to its grace period.
  const bool wanted = end_.stopped || end_.out_of_time;
  const milliseconds grace = wanted ? limits_.grace : std::min(limits_.grace, kLeftoverGrace);
  if (ending_ == Ending::kForced || now_ - *asked_ >= grace) Force();
}

bool Watch::Done() const {
  if (!ended_) return false;
  const bool read_out = !program_.out && !program_.err && !program_.control;
  if (none_left_ && read_out) return true;
  // Something that cannot be killed, or a descriptor in a process that is not ours.
  const auto since = now_ - std::max(*ended_, asked_.value_or(*ended_));
  return none_left_ ? since >= kIdle && now_ - last_output_ >= kIdle
                    : since >= limits_.grace + kUnkillable;
}

Result<ProgramEnd> Watch::Finish() {
  KINETIC_RETURN_IF_ERROR(capture_.Flush());
  end_.peak_memory_bytes = std::max(end_.peak_memory_bytes, memory_.PeakBytes());
  return std::move(end_);
}

}  // namespace kinetic::runner
