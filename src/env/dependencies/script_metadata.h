#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::env {

/// The TOML text between `# /// script` and `# ///` in a Python file, or nothing.
///
/// @errors  kInvalidArgument: more than one such block.
/// @source  https://packaging.python.org/en/latest/specifications/inline-script-metadata/
Result<std::optional<std::string>> ScriptMetadata(std::string_view python);

}  // namespace kinetic::env
