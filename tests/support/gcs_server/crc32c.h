#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// The CRC32C of what `crc` is the sum of, followed by `bytes`; begins with 0.
///
/// @source RFC 3720, appendix B.4: "123456789" gives E3069283.
std::uint32_t Crc32c(std::uint32_t crc, std::string_view bytes);

/// The CRC32C of two pieces from theirs, `second` being of `second_bytes` bytes.
std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// As Google writes it: four bytes, the highest first, in base64.
std::string Crc32cText(std::uint32_t crc);

}  // namespace kinetic::gcs_server
