#include "exit_code.h"
#include "program.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

namespace kinetic::cli {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGWINCH}) sigaddset(&set, signal);
  return set;
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

void Signals::OnResize(std::function<void()> resized) {
  const std::lock_guard lock(mutex_);
  resized_ = std::move(resized);
}

void Signals::Loop() {
  const sigset_t watched = WatchedSignals();
  while (!ended_) {
    int signal = 0;
    if (::sigwait(&watched, &signal) != 0) continue;
    if (signal == SIGWINCH) {
      const std::lock_guard lock(mutex_);
      if (resized_ && !ended_) resized_();
      continue;
    }
    if (stop_.stop_requested()) ::_exit(kInterrupted);
    stop_.request_stop();
  }
}

}  // namespace kinetic::cli
