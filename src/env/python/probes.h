#pragma once

#include "kinetic/value.h"

#include "env/install/tool_options.h"

#include <string>

namespace kinetic::env {

/// What Python executables answered when they were asked for their version, by path and identity on
/// disk: {cache_dir}/pythons.json. Without a cache folder nothing is remembered.
class PythonProbes {
 public:
  explicit PythonProbes(const ToolOptions& tools);

  /// What changes when the executable is another one; empty where there is none.
  std::string Identity(const Path& path) const;

  /// The version that it answered with that identity; empty when it has not been asked.
  std::string Find(const Path& path, const std::string& identity) const;

  /// Failing to keep it only costs time.
  void Keep(const Path& path, const std::string& identity, const std::string& version);

 private:
  FileSystem& fs_;
  Path path_;
  Value value_;
};

}  // namespace kinetic::env
