#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

/// The numbers of docs/reference/store.md, "Trees", that its writer and its reader share.

namespace kinetic::bundle {

/// Appends a LEB128 number.
void PutVarint(std::string& out, std::uint64_t value);

/// Appends four bytes, little-endian.
void PutU32(std::string& out, std::uint32_t value);

/// Reads the numbers and bytes of packs and trees. After the first mistake every read returns
/// nothing or zero, and `status` tells what was wrong and where.
///
/// @threads  one thread at a time.
class WireReader {
 public:
  /// `where` begins the message of an error: "tree body".
  WireReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::uint8_t Byte();
  std::uint32_t U32();
  std::uint64_t Varint();
  /// A varint that is at most `limit`; `what` it counts is named in the error.
  std::uint64_t Number(std::uint64_t limit, std::string_view what);
  std::string_view Bytes(std::uint64_t count);
  Digest ReadDigest();

  /// Notes a mistake at the current place, unless there was one.
  void Reject(std::string_view what);

  bool ok() const { return error_.empty(); }
  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }
  Status status() const;

 private:
  std::string_view bytes_;
  std::string_view where_;
  std::size_t offset_ = 0;
  std::string error_;
};

inline constexpr std::string_view kTreeMagic = "KTR1";
inline constexpr std::uint64_t kMaxTreeBodyBytes = 256ULL << 20;
inline constexpr int kTreeLevel = 3;

/// The most that a compressed body may grow to: a small object cannot claim a large memory.
constexpr std::uint64_t LargestBody(std::uint64_t stored_bytes) {
  return std::min<std::uint64_t>(kMaxTreeBodyBytes, (1U << 20) + 256 * stored_bytes);
}

enum class TreeForm : std::uint8_t { kFull = 0, kDelta = 1 };

enum class RowKind : std::uint8_t {
  kFile = 0,
  kExecutable = 1,
  kLink = 2,
  kFolder = 3,
  kRemoved = 4,
  kFileChunks = 8,
  kExecutableChunks = 9,
};

/// How a row says where an extent is.
inline constexpr std::uint64_t kBehind = 0;
inline constexpr std::uint64_t kNextFrame = 1;
inline constexpr std::uint64_t kAt = 2;
inline constexpr std::uint64_t kInlineAt = 3;

}  // namespace kinetic::bundle
