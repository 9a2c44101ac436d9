#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "bundle/source/walk.h"
#include "bundle/write/buffer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
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

/// What was read, and what the file system said of the file while it was read.
struct FileContent {
  Digest digest;
  FileStatus status;
};

/// Appends the content of a small file to `bytes` and hashes it. A file that is not what `entry`
/// says is looked at again and read once more; `bytes` keeps what it had when this fails.
///
/// @errors  kAborted (it changes while it is read) · those of FileSystem; each names the file.
Result<FileContent> ReadSmallFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  std::string& bytes);

/// Receives a large file in chunks, in order, to keep or to drop.
using ChunkSink = std::function<Status(const Digest& digest, Buffer chunk, bool compressible)>;

struct LargeFileSink {
  /// Called at each start: a file that changes is read once more, and what came before is void.
  std::function<void()> begin;
  ChunkSink take;
};

/// Reads a large file chunk by chunk.
///
/// @param buffers  of kMaxChunkBytes.
/// @errors         as ReadSmallFile · those of `sink` · kCancelled.
Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  BufferPool& buffers, const LargeFileSink& sink,
                                  std::stop_token stop);

/// Reads a file for its digest; the content of a small one is appended to `bytes` as well.
///
/// @errors  as ReadSmallFile · kCancelled.
Result<FileContent> HashFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                             std::string& bytes, std::stop_token stop);

}  // namespace kinetic::bundle
