#include "local/event_waiter.h"

#include "kinetic/try.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace kinetic::local {
namespace {

constexpr std::uint32_t kFolderEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO |
                                        IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;

constexpr int kEndedPollMs = 200;

/// How long and how often a new EventWaiter reports possible changes, and how often one without
/// inotify does.
constexpr std::chrono::milliseconds kPollTime{100};
constexpr int kPollMs = 1;
constexpr int kSlowPollMs = 50;

/// Discards the pending events. The caller reads the state again.
void Drain(int inotify) {
  std::array<char, 16384> buffer;
  while (::read(inotify, buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

struct EventWaiter::State {
  struct Waker {
    int fd;
    void operator()() const { (void)!::eventfd_write(fd, 1); }
  };

  bool AddWatch(const Path& folder) const {
    return ::inotify_add_watch(inotify.get(), folder.c_str(), kFolderEvents) >= 0 ||
           errno == ENOENT;  // it was removed meanwhile
  }

  /// Uses inotify from now on, if possible.
  void StartWatching() {
    inotify.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (inotify && std::ranges::all_of(folders, [this](const Path& f) { return AddWatch(f); }))
      return;
    PollSlowly();
  }

  void PollSlowly() {
    inotify.Reset();
    poll_ms = kSlowPollMs;
  }

  bool Polls() const { return !folders.empty() && !inotify; }
  bool PollsAtFirst() const { return Polls() && poll_ms == kPollMs; }

  const std::chrono::steady_clock::time_point polls_until =
      std::chrono::steady_clock::now() + kPollTime;
  int poll_ms = kPollMs;
  std::vector<Path> folders;
  UniqueFd inotify;  ///< opened after `polls_until`
  UniqueFd process;
  UniqueFd stopped;
  bool ended = false;
  std::stop_token stop;
  std::optional<std::stop_callback<Waker>> on_stop;  // last: it uses `stopped`
};

EventWaiter::EventWaiter(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventWaiter::EventWaiter(EventWaiter&&) noexcept = default;
EventWaiter& EventWaiter::operator=(EventWaiter&&) noexcept = default;
EventWaiter::~EventWaiter() = default;

Result<EventWaiter> EventWaiter::Make(std::stop_token stop) {
  auto state = std::make_unique<State>();
  state->stopped.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!state->stopped) return Failure(ErrnoError(errno, "watching", "a stop request"));
  state->stop = stop;
  state->on_stop.emplace(std::move(stop), State::Waker{state->stopped.get()});
  return EventWaiter(std::move(state));
}

Status EventWaiter::WatchFolder(const Path& folder) {
  if (::access(folder.c_str(), R_OK) < 0) return Failure(ErrnoError(errno, "watching", folder));
  state_->folders.push_back(folder);
  if (state_->inotify && !state_->AddWatch(folder)) state_->PollSlowly();
  return {};
}

Status EventWaiter::WatchProcess(pid_t process) {
  state_->process.Reset(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (state_->process) return {};
  if (errno != ESRCH) {
    return Failure(ErrnoError(errno, "watching process", std::to_string(process)));
  }
  state_->ended = true;
  return {};
}

Result<WakeReason> EventWaiter::Wait(std::optional<std::chrono::milliseconds> timeout) {
  int timeout_ms = timeout ? static_cast<int>(timeout->count()) : -1;
  // A caller that still waits polls for processes that cannot be watched.
  if (state_->ended) timeout_ms = kEndedPollMs;
  if (state_->PollsAtFirst() && std::chrono::steady_clock::now() >= state_->polls_until) {
    state_->StartWatching();
    return WakeReason{.changed = true, .ended = state_->ended};
  }
  const bool polls = state_->Polls();
  if (polls) timeout_ms = state_->poll_ms;
  for (;;) {
    if (state_->stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped while waiting for a job");
    }
    std::array<struct pollfd, 3> polled{{{state_->inotify.get(), POLLIN, 0},
                                         {state_->ended ? -1 : state_->process.get(), POLLIN, 0},
                                         {state_->stopped.get(), POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), timeout_ms);
    if (ready < 0) {
      if (errno == EINTR) continue;
      return Failure(ErrnoError(errno, "waiting for", "a job"));
    }
    WakeReason reason{.changed = polls, .ended = state_->ended};
    if (ready == 0) return reason;
    if (polled[0].revents != 0) {
      Drain(state_->inotify.get());
      reason.changed = true;
    }
    if (polled[1].revents != 0) reason.ended = state_->ended = true;
    if (reason.changed || reason.ended) return reason;
  }
}

}  // namespace kinetic::local
