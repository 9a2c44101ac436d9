#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

/// Binary encoding of packs and trees: docs/reference/store.md.

namespace kinetic::bundle {

/// Appends a LEB128 number.
void PutVarint(std::string& out, std::uint64_t value);

/// Appends four bytes, little-endian.
void PutU32(std::string& out, std::uint32_t value);

/// Reads the numbers and bytes of packs and trees. After the first error every read returns zero or
/// an empty value, and `status` describes the error and its offset.
///
/// @threads  one thread at a time.
class WireReader {
 public:
  /// `where` is the start of error messages: "tree body".
  WireReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::uint8_t Byte();
  std::uint32_t U32();
  std::uint64_t Varint();
  /// Reads a varint of at most `limit`. `what` names it in errors.
  std::uint64_t Number(std::uint64_t limit, std::string_view what);
  std::string_view Bytes(std::uint64_t count);
  Digest ReadDigest();

  /// Records an error at the current offset, unless there is one already.
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

/// Returns the maximum size of a decompressed body, so that a small object cannot claim much
/// memory.
constexpr std::uint64_t MaxBodyBytes(std::uint64_t stored_bytes) {
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

/// The encodings of an extent's location in a row.
inline constexpr std::uint64_t kAfterPrevious = 0;
inline constexpr std::uint64_t kNextFrame = 1;
inline constexpr std::uint64_t kAtPosition = 2;
inline constexpr std::uint64_t kInlineAt = 3;

}  // namespace kinetic::bundle
