#include "runner/attempt/interruption.h"

#include "kinetic/try.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// Time between two checks without a signal.
constexpr milliseconds kPollInterval{250};

/// SIGCONT has no other effect on a process that runs.
sigset_t WatchedSignals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGTERM, SIGCONT}) sigaddset(&watched, signal);
  return watched;
}

}  // namespace

void PrepareSignals() {
  for (const int ignored : {SIGHUP, SIGINT, SIGPIPE}) ::signal(ignored, SIG_IGN);
  const sigset_t watched = WatchedSignals();
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
}

int AwaitWatchedSignal(milliseconds timeout) {
  const sigset_t watched = WatchedSignals();
  const timespec wait{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
  return ::sigtimedwait(&watched, nullptr, &wait);
}

int AwaitSignalOrChild(milliseconds timeout) {
  sigset_t watched = WatchedSignals();
  sigaddset(&watched, SIGCHLD);
  const timespec wait{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
  return ::sigtimedwait(&watched, nullptr, &wait);
}

std::optional<SteadyTime> StartDeadline(const record::Record& record, const Clock& clock) {
  if (!record.spec.timeouts.pending) return std::nullopt;
  return clock.Steady() + *record.spec.timeouts.pending;
}

Result<std::unique_ptr<Interruption>> Interruption::Start(const local::Runtime& runtime,
                                                          Clock& clock,
                                                          std::optional<SteadyTime> start_deadline,
                                                          std::optional<local::Pulse> pulse) {
  std::unique_ptr<Interruption> interruption(
      new Interruption(runtime.CancelRequest(), clock, start_deadline, std::move(pulse)));
  KINETIC_RETURN_IF_ERROR(interruption->Open());
  interruption->Poll();
  Interruption* self = interruption.get();
  interruption->thread_ = std::jthread([self](const std::stop_token& stop) { self->Watch(stop); });
  return interruption;
}

Interruption::Interruption(Path cancel_file, Clock& clock, std::optional<SteadyTime> start_deadline,
                           std::optional<local::Pulse> pulse)
    : cancel_file_(std::move(cancel_file)),
      clock_(clock),
      start_deadline_(start_deadline.value_or(SteadyTime())),
      started_(!start_deadline),
      pulse_(std::move(pulse)) {}

Interruption::~Interruption() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

Status Interruption::Open() {
  const sigset_t watched = WatchedSignals();
  wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  signals_.Reset(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!wake_ || !signals_) return Failure(ErrnoError(errno, "watching", cancel_file_));
  return {};
}

void Interruption::OnProgramStarted() {
  started_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::SetStartDeadline(SteadyTime deadline) {
  start_deadline_ = deadline;
  started_ = false;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::SetOnRequest(std::function<void()> on_request) {
  const std::lock_guard lock(mutex_);
  on_request_ = std::move(on_request);
}

void Interruption::Stop(StopReason reason) {
  StopReason none = StopReason::kNone;
  if (reason_.compare_exchange_strong(none, reason)) source_.request_stop();
}

void Interruption::Poll() {
  signalfd_siginfo signal;
  while (::read(signals_.get(), &signal, sizeof signal) > 0) {
    if (signal.ssi_signo == SIGTERM) {
      terminated_ = true;
      Stop(StopReason::kTerminated);
    }
    const std::lock_guard lock(mutex_);
    if (signal.ssi_signo == SIGCONT && on_request_) on_request_();
  }
  std::error_code ignored;
  if (std::filesystem::exists(cancel_file_, ignored)) Stop(StopReason::kCancelled);
  if (!started_ && clock_.Steady() >= start_deadline_.load()) Stop(StopReason::kPendingTimeout);
  if (pulse_ && !pulse_->Beat()) Stop(StopReason::kFolderRemoved);
}

void Interruption::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Poll();
    // With a reason to stop, only the pulse is left to do.
    milliseconds wait = kPollInterval;
    if (!started_ && reason_ == StopReason::kNone) {
      const auto left = std::chrono::ceil<milliseconds>(start_deadline_.load() - clock_.Steady());
      wait = std::clamp(left, milliseconds(0), kPollInterval);
    }
    std::array<pollfd, 2> polled{{{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
}

}  // namespace kinetic::runner
