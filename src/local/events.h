#pragma once

#include "base/files/file_system.h"

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace kinetic::local {

/// What woke a waiter.
struct Wake {
  bool changed = false;  ///< something happened in a watched folder
  bool ended = false;    ///< the watched process is gone
};

/// Waits for whichever comes first: a change in a watched folder, the end of a process, a stop
/// request. Nothing is polled.
///
/// @threads  one thread at a time; the stop request may come from any.
class Events {
 public:
  /// @errors  kResourceExhausted (descriptors, inotify instances).
  static Result<Events> Make(std::stop_token stop);
  Events(Events&&) noexcept;
  Events& operator=(Events&&) noexcept;
  ~Events();

  /// Watches the entries of a folder: made, written, renamed, removed.
  /// @errors  kNotFound · kResourceExhausted (inotify watches).
  Status WatchFolder(const Path& folder);

  /// Watches a process. One that is gone already counts as ended.
  Status WatchProcess(pid_t process);

  /// Waits, at most so long when that is given. @errors kCancelled.
  Result<Wake> Wait(std::optional<std::chrono::milliseconds> at_most = {});

 private:
  struct State;
  explicit Events(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::local
