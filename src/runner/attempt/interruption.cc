#include "runner/attempt/interruption.h"

#include "kinetic/try.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// The system clock may jump, so a deadline is checked at least this often.
constexpr milliseconds kDateCheckInterval{5000};

}  // namespace

void PrepareSignals() {
  for (const int ignored : {SIGHUP, SIGINT, SIGPIPE}) ::signal(ignored, SIG_IGN);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
}

std::optional<WallTime> StartDeadline(const record::Record& record) {
  if (!record.spec.timeouts.pending) return std::nullopt;
  return record.created + *record.spec.timeouts.pending;
}

Result<std::unique_ptr<Interruption>> Interruption::Start(const local::Runtime& runtime,
                                                          Clock& clock,
                                                          std::optional<WallTime> start_deadline) {
  std::unique_ptr<Interruption> interruption(
      new Interruption(runtime.CancelRequest(), clock, start_deadline));
  KINETIC_RETURN_IF_ERROR(interruption->Open());
  Interruption* self = interruption.get();
  interruption->thread_ = std::jthread([self](const std::stop_token& stop) { self->Watch(stop); });
  return interruption;
}

Interruption::Interruption(Path cancel_file, Clock& clock, std::optional<WallTime> start_deadline)
    : cancel_file_(std::move(cancel_file)),
      clock_(clock),
      start_deadline_(start_deadline.value_or(WallTime())),
      started_(!start_deadline) {}

Interruption::~Interruption() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

Status Interruption::Open() {
  const Path folder = cancel_file_.parent_path();
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  signals_.Reset(::signalfd(-1, &terminate, SFD_CLOEXEC | SFD_NONBLOCK));
  inotify_.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!wake_ || !signals_ || !inotify_ ||
      ::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
    return Failure(ErrnoError(errno, "watching", folder));
  }
  return {};
}

void Interruption::OnProgramStarted() {
  started_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::SetStartDeadline(WallTime deadline) {
  start_deadline_ = deadline;
  started_ = false;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::Stop(StopReason reason) {
  StopReason none = StopReason::kNone;
  if (reason_.compare_exchange_strong(none, reason)) source_.request_stop();
}

/// Returns whether there is a reason to stop.
bool Interruption::Poll() {
  signalfd_siginfo signal;
  if (::read(signals_.get(), &signal, sizeof signal) > 0) Stop(StopReason::kTerminated);
  std::error_code ignored;
  if (std::filesystem::exists(cancel_file_, ignored)) Stop(StopReason::kCancelled);
  if (!started_ && clock_.Now() >= start_deadline_.load()) Stop(StopReason::kPendingTimeout);
  return reason_ != StopReason::kNone;
}

void Interruption::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested() && !Poll()) {
    milliseconds wait{-1};
    if (!started_) {
      const auto left =
          std::chrono::duration_cast<milliseconds>(start_deadline_.load() - clock_.Now());
      wait = std::clamp(left + milliseconds(1), milliseconds(0), kDateCheckInterval);
    }
    std::array<pollfd, 3> polled{
        {{inotify_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    std::array<char, 4096> dropped;
    while (::read(inotify_.get(), dropped.data(), dropped.size()) > 0) {
    }
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
}

}  // namespace kinetic::runner
