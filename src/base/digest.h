#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic {

/// A SHA-256 digest: 32 bytes, ordered and hashable, written as 64 lower-case hex digits.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  std::string Hex() const;
  /// Exactly 64 hex digits, or nothing.
  static std::optional<Digest> FromHex(std::string_view hex);
  /// Exactly 32 bytes, or nothing.
  static std::optional<Digest> FromBytes(std::string_view bytes);
  std::string_view View() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  auto operator<=>(const Digest&) const = default;
};

/// SHA-256 in pieces.
///
/// @threads  one thread at a time.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  Sha256& Update(std::string_view bytes);
  /// The digest of what was given; more may follow.
  Digest SoFar() const;
  /// The digest of all that was given; the object starts anew.
  Digest Finish();

  static Digest Of(std::string_view bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Lower-case hex of any bytes.
std::string ToHex(std::string_view bytes);

}  // namespace kinetic

template <>
struct std::hash<kinetic::Digest> {
  std::size_t operator()(const kinetic::Digest& digest) const noexcept {
    std::size_t value = 0;  // a digest is uniform already: any eight bytes will do
    for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | digest.bytes[i];
    return value;
  }
};
