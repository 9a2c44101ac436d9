#pragma once

#include "base/file_system.h"
#include "base/subprocess.h"

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A program to start.
struct Program {
  std::vector<std::string> argv;  ///< argv[0] is a path, or a name looked up in environment's PATH
  std::map<std::string, std::string> environment;  ///< all of it; nothing is inherited
  Path working_directory;
  bool control = false;  ///< descriptor 3 is the way to the launcher
  Path cgroup_entry;     ///< cgroup.procs to enter before the program begins; empty: none
};

/// Descriptor of the control pipe in a program that has one.
inline constexpr int kControlDescriptor = 3;

/// A program that has been started, the leader of a session of its own. It dies with the thread
/// that started it, if that is killed.
struct RunningProgram {
  pid_t pid = 0;
  UniqueFd process;  ///< a pidfd; empty where there is none
  UniqueFd out;      ///< reading ends, non-blocking
  UniqueFd err;
  UniqueFd control;  ///< empty without
};

/// Starts a program with /dev/null as its standard input.
///
/// @errors   kNotFound (no such program or interpreter) · kPermissionDenied (not executable) ·
///           kResourceExhausted · kUnavailable; the message names the program.
/// @threads  call from a thread that outlives the program: its death is the program's.
Result<RunningProgram> StartProgram(const Program& program);

}  // namespace kinetic::runner
