#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "bundle/format/buffer.h"
#include "bundle/source/walk.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

/// Reads local files, large ones in chunks: docs/reference/store.md, "Packs".

namespace kinetic::bundle {

/// Files of at least this size are split into chunks.
inline constexpr std::uint64_t kLargeFileBytes = 1 << 20;

inline constexpr std::size_t kMinChunkBytes = 512 << 10;
inline constexpr std::size_t kMaxChunkBytes = 8 << 20;

/// Fills a buffer from an offset in a file.
using ReadAt = std::function<Status(std::span<char> buffer, std::uint64_t offset)>;

/// Returns whether samples of a file of at least kLargeFileBytes compress well.
Result<bool> IsCompressible(std::uint64_t size_bytes, const ReadAt& read);

/// Returns the length of the content-defined chunk at the start of `bytes`: kMaxChunkBytes of a
/// file, or the rest of it.
std::size_t ChunkLength(std::string_view bytes);

/// The digest of a file, and its status when it was read.
struct FileContent {
  Digest digest;
  FileStatus status;
};

/// Appends the content of a small file to `bytes` and hashes it. Retries once if the file's status
/// differs from `entry`. Leaves `bytes` unchanged on failure.
///
/// @errors  kAborted (the file changes while it is read) · those of FileSystem; each names the
///          file.
Result<FileContent> ReadSmallFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  std::string& bytes);

/// Receives the chunks of a large file in order.
using ChunkSink = std::function<Status(const Digest& digest, Buffer chunk, bool compressible)>;

struct LargeFileSink {
  /// Called before each attempt. Chunks of an earlier attempt are invalid: the file changed.
  std::function<void()> begin;
  ChunkSink take;
};

/// Reads a large file in chunks.
///
/// @param buffers  of kMaxChunkBytes.
/// @errors         as ReadSmallFile · those of `sink` · kCancelled.
Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  BufferPool& buffers, const LargeFileSink& sink,
                                  std::stop_token stop);

/// Hashes a file. Appends the content of a small file to `bytes`.
///
/// @errors  as ReadSmallFile · kCancelled.
Result<FileContent> HashFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                             std::string& bytes, std::stop_token stop);

}  // namespace kinetic::bundle
