#pragma once

#include "command_line/command.h"
#include "settings_names.h"

#include <array>
#include <memory>
#include <optional>
#include <string>

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

}  // namespace kinetic::cli
