#include "bundle/source/file_reader.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace kinetic::bundle {
namespace {

bool SameFile(const FileStatus& a, const FileStatus& b) {
  return a.type == b.type && a.size_bytes == b.size_bytes && a.mtime_ns == b.mtime_ns &&
         a.ctime_ns == b.ctime_ns && a.inode == b.inode;
}

Failure FileChangedError(const SourceEntry& entry) {
  return Fail(
      ErrorCode::kAborted,
      fmt::format("cannot read '{}': the file changed while it was read", Printable(entry.path)),
      "run the command again when no process is writing to the file, or exclude it with "
      ".kineticignore");
}

bool IsChange(const Error& error) { return error.code == ErrorCode::kAborted; }

/// Fills `buffer` from `offset`. Fails if the file is shorter.
Status Fill(FileSystem& fs, int fd, const SourceEntry& entry, std::span<char> buffer,
            std::uint64_t offset) {
  while (!buffer.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, buffer, offset));
    if (count == 0) return FileChangedError(entry);
    buffer = buffer.subspan(count);
    offset += count;
  }
  return {};
}

/// Calls `read(status)` with the status from the walk and, if the file has changed, again with the
/// current status.
template <typename Read>
Result<FileContent> RetryIfChanged(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                   const Read& read) {
  auto content = read(entry.status);
  if (content || !IsChange(content.error())) return content;
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(tree.root / entry.path));
  if (status.type != FileType::kRegular) return FileChangedError(entry);
  return read(status);
}

Result<FileContent> ReadSmallOnce(FileSystem& fs, const Path& path, const SourceEntry& entry,
                                  const FileStatus& expected, std::string& bytes) {
  if (expected.size_bytes >= 2 * kLargeFileBytes) return FileChangedError(entry);
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  const std::size_t begin = bytes.size();
  bytes.resize(begin + expected.size_bytes);
  const std::span<char> buffer(bytes.data() + begin, expected.size_bytes);
  KINETIC_RETURN_IF_ERROR(Fill(fs, fd.get(), entry, buffer, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus after, fs.Fstat(fd.get()));
  if (!SameFile(after, expected)) return FileChangedError(entry);
  return FileContent{Sha256::Of({buffer.data(), buffer.size()}), after};
}

/// Reads a large file with `pass(fd)`. Fails if its status is not `expected`.
template <typename Pass>
Result<FileContent> ReadLargeOnce(FileSystem& fs, const Path& path, const SourceEntry& entry,
                                  const FileStatus& expected, const Pass& pass) {
  if (expected.size_bytes < kLargeFileBytes) return FileChangedError(entry);
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const Digest digest, pass(fd.get()));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus after, fs.Fstat(fd.get()));
  if (!SameFile(after, expected)) return FileChangedError(entry);
  return FileContent{digest, after};
}

/// Reads a large file once.
class LargeFilePass {
 public:
  LargeFilePass(FileSystem& fs, int fd, const SourceEntry& entry, const std::stop_token& stop)
      : fs_(fs), fd_(fd), entry_(entry), stop_(stop) {}

  Result<Digest> ReadChunks(std::uint64_t size_bytes, BufferPool& buffers, const ChunkSink& sink) {
    const auto read_at = [this](std::span<char> into, std::uint64_t offset) {
      return Fill(fs_, fd_, entry_, into, offset);
    };
    KINETIC_ASSIGN_OR_RETURN(const bool compressible, IsCompressible(size_bytes, read_at));
    KINETIC_RETURN_IF_ERROR(compressible ? CutByContent(size_bytes, buffers, sink)
                                         : CutFixed(size_bytes, buffers, sink));
    return hash_.Finish();
  }

  Result<Digest> ReadWhole(std::uint64_t size_bytes) {
    const auto buffer = std::make_unique_for_overwrite<char[]>(kPieceBytes);
    Sha256 hash;
    for (std::uint64_t done = 0; done < size_bytes; done += kPieceBytes) {
      if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
      const std::uint64_t want = std::min<std::uint64_t>(kPieceBytes, size_bytes - done);
      KINETIC_RETURN_IF_ERROR(Fill(fs_, fd_, entry_, {buffer.get(), want}, done));
      hash.Update({buffer.get(), want});
    }
    return hash.Finish();
  }

 private:
  /// Fits into the cache of a processor core.
  static constexpr std::size_t kPieceBytes = 256 << 10;

  /// Splits the file into content-defined chunks.
  Status CutByContent(std::uint64_t size_bytes, BufferPool& buffers, const ChunkSink& sink) {
    Buffer window = buffers.Take();
    std::size_t filled = 0;
    for (std::uint64_t done = 0; done < size_bytes;) {
      if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
      const std::uint64_t want = std::min<std::uint64_t>(window.size(), size_bytes - done);
      KINETIC_RETURN_IF_ERROR(
          Fill(fs_, fd_, entry_, {window.data() + filled, want - filled}, done + filled));
      const std::string_view ahead = window.view().substr(0, want);
      const std::string_view chunk = ahead.substr(0, ChunkLength(ahead));
      KINETIC_RETURN_IF_ERROR(sink(hash_.Add(chunk), Buffer::Copy(chunk), true));
      filled = want - chunk.size();
      std::copy_n(window.data() + chunk.size(), filled, window.data());
      done += chunk.size();
    }
    return {};
  }

  /// Splits the file into chunks of kMaxChunkBytes. Reads directly into the chunks.
  Status CutFixed(std::uint64_t size_bytes, BufferPool& buffers, const ChunkSink& sink) {
    for (std::uint64_t done = 0; done < size_bytes;) {
      const std::uint64_t left = size_bytes - done;
      Buffer chunk = left >= kMaxChunkBytes ? buffers.Take() : Buffer(left);
      if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
      KINETIC_RETURN_IF_ERROR(Fill(fs_, fd_, entry_, {chunk.data(), chunk.size()}, done));
      done += chunk.size();
      const Digest digest = hash_.Add(chunk.view());
      KINETIC_RETURN_IF_ERROR(sink(digest, std::move(chunk), false));
    }
    return {};
  }

  FileSystem& fs_;
  const int fd_;
  const SourceEntry& entry_;
  const std::stop_token& stop_;
  PiecewiseSha256 hash_;
};

}  // namespace

Result<FileContent> ReadSmallFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  std::string& bytes) {
  const std::size_t begin = bytes.size();
  return RetryIfChanged(fs, tree, entry, [&](const FileStatus& expected) {
    bytes.resize(begin);
    auto content = ReadSmallOnce(fs, tree.root / entry.path, entry, expected, bytes);
    if (!content) bytes.resize(begin);
    return content;
  });
}

Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  BufferPool& buffers, const LargeFileSink& sink,
                                  std::stop_token stop) {
  return RetryIfChanged(fs, tree, entry, [&](const FileStatus& expected) {
    sink.begin();
    return ReadLargeOnce(fs, tree.root / entry.path, entry, expected, [&](int fd) {
      return LargeFilePass(fs, fd, entry, stop).ReadChunks(expected.size_bytes, buffers, sink.take);
    });
  });
}

Result<FileContent> HashFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                             std::string& bytes, std::stop_token stop) {
  if (entry.status.size_bytes < kLargeFileBytes) return ReadSmallFile(fs, tree, entry, bytes);
  return RetryIfChanged(fs, tree, entry, [&](const FileStatus& expected) {
    return ReadLargeOnce(fs, tree.root / entry.path, entry, expected, [&](int fd) {
      return LargeFilePass(fs, fd, entry, stop).ReadWhole(expected.size_bytes);
    });
  });
}

}  // namespace kinetic::bundle
