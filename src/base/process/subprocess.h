#pragma once

#include "base/files/file_system.h"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// The exit status of a program.
struct ExitStatus {
  int code = 0;    ///< 0–255; meaningless when `signal` is set
  int signal = 0;  ///< the signal that killed it, or 0
  bool Succeeded() const { return code == 0 && signal == 0; }
  /// Returns the code, or 128 + signal, as shells do.
  int ShellCode() const { return signal != 0 ? 128 + signal : code; }
};

/// A program to run in a process group of its own. It is killed when the thread that runs it, or
/// the whole process, ends.
struct Subprocess {
  std::vector<std::string> argv;  ///< argv[0] is a path, or a name to find in `search_path`
  std::map<std::string, std::string>
      environment;          ///< the complete environment; nothing is inherited
  Path working_directory;   ///< empty: the caller's
  std::string search_path;  ///< as in PATH
  /// Called with each piece of output as it arrives. If empty, the output is discarded.
  std::function<void(std::string_view)> on_stdout;
  std::function<void(std::string_view)> on_stderr;
  /// Gives the program the caller's standard input and error, and the terminal: Ctrl-C interrupts
  /// it and not the caller. on_stderr is not called.
  bool terminal = false;
  std::string input = {};  ///< its standard input, unless `terminal` is set
};

/// Runs a program and waits for it. A stop request sends SIGTERM, then after five seconds SIGKILL,
/// to the whole process group.
///
/// @returns  the exit status, whatever the code.
/// @errors   kNotFound (no such program) · kPermissionDenied (not executable) · kCancelled ·
///           kResourceExhausted (no processes left).
/// @threads  safe to call concurrently.
Result<ExitStatus> Run(const Subprocess& subprocess, std::stop_token stop);

/// Finds the executable file `name` in the folders of `search_path` ("a:b:c").
std::optional<Path> FindExecutable(std::string_view name, std::string_view search_path);

}  // namespace kinetic
