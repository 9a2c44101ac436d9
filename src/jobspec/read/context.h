#pragma once

#include "kinetic/job_file.h"

#include "base/files/file_system.h"
#include "jobspec/diagnostics.h"
#include "jobspec/schema/check.h"
#include "json/yaml.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::jobspec {

/// Shared by the readers of a job file. They skip values of the wrong kind, which CheckShape
/// reports.
struct ReadContext {
  Diagnostics& diagnostics;
  Positions& positions;
  const JobFileOptions& options;
  FileSystem& fs;
  Path file_directory;  ///< absolute; base of the paths in the file

  /// Returns a node's path, absolute and normalized. Paths from options are relative to
  /// options.directory.
  Path AbsolutePath(const json::YamlNode& node) const;
};

/// Returns the value of `key`; null if absent.
const json::YamlNode* Find(const json::YamlNode& map, std::string_view key);

/// Returns a scalar's text if it is a string or, with `as_written`, a number or boolean.
std::optional<std::string> TextOf(const json::YamlNode* node, bool as_written = false);
std::optional<std::int64_t> IntOf(const json::YamlNode* node);
std::optional<bool> BoolOf(const json::YamlNode* node);
std::vector<std::string> TextsOf(const json::YamlNode* node, bool as_written = false);

}  // namespace kinetic::jobspec
