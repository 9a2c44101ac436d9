#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// A file, link or empty folder of a bundle.
struct BundleEntry {
  enum class Type : std::uint8_t { kFile, kSymlink, kEmptyFolder };
  std::string path;  ///< relative to the root, '/'-separated; bytes, not necessarily UTF-8
  Type type = Type::kFile;
  bool executable = false;
  std::uint64_t size_bytes = 0;
  std::string link_target;
};

/// The content of a bundle, with warnings.
struct BundleListing {
  std::filesystem::path root;
  std::string root_reason;           ///< why this root: "has pyproject.toml", "bundle.root"
  std::vector<BundleEntry> entries;  ///< by path
  std::uint64_t total_bytes = 0;
  std::vector<std::string>
      warnings;  ///< file names that look like secrets; sockets, which are left out
};

struct BundleChange {
  enum class Kind : std::uint8_t { kAdded, kRemoved, kModified };
  Kind kind = Kind::kAdded;
  std::string path;
  std::uint64_t size_bytes = 0;  ///< new size; 0 when removed
};

/// The changes since an earlier bundle.
struct BundleDifference {
  std::string since;  ///< the job of the earlier bundle
  std::string old_digest;
  std::string new_digest;
  std::vector<BundleChange> changes;  ///< by path
};

}  // namespace kinetic::inline v0
