#pragma once

#include "base/files/file_system.h"
#include "base/process/subprocess.h"
#include "local/private_mounts.h"

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// A program to start.
struct Program {
  std::vector<std::string> argv;  ///< argv[0] is a path, or a name to find in environment's PATH
  std::map<std::string, std::string> environment;  ///< complete; nothing is inherited
  Path working_directory;
  Path exchange;              ///< if not empty: it gets a control pipe as descriptor 3
  bool calls_python = false;  ///< argv[0] is the Python that calls a function
  bool awaits_calls = false;  ///< it reads requests from the control descriptor: a socket
  Path cgroup_entry;          ///< cgroup.procs file to enter before it starts; may be empty
  std::optional<local::PrivateMounts> mounts = {};  ///< that only the program sees
};

/// Descriptor of the control pipe.
inline constexpr int kControlDescriptor = 3;
/// File in Program::exchange with later messages of a program that has closed this descriptor.
inline constexpr std::string_view kControlFile = "messages";

/// A started program, the leader of its own session. It is killed when the thread that started it
/// ends.
struct RunningProgram {
  pid_t pid = 0;
  UniqueFd process;  ///< pidfd; empty if the kernel has none
  UniqueFd out;      ///< reading ends, non-blocking
  UniqueFd err;
  UniqueFd control;  ///< empty without Program::exchange; a socket if Program::awaits_calls
};

/// Starts a program with /dev/null as its standard input.
///
/// @errors   kNotFound (no such program or interpreter) · kPermissionDenied (not executable) ·
///           kResourceExhausted · kUnavailable; the message names the program.
/// @threads  call from a thread that outlives the program.
Result<RunningProgram> StartProgram(const Program& program);

}  // namespace kinetic::runner
