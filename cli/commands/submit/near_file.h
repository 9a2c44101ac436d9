#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// The hint for a file that does not exist.
inline constexpr std::string_view kMissingPathHint =
    "check the path; 'kinetic bundle ls' lists the files of a job";

/// Returns the hint with the file whose name is nearly that of a missing one, or nullopt.
std::optional<std::string> NearFileHint(const std::filesystem::path& missing,
                                        const std::filesystem::path& directory);

}  // namespace kinetic::cli
