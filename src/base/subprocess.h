#pragma once

#include "base/file_system.h"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// How a program ended.
struct ExitStatus {
  int code = 0;    ///< 0–255; meaningless when `signal` is set
  int signal = 0;  ///< the signal that ended it, or 0
  bool Succeeded() const { return code == 0 && signal == 0; }
  /// The shell's convention: the code, or 128 + signal.
  int ShellCode() const { return signal != 0 ? 128 + signal : code; }
};

/// A program to run to its end, in a process group of its own. It is killed
/// when the thread that runs it ends, be it with its whole process.
struct Subprocess {
  std::vector<std::string>
      argv;  ///< argv[0] is a path, or a name that is looked up in `search_path`
  std::map<std::string, std::string> environment;  ///< all of it; nothing is inherited
  Path working_directory;                          ///< empty: the caller's
  std::string search_path;                         ///< as in PATH
  /// Called with each piece of stdout and stderr as it comes; may be empty (then it is dropped).
  std::function<void(std::string_view)> on_stdout;
  std::function<void(std::string_view)> on_stderr;
  /// It has the caller's standard input and error, and the terminal for as long as it runs: Ctrl-C
  /// ends it and not the caller. on_stderr hears nothing.
  bool terminal = false;
  std::string input = {};  ///< all that it reads from stdin, unless it has the terminal
};

/// Runs a program and waits for it. A stop request sends SIGTERM, then after five seconds SIGKILL,
/// to the whole process group.
///
/// @returns  how it ended, whatever the exit code.
/// @errors   kNotFound (no such program) · kPermissionDenied (not executable) · kCancelled ·
///           kResourceExhausted (no processes left).
/// @threads  safe to call concurrently.
Result<ExitStatus> Run(const Subprocess& subprocess, std::stop_token stop);

/// The executable file `name` in the folders of `search_path` ("a:b:c").
std::optional<Path> FindExecutable(std::string_view name, std::string_view search_path);

}  // namespace kinetic
