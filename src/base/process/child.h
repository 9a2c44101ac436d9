#pragma once

#include "kinetic/result.h"

#include "base/files/unique_fd.h"

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>

namespace kinetic {

/// Both ends of a pipe. Neither is inherited by programs.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe();

/// Unblocks all signals and restores their default actions. Async-signal-safe: for use between fork
/// and exec.
void ResetSignals();

/// Owns the two objects that posix_spawn takes. The child starts with no signal blocked and all
/// signals at their default action.
class SpawnAttributes {
 public:
  /// @param flags  additional flags: POSIX_SPAWN_SETPGROUP, POSIX_SPAWN_SETSID.
  explicit SpawnAttributes(int flags);
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes();

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// The parameters of RunWatched. They are prepared before fork because the child must not allocate.
struct WatchedChild {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;  ///< empty: the parent's
  int in;                 ///< -1: /dev/null
  int out, err;
  bool terminal;  ///< makes the child's process group the foreground group of the terminal on 0
  int report;     ///< receives the errno (an int) if the program cannot be started
  pid_t parent;   ///< the process that called fork
};

/// Runs a program in a process group of its own and exits as it does. Call it in the child right
/// after fork.
///
/// The calling process stays between the parent and the program: if the parent dies, it kills the
/// whole group, including the program's own children. The kernel notifies only direct children of a
/// parent's death.
[[noreturn]] void RunWatched(const WatchedChild& child);

}  // namespace kinetic
