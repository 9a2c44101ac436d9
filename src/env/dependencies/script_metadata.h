#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::env {

/// Returns the TOML text between `# /// script` and `# ///` in a Python file, or nullopt.
///
/// @errors  kInvalidArgument: several such blocks.
/// @source  https://packaging.python.org/en/latest/specifications/inline-script-metadata/
Result<std::optional<std::string>> ExtractScriptMetadata(std::string_view python);

}  // namespace kinetic::env
