#pragma once

#include "base/files/file_system.h"

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace kinetic::local {

struct WakeReason {
  bool changed = false;  ///< a watched folder changed, or may have changed
  bool ended = false;    ///< the watched process has ended
};

/// Waits for a change in watched folders, the end of a process or a stop request. At first, it
/// reports a possible change every millisecond. Then it uses inotify, because closing an inotify
/// instance takes about 15 ms, which is longer than many jobs. Without inotify, whose instances and
/// watches are limited, it reports a possible change every 50 ms.
///
/// @threads  one thread at a time; any thread may request the stop.
class EventWaiter {
 public:
  /// @errors  kResourceExhausted (descriptors).
  static Result<EventWaiter> Make(std::stop_token stop);
  EventWaiter(EventWaiter&&) noexcept;
  EventWaiter& operator=(EventWaiter&&) noexcept;
  ~EventWaiter();

  /// Watches for created, written, renamed and removed entries of a folder.
  ///
  /// @errors  kNotFound.
  Status WatchFolder(const Path& folder);

  /// Watches a process, which may already have ended.
  Status WatchProcess(pid_t process);

  /// Waits for an event, or until the timeout if one is given.
  ///
  /// @errors  kCancelled.
  Result<WakeReason> Wait(std::optional<std::chrono::milliseconds> timeout = {});

 private:
  struct State;
  explicit EventWaiter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::local
