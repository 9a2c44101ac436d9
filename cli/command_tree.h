#pragma once

#include "command_line/command.h"
#include "settings/settings.h"

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
  bool version = false;
  int verbose = 0;

  /// The settings given, -v and -q among them.
  SettingFlags Flags() const;
};

/// The command line of kinetic.
///
/// @param options  receives the values; outlives the tree.
std::unique_ptr<Command> BuildCommandTree(GlobalOptions& options);

}  // namespace kinetic::cli
