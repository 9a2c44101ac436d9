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

/// What was read of a file.
struct FileContent {
  Digest digest;
  FileStatus status;     ///< before it was read; the size is that of what was read
  bool changed = false;  ///< the file changed meanwhile, and again when it was read once more
};

/// Returns the error of a file that changes while it is read (kAborted).
Failure FileChangedError(const SourceEntry& entry);

/// Receives the chunks of a large file in order.
using ChunkSink = std::function<Status(const Digest& digest, Buffer chunk, bool compressible)>;

struct LargeFileSink {
  /// Called before each attempt. Chunks of an earlier attempt are invalid: the file changed.
  std::function<void()> begin;
  ChunkSink take;
};

/// Reads a file in chunks. A file that has changed since the walk is read as it is now, up to its
/// length at the start.
///
/// @param buffers  of kMaxChunkBytes.
/// @errors         kNotFound (removed, or no longer a file) · kAborted (replaced by a link) · those
///                 of FileSystem; each names the file · those of `sink` · kCancelled.
Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  BufferPool& buffers, const LargeFileSink& sink,
                                  std::stop_token stop);

/// Hashes a file in the same way. Appends its content to `bytes` if it is now less than
/// kLargeFileBytes.
///
/// @errors  as ReadLargeFile.
Result<FileContent> HashFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                             std::string& bytes, std::stop_token stop);

}  // namespace kinetic::bundle
