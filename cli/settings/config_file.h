#pragma once

#include "kinetic/result.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// A value of the configuration file and where it stands.
struct ConfigValue {
  std::string text;
  int line = 0;    ///< from 1; 0 for one that was not read from the file
  int column = 0;  ///< from 1
};

struct ConfigProfile {
  std::string name;
  std::vector<std::pair<std::string, ConfigValue>> values;  ///< by name of the setting

  /// "local", where nothing else is said.
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
  bool has_comments = false;  ///< beside the line that ConfigText begins with
  std::optional<ConfigValue> target;
  std::vector<ConfigProfile> profiles;  ///< as written

  const ConfigProfile* Find(std::string_view name) const;
  ConfigProfile* Find(std::string_view name);
};

/// Whether all that a profile sets has an effect on targets of its kind.
///
/// @errors kInvalidArgument: which setting has none.
Status CheckProfile(const ConfigProfile& profile);

/// Parses a configuration file's text.
///
/// @errors  kInvalidArgument: "config.yaml:3:5: unknown key 'stor'", with the nearest right name as
///          the hint; also for a key given twice and for a value that is not of its type.
Result<ConfigFile> ParseConfig(std::string_view text, const std::filesystem::path& path);

/// Reads it; a file that is not there is an empty one.
Result<ConfigFile> ReadConfig(const std::filesystem::path& path);

/// Whether the text has comments that ConfigText does not write; a quoted " #" counts as one.
bool HasComments(std::string_view text);

/// The text that ParseConfig reads back as the same.
std::string ConfigText(const ConfigFile& config);

/// Reads, changes and replaces the file, atomically, readable by its owner alone; two at once are
/// kept apart by a lock on its folder.
///
/// @returns  what to tell the user of comments that the file had: they are not kept, but a copy of
///           the file is, beside it with ".old" after its name. Empty where there were none.
Result<std::string> ChangeConfig(const std::filesystem::path& path,
                                 const std::function<Status(ConfigFile&)>& change);

}  // namespace kinetic::cli
