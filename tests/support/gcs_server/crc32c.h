#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Returns the CRC32C of bytes with checksum `crc`, followed by `bytes`. Starts with 0.
///
/// @source RFC 3720, appendix B.4: "123456789" gives E3069283.
std::uint32_t Crc32c(std::uint32_t crc, std::string_view bytes);

/// Combines the CRC32C of two pieces; the second has `second_bytes` bytes.
std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// Formats as Google does: four bytes, big-endian, in base64.
std::string Crc32cText(std::uint32_t crc);

}  // namespace kinetic::gcs_server
