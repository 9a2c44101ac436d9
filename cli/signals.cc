#include "signals.h"

#include "exit_code.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

namespace kinetic::cli {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGWINCH}) sigaddset(&set, signal);
  return set;
}

/// How long a command may take to end after SIGTERM, for example to undo a submission. It may be
/// blocked in a system call.
constexpr std::chrono::seconds kTerminationTime{10};

/// Signals that arrive within this time are one: `timeout` signals its child and then the group.
constexpr std::chrono::seconds kRepeatTime{1};

using Clock = std::chrono::steady_clock;

/// Returns the next signal, or nullopt if `end` passes first.
std::optional<int> NextSignal(const sigset_t& watched,
                              const std::optional<Clock::time_point>& end) {
  if (!end) {
    int signal = 0;
    return ::sigwait(&watched, &signal) == 0 ? signal : SIGWINCH;
  }
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(*end - Clock::now());
  if (left.count() <= 0) return std::nullopt;
  const timespec wait{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  const int signal = ::sigtimedwait(&watched, nullptr, &wait);
  if (signal < 0 && errno == EAGAIN) return std::nullopt;
  return signal < 0 ? SIGWINCH : signal;
}

}  // namespace

Signals::Signals() {
  const sigset_t watched = WatchedSignals();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { Loop(); });
}

Signals::~Signals() {
  ended_ = true;
  ::pthread_kill(thread_.native_handle(), SIGWINCH);
  thread_.join();
}

void Signals::ReraiseInterrupt() const {
  if (first_signal_ != SIGINT) return;
  ::signal(SIGINT, SIG_DFL);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  ::pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  ::raise(SIGINT);
}

void Signals::OnResize(std::function<void()> resized) {
  const std::lock_guard lock(mutex_);
  resized_ = std::move(resized);
}

void Signals::SetLastWords(std::string words) {
  const std::lock_guard lock(mutex_);
  last_words_ = std::move(words);
}

void Signals::Leave() {
  {
    const std::lock_guard lock(mutex_);
    (void)!::write(STDERR_FILENO, last_words_.data(), last_words_.size());
  }
  ReraiseInterrupt();
  ::_exit(kInterrupted);
}

void Signals::Loop() {
  const sigset_t watched = WatchedSignals();
  std::optional<Clock::time_point> end;
  Clock::time_point repeats_until;
  while (!ended_) {
    const auto signal = NextSignal(watched, end);
    if (signal == SIGWINCH) {
      const std::lock_guard lock(mutex_);
      if (resized_ && !ended_) resized_();
      continue;
    }
    const bool is_first = !stop_.stop_requested();
    if (!signal) Leave();
    if (!is_first && Clock::now() < repeats_until) continue;
    if (!is_first) Leave();
    first_signal_ = *signal;
    repeats_until = Clock::now() + kRepeatTime;
    if (signal == SIGTERM) end = Clock::now() + kTerminationTime;
    stop_.request_stop();
  }
}

}  // namespace kinetic::cli
