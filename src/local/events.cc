#include "local/events.h"

#include "base/try.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>

namespace kinetic::local {
namespace {

constexpr std::uint32_t kFolderEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO |
                                        IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;

constexpr int kEndedPollMs = 200;

struct Waker {
  int fd;
  void operator()() const { (void)!::eventfd_write(fd, 1); }
};

/// Takes all events that are waiting; what they were does not matter, the caller looks anew.
void Drain(int inotify) {
  std::array<char, 16384> buffer;
  while (::read(inotify, buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

struct Events::State {
  UniqueFd inotify;
  UniqueFd process;
  UniqueFd stopped;
  bool ended = false;
  std::stop_token stop;
  std::optional<std::stop_callback<Waker>> on_stop;  // last: it must go before `stopped`
};

Events::Events(std::unique_ptr<State> state) : state_(std::move(state)) {}
Events::Events(Events&&) noexcept = default;
Events& Events::operator=(Events&&) noexcept = default;
Events::~Events() = default;

Result<Events> Events::Make(std::stop_token stop) {
  auto state = std::make_unique<State>();
  state->inotify.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!state->inotify) return Failure(ErrnoError(errno, "watching", "files"));
  state->stopped.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!state->stopped) return Failure(ErrnoError(errno, "watching", "a stop request"));
  state->stop = stop;
  state->on_stop.emplace(std::move(stop), Waker{state->stopped.get()});
  return Events(std::move(state));
}

Status Events::WatchFolder(const Path& folder) {
  if (::inotify_add_watch(state_->inotify.get(), folder.c_str(), kFolderEvents) < 0) {
    return Failure(ErrnoError(errno, "watching", folder));
  }
  return {};
}

Status Events::WatchProcess(pid_t process) {
  state_->process.Reset(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (state_->process) return {};
  if (errno != ESRCH) {
    return Failure(ErrnoError(errno, "watching process", std::to_string(process)));
  }
  state_->ended = true;
  return {};
}

Result<Wake> Events::Wait(std::optional<std::chrono::milliseconds> at_most) {
  int patience_ms = at_most ? static_cast<int>(at_most->count()) : -1;
  // Whoever still waits knows of a process that cannot be seen from here: it is looked for.
  if (state_->ended) patience_ms = kEndedPollMs;
  for (;;) {
    if (state_->stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped while waiting for a job");
    }
    std::array<struct pollfd, 3> polled{{{state_->inotify.get(), POLLIN, 0},
                                         {state_->ended ? -1 : state_->process.get(), POLLIN, 0},
                                         {state_->stopped.get(), POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), patience_ms);
    if (ready < 0) {
      if (errno == EINTR) continue;
      return Failure(ErrnoError(errno, "waiting for", "a job"));
    }
    Wake wake{.changed = false, .ended = state_->ended};
    if (ready == 0) return wake;
    if (polled[0].revents != 0) {
      Drain(state_->inotify.get());
      wake.changed = true;
    }
    if (polled[1].revents != 0) wake.ended = state_->ended = true;
    if (wake.changed || wake.ended) return wake;
  }
}

}  // namespace kinetic::local
