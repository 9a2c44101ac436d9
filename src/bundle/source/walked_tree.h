#pragma once

#include "kinetic/bundle.h"

#include "base/files/file_system.h"

#include <string>
#include <vector>

namespace kinetic::bundle {

/// One thing that is to travel, as it lies on this machine.
struct SourceEntry {
  std::string path;  ///< relative to the root, '/'-separated; bytes, not necessarily UTF-8
  BundleEntry::Type type = BundleEntry::Type::kFile;
  bool executable = false;  ///< of a file: its owner may execute it
  std::string link_target;  ///< of a symbolic link: relative, stays inside the root
  FileStatus status;        ///< of a file only
};

/// What is to travel: files, symbolic links, and folders of which nothing else travels.
struct SourceTree {
  Path root;                         ///< absolute, without symbolic links
  std::string root_reason;           ///< "has pyproject.toml"
  std::vector<SourceEntry> entries;  ///< by path, bytewise
  std::vector<std::string> warnings;
};

}  // namespace kinetic::bundle
