#include "base/hash/crc32c.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <limits>

#include <isa-l/crc.h>

namespace kinetic {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

/// A linear map of 32 bits: column i is the image of bit i.
using Matrix = std::array<std::uint32_t, 32>;

std::uint32_t Apply(const Matrix& matrix, std::uint32_t vector) {
  std::uint32_t sum = 0;
  for (std::size_t bit = 0; vector != 0; vector >>= 1, ++bit) {
    if ((vector & 1) != 0) sum ^= matrix[bit];
  }
  return sum;
}

Matrix Square(const Matrix& matrix) {
  Matrix square;
  for (std::size_t bit = 0; bit < square.size(); ++bit) square[bit] = Apply(matrix, matrix[bit]);
  return square;
}

/// Returns the effect of appending one zero byte.
Matrix OneZeroByte() {
  Matrix one_bit{kPolynomial};
  for (std::size_t bit = 1; bit < one_bit.size(); ++bit) one_bit[bit] = 1U << (bit - 1);
  return Square(Square(Square(one_bit)));
}

}  // namespace

Crc32c& Crc32c::Update(std::string_view bytes) {
  constexpr std::size_t kMaxBytes = std::numeric_limits<int>::max();
  std::uint32_t state = ~value_;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMaxBytes);
    // The function does not write to its argument.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));  // NOLINT
    state = crc32_iscsi(data, static_cast<int>(piece.size()), state);
    bytes.remove_prefix(piece.size());
  }
  value_ = ~state;
  return *this;
}

Crc32c Crc32c::Concat(Crc32c next, std::uint64_t next_bytes) const {
  std::uint32_t shifted = value_;
  for (Matrix power = OneZeroByte(); next_bytes != 0; next_bytes >>= 1, power = Square(power)) {
    if ((next_bytes & 1) != 0) shifted = Apply(power, shifted);
  }
  return Crc32c(shifted ^ next.value_);
}

std::string Crc32c::Base64() const {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value_ >> shift & 0xff);
  return Base64Encode(bytes);
}

}  // namespace kinetic
