#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// Returns up to `max_bytes` from the start of what zlib (RFC 1950) compressed, or nullopt if the
/// data is damaged. Bytes after the compressed data are ignored.
std::optional<std::string> InflateStart(std::string_view compressed, std::size_t max_bytes);

}  // namespace kinetic
