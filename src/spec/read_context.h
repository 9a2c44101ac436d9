#pragma once

#include "kinetic/job_file.h"

#include "base/file_system.h"
#include "json/yaml.h"
#include "spec/check.h"
#include "spec/diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::spec {

/// What the readers of a job file share. They skip what has not the right kind: CheckShape has
/// reported it.
struct ReadContext {
  Diagnostics& diagnostics;
  Positions& positions;
  const JobFileOptions& options;
  FileSystem& fs;
  Path file_directory;  ///< absolute; where paths in the file start

  /// The path of a node, absolute and normal; what the command line gave starts at
  /// options.directory.
  Path AbsolutePath(const json::YamlNode& node) const;
};

/// The member `key` of a map; null when there is none.
const json::YamlNode* Find(const json::YamlNode& map, std::string_view key);

/// A scalar's text when it is a string, or, `as_written`, a number or boolean.
std::optional<std::string> TextOf(const json::YamlNode* node, bool as_written = false);
std::optional<std::int64_t> IntOf(const json::YamlNode* node);
std::optional<bool> BoolOf(const json::YamlNode* node);
std::vector<std::string> TextsOf(const json::YamlNode* node, bool as_written = false);

}  // namespace kinetic::spec
