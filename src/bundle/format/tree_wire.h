#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

/// The numbers of docs/reference/store.md, "Trees", that its writer and its reader share.
namespace kinetic::bundle {

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
