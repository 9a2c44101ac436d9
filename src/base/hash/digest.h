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

/// A SHA-256 digest.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  /// Returns 64 lower-case hex digits.
  std::string Hex() const;
  /// Parses exactly 64 hex digits, or returns nullopt.
  static std::optional<Digest> FromHex(std::string_view hex);
  /// Copies exactly 32 bytes, or returns nullopt.
  static std::optional<Digest> FromBytes(std::string_view bytes);
  std::string_view View() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  auto operator<=>(const Digest&) const = default;
};

/// Keeps OpenSSL usable while the program exits, because threads of the library may still run then.
/// Has an effect only before the first use of OpenSSL in the process.
void KeepOpenSslAtExit();

/// Computes SHA-256 incrementally. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  Sha256& Update(std::string_view bytes);
  /// Returns the digest of the bytes so far, without ending the computation.
  Digest Current() const;
  /// Returns the digest of all bytes and resets the object.
  Digest Finish();

  static Digest Of(std::string_view bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Computes the SHA-256 of a byte sequence and of each of its consecutive pieces. A sequence of one
/// piece is hashed only once. Both digests of a large piece are computed at the same time, by two
/// threads. Not thread-safe.
class PiecewiseSha256 {
 public:
  /// Appends a piece. Returns its digest.
  Digest Add(std::string_view piece);
  /// Returns the digest of the whole sequence. The object cannot be used afterwards.
  Digest Finish();

 private:
  Sha256 whole_;
  bool is_first_ = true;  ///< in the first piece, `whole_` is the digest of the piece too
};

}  // namespace kinetic

template <>
struct std::hash<kinetic::Digest> {
  std::size_t operator()(const kinetic::Digest& digest) const noexcept {
    std::size_t value = 0;  // digest bytes are uniformly distributed
    for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | digest.bytes[i];
    return value;
  }
};
