#pragma once

#include <sys/types.h>

namespace kinetic {

/// All that a child needs between fork and exec, made before: it may not allocate.
struct WatchedChild {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;  ///< empty: the parent's
  int in;                 ///< -1: /dev/null
  int out, err;
  bool terminal;  ///< its group becomes the one that the terminal on 0 listens to
  int report;     ///< gets the errno (an int) of a program that could not begin
  pid_t parent;   ///< of the process that runs this
};

/// Called in a child right after fork: runs the program in a process group of its own, and ends as
/// it does. When the parent dies, all of the group is killed, the program's own children too: the
/// kernel tells a process of its parent's death, but not those below it, so the child stays
/// between.
[[noreturn]] void RunWatched(const WatchedChild& child);

}  // namespace kinetic
