#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What uv's comments in a requirements file report about a package.
struct Annotation {
  /// Normalized names of the packages that require it, and what else uv reports: "-r
  /// requirements.txt", or "project (pyproject.toml)".
  std::vector<std::string> via;
  std::string index;  ///< URL without credentials; empty: not reported
};

/// Reads the output of `uv pip compile` or `uv export` in the format of requirements files.
///
/// @returns  annotations by normalized name.
std::map<std::string, Annotation> ReadAnnotations(std::string_view text);

}  // namespace kinetic::env
