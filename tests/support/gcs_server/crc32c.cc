#include "support/gcs_server/crc32c.h"

#include "base/strings.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace kinetic::gcs_server {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli polynomial, lowest bit first

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

std::uint32_t ByTable(std::uint32_t crc, std::string_view bytes) {
  for (const char byte : bytes)
    crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFFU] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::uint32_t crc,
                                                              std::string_view bytes) {
  std::uint64_t wide = crc;
  while (bytes.size() >= sizeof wide) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = _mm_crc32_u64(wide, word);
    bytes.remove_prefix(sizeof word);
  }
  return ByTable(static_cast<std::uint32_t>(wide), bytes);
}
#endif

std::uint32_t Advance(std::uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool can = __builtin_cpu_supports("sse4.2") != 0;
  if (can) return ByInstruction(crc, bytes);
#endif
  return ByTable(crc, bytes);
}

/// a * b modulo the polynomial, both as reflected remainders: the highest bit is x^0.
std::uint32_t Multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x80000000U; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1U) != 0 ? kPolynomial : 0);
  }
  return product;
}

/// x to the power of 8 * `bytes`, modulo the polynomial.
std::uint32_t PowerOf(std::uint64_t bytes) {
  std::uint32_t result = 0x80000000U;  // x^0
  std::uint32_t square = 0x00800000U;  // x^8
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1U) != 0) result = Multiply(result, square);
    square = Multiply(square, square);
  }
  return result;
}

}  // namespace

std::uint32_t Crc32c(std::uint32_t crc, std::string_view bytes) { return ~Advance(~crc, bytes); }

std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return Multiply(first, PowerOf(second_bytes)) ^ second;
}

std::string Crc32cText(std::uint32_t crc) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((crc >> shift) & 0xFFU);
  return Base64Encode(bytes);
}

}  // namespace kinetic::gcs_server
