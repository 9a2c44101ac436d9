#include "bundle/format/wire.h"

#include <fmt/format.h>

namespace kinetic::bundle {

void PutVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void PutU32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

void WireReader::Reject(std::string_view what) {
  if (ok()) error_ = fmt::format("{}: byte {}: {}", where_, offset_, what);
}

std::uint8_t WireReader::Byte() {
  const auto byte = Bytes(1);
  return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte[0]);
}

std::uint32_t WireReader::U32() {
  const auto bytes = Bytes(4);
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::uint64_t WireReader::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && ok(); shift += 7) {
    const std::uint8_t byte = Byte();
    if (shift == 63 && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift > 0) Reject("number is not in its shortest form");
      return ok() ? value : 0;
    }
  }
  Reject("number exceeds 64 bits");
  return 0;
}

std::uint64_t WireReader::Number(std::uint64_t limit, std::string_view what) {
  const std::uint64_t value = Varint();
  if (value <= limit) return value;
  Reject(fmt::format("{} is {}, expected at most {}", what, value, limit));
  return 0;
}

std::string_view WireReader::Bytes(std::uint64_t count) {
  if (!ok()) return {};
  if (count > left()) {
    Reject(fmt::format("truncated: expected {} bytes, found {}", count, left()));
    return {};
  }
  const auto bytes = bytes_.substr(offset_, count);
  offset_ += count;
  return bytes;
}

Digest WireReader::ReadDigest() { return Digest::FromBytes(Bytes(32)).value_or(Digest{}); }

Status WireReader::status() const {
  if (ok()) return {};
  return Fail(ErrorCode::kDataLoss, error_);
}

}  // namespace kinetic::bundle
