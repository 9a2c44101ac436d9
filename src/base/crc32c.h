#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic {

/// CRC-32C (Castagnoli) in pieces: the checksum that Cloud Storage keeps of every object.
///
/// @source RFC 3720, appendix B.4; "123456789" is E3069283
class Crc32c {
 public:
  Crc32c() = default;
  explicit Crc32c(std::uint32_t value) : value_(value) {}

  Crc32c& Update(std::string_view bytes);
  std::uint32_t value() const { return value_; }

  /// The sum of two pieces of which this is the first and `next`, of `next_bytes`, the second.
  Crc32c Followed(Crc32c next, std::uint64_t next_bytes) const;

  /// As Cloud Storage writes it: four bytes, the highest first, in base64.
  std::string Base64() const;

  bool operator==(const Crc32c&) const = default;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace kinetic
