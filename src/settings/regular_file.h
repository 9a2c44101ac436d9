#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace kinetic::settings {

/// Reads up to `limit_bytes` of a file that a user names. Does not wait for the other end of a
/// pipe.
///
/// @param named  the file as messages name it.
/// @errors  kNotFound · kInvalidArgument: it cannot be read, or is not a regular file.
Result<std::string> ReadRegularFile(const std::filesystem::path& path, const std::string& named,
                                    std::size_t limit_bytes);

}  // namespace kinetic::settings
