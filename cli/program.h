#pragma once

#include "command_line/command.h"
#include "settings/resolved.h"
#include "settings/sources.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::cli {

/// The options that every command takes.
struct GlobalOptions {
  std::array<std::optional<std::string>, kSettingCount> settings;
  bool json = false;
  bool quiet = false;
  bool utc = false;
  bool version = false;
  int verbose = 0;

  /// Returns the settings that were given, including -v and -q.
  SettingFlags Flags() const;
};

/// Builds the command line of kinetic.
///
/// @param options  receives the values; must outlive the tree.
std::unique_ptr<Command> BuildCommandTree(GlobalOptions& options);

/// Turns SIGINT and SIGTERM into a stop request. The second signal ends the process at once, with
/// exit code 130. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
///
/// Create this object before any other thread, so that all threads block these signals.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token Interrupted() const { return stop_.get_token(); }
  /// Sets the function to call, from a separate thread, when the terminal size changes. An empty
  /// function removes it.
  void OnResize(std::function<void()> resized);

 private:
  void Loop();

  std::stop_source stop_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::function<void()> resized_;
  std::thread thread_;
};

/// Runs the program: parses the arguments, resolves the settings, runs the command and reports
/// errors.
///
/// @param arguments  without the program name.
/// @returns          the exit code.
int RunProgram(const std::vector<std::string>& arguments, const ProcessEnvironment& process,
               Signals& signals);

}  // namespace kinetic::cli
