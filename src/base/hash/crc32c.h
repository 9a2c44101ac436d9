#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic {

/// Computes CRC-32C (Castagnoli) incrementally. Cloud Storage keeps this checksum for every object.
///
/// @source RFC 3720, appendix B.4; "123456789" is E3069283
class Crc32c {
 public:
  Crc32c() = default;
  explicit Crc32c(std::uint32_t value) : value_(value) {}

  Crc32c& Update(std::string_view bytes);
  std::uint32_t value() const { return value_; }

  /// Returns the checksum of these bytes followed by `next_bytes` bytes with the checksum `next`.
  Crc32c Concat(Crc32c next, std::uint64_t next_bytes) const;

  /// Encodes the checksum as Cloud Storage does: four bytes, big-endian, in base64.
  std::string Base64() const;

  bool operator==(const Crc32c&) const = default;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace kinetic
