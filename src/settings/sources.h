#pragma once

#include "kinetic/result.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::settings {

/// The environment of the process. Programs read it at their start.
struct ProcessEnvironment {
  std::map<std::string, std::string> variables;
  std::filesystem::path directory;   ///< the current directory, absolute
  std::filesystem::path executable;  ///< the file of this program
  std::filesystem::path library;     ///< the file that contains this code
  std::string user;
  std::string host;
  std::filesystem::path home;
  bool terminal = false;  ///< stdin and stderr are a terminal, in the foreground

  /// Returns the variable's value, or an empty string if it is not set.
  const std::string& Variable(const std::string& name) const;
};

ProcessEnvironment ReadProcessEnvironment();

/// Returns warnings about unknown KINETIC_ variables, each with the nearest known name. Skips the
/// variables that kinetic sets for jobs, because a job may call kinetic.
std::vector<std::string> UnknownVariables(const ProcessEnvironment& process);

/// A value of the configuration file, with its location.
struct ConfigValue {
  std::string text;
  int line = 0;    ///< from 1; 0 if not read from the file
  int column = 0;  ///< from 1
};

struct ConfigProfile {
  std::string name;
  std::vector<std::pair<std::string, ConfigValue>> values;  ///< by name of the setting

  /// Returns the kind, "local" by default.
  std::string Kind() const;
  const ConfigValue* Find(std::string_view setting) const;
  void Set(std::string_view setting, std::string text);
};

/// The configuration file:
///
///   target: fast                # the profile in use
///   profiles:
///     fast: {kind: local, store: /data/kinetic, concurrency: 4}
struct ConfigFile {
  std::filesystem::path path;
  bool exists = false;
  bool has_comments = false;  ///< other than the first line that ConfigText writes
  std::optional<ConfigValue> target;
  std::vector<ConfigProfile> profiles;  ///< in file order

  const ConfigProfile* Find(std::string_view name) const;
  ConfigProfile* Find(std::string_view name);
};

/// Checks that every setting of a profile has an effect on targets of its kind.
///
/// @errors kInvalidArgument: a setting without an effect.
Status CheckProfile(const ConfigProfile& profile);

/// Parses the text of a configuration file.
///
/// @errors  kInvalidArgument: "config.yaml:3:5: unknown key 'stor'", with the nearest valid name as
///          the hint; also for a duplicate key and for a value of the wrong type.
Result<ConfigFile> ParseConfig(std::string_view text, const std::filesystem::path& path);

/// Reads the configuration file at a path. A missing file is treated as empty.
Result<ConfigFile> ReadConfig(const std::filesystem::path& path);

/// Returns whether the text has comments that ConfigText does not write. A quoted " #" counts as
/// one.
bool HasComments(std::string_view text);

/// Returns text that ParseConfig reads back as the same configuration.
std::string ConfigText(const ConfigFile& config);

/// Reads, changes and atomically replaces the file, which only its owner can read. A lock on its
/// folder serializes concurrent changes.
///
/// @returns  a message if the file had comments, which are not kept, or an empty string. A copy
///          with the comments is kept next to the file, with the suffix ".old".
Result<std::string> ChangeConfig(const std::filesystem::path& path,
                                 const std::function<Status(ConfigFile&)>& change);

}  // namespace kinetic::settings
