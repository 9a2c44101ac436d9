#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

/// How large files are cut into chunks: docs/reference/store.md, "Packs".
namespace kinetic::bundle {

/// Files from this size on are cut into chunks of their own.
inline constexpr std::uint64_t kLargeFileBytes = 1 << 20;

inline constexpr std::size_t kMinChunkBytes = 512 << 10;
inline constexpr std::size_t kMaxChunkBytes = 8 << 20;

/// Fills a buffer from an offset of a file.
using ReadAt = std::function<Status(std::span<char> buffer, std::uint64_t offset)>;

/// Whether samples of a file of at least kLargeFileBytes are worth compressing.
Result<bool> IsCompressible(std::uint64_t size_bytes, const ReadAt& read);

/// The length of the content-defined chunk at the start of `bytes`, which are kMaxChunkBytes long
/// or all that is left of the file.
std::size_t ChunkLength(std::string_view bytes);

/// Whether all bytes are zero.
bool IsZero(std::string_view bytes);

}  // namespace kinetic::bundle
