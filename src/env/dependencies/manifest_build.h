#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "env/dependencies/manifest.h"
#include "env/dependencies/urls.h"

#include <cstdint>
#include <string>

namespace kinetic::env {

/// Dependency files are smaller.
inline constexpr std::uint64_t kMaxDependencyFileBytes = 16ULL << 20;

/// The state of reading a manifest.
struct ManifestBuild {
  FileSystem& fs;
  UrlReader& urls;
  Manifest& manifest;
  const UrlVariables& variables;
};

/// Reads a text file, and keeps it for positions in messages.
Result<std::string> ReadDependencyText(ManifestBuild& build, const Path& path);

}  // namespace kinetic::env
