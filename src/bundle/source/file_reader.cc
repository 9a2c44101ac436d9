#include "bundle/source/file_reader.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace kinetic::bundle {
namespace {

/// A regular file, and its status before it is read.
struct OpenFile {
  UniqueFd fd;
  FileStatus status;
};

/// What one pass over a file read.
struct PassResult {
  Digest digest;
  std::uint64_t size_bytes = 0;
};

bool IsSameFile(const FileStatus& a, const FileStatus& b) {
  return a.inode == b.inode && a.device == b.device;
}

bool IsUnchanged(const FileStatus& a, const FileStatus& b) {
  return a.size_bytes == b.size_bytes && a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns;
}

Failure NoLongerAFile(const SourceEntry& entry) {
  return Fail(ErrorCode::kNotFound, Printable(entry.path) + " is no longer a file");
}

/// Opens a file, also if another one has replaced it since the walk. Does not follow a link that
/// has replaced it.
Result<OpenFile> OpenEntry(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry) {
  const Path path = tree.root / entry.path;
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    auto fd = fs.Open(path, OpenMode::kReadWithoutWaiting, 0);
    if (!fd && fd.error().code == ErrorCode::kNotFound) return Failure(std::move(fd).error());
    OpenFile file;
    if (fd) {
      file.fd = *std::move(fd);
      KINETIC_ASSIGN_OR_RETURN(file.status, fs.Fstat(file.fd.get()));
      if (file.status.type == FileType::kRegular && IsSameFile(file.status, entry.status)) {
        return file;
      }
    }
    KINETIC_ASSIGN_OR_RETURN(const FileStatus now, fs.Lstat(path));
    if (now.type == FileType::kSymlink) return FileChangedError(entry);
    if (now.type != FileType::kRegular) return NoLongerAFile(entry);
    if (!fd) return Failure(std::move(fd).error());
    if (IsSameFile(file.status, now)) return file;
  }
  return FileChangedError(entry);
}

/// Fills `buffer` from `offset`, up to the end of the file. Returns the number of bytes.
Result<std::size_t> Fill(FileSystem& fs, int fd, std::span<char> buffer, std::uint64_t offset) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs.ReadAt(fd, buffer.subspan(filled), offset + filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

/// Reads a file with `pass(file)`, and once more if it changed meanwhile.
template <typename Pass>
Result<FileContent> ReadTwice(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                              const Pass& pass) {
  for (bool again = false;; again = true) {
    KINETIC_ASSIGN_OR_RETURN(OpenFile file, OpenEntry(fs, tree, entry));
    KINETIC_ASSIGN_OR_RETURN(const PassResult read, pass(file));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus after, fs.Fstat(file.fd.get()));
    const bool changed =
        !IsUnchanged(file.status, after) || read.size_bytes != file.status.size_bytes;
    if (changed && !again) continue;
    file.status.size_bytes = read.size_bytes;
    return FileContent{read.digest, file.status, changed};
  }
}

/// Appends the content of a file to `bytes`.
Result<PassResult> Append(FileSystem& fs, const OpenFile& file, std::string& bytes) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + file.status.size_bytes);
  auto count = Fill(fs, file.fd.get(), std::span(bytes).subspan(begin), 0);
  bytes.resize(begin + count.value_or(0));
  if (!count) return Failure(std::move(count).error());
  return PassResult{Sha256::Of(std::string_view(bytes).substr(begin)), *count};
}

/// Reads a large file once.
class LargeFilePass {
 public:
  LargeFilePass(FileSystem& fs, const OpenFile& file, const std::stop_token& stop)
      : fs_(fs), fd_(file.fd.get()), size_bytes_(file.status.size_bytes), stop_(stop) {}

  Result<PassResult> ReadChunks(BufferPool& buffers, const ChunkSink& sink) {
    const auto sample = [this](std::span<char> into, std::uint64_t offset) -> Status {
      KINETIC_ASSIGN_OR_RETURN(std::ignore, Fill(fs_, fd_, into, offset));
      return {};
    };
    bool compressible = true;
    if (size_bytes_ >= kLargeFileBytes) {
      KINETIC_ASSIGN_OR_RETURN(compressible, IsCompressible(size_bytes_, sample));
    }
    KINETIC_RETURN_IF_ERROR(compressible ? CutByContent(buffers, sink) : CutFixed(buffers, sink));
    return PassResult{hash_.Finish(), done_};
  }

  Result<PassResult> ReadWhole() {
    const auto buffer = std::make_unique_for_overwrite<char[]>(kPieceBytes);
    Sha256 hash;
    while (done_ < size_bytes_) {
      KINETIC_ASSIGN_OR_RETURN(const std::size_t count, Next({buffer.get(), kPieceBytes}, 0));
      hash.Update({buffer.get(), count});
      done_ += count;
    }
    return PassResult{hash.Finish(), done_};
  }

 private:
  /// Fits into the cache of a processor core.
  static constexpr std::size_t kPieceBytes = 256 << 10;

  /// Fills `window`, whose first `filled` bytes are there, from the position. Returns how many
  /// bytes it has then: fewer at the end of the file, which may be nearer than it was.
  Result<std::size_t> Next(std::span<char> window, std::size_t filled) {
    if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
    const std::uint64_t want = std::min<std::uint64_t>(window.size(), size_bytes_ - done_);
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             Fill(fs_, fd_, window.subspan(filled, want - filled), done_ + filled));
    if (filled + count < want) size_bytes_ = done_ + filled + count;
    return filled + count;
  }

  /// Splits the file into content-defined chunks.
  Status CutByContent(BufferPool& buffers, const ChunkSink& sink) {
    Buffer window = buffers.Take();
    std::size_t filled = 0;
    while (done_ < size_bytes_) {
      KINETIC_ASSIGN_OR_RETURN(filled, Next({window.data(), window.size()}, filled));
      if (filled == 0) break;
      const std::string_view ahead = window.view().substr(0, filled);
      const std::string_view chunk = ahead.substr(0, ChunkLength(ahead));
      KINETIC_RETURN_IF_ERROR(sink(hash_.Add(chunk), Buffer::Copy(chunk), true));
      filled -= chunk.size();
      std::copy_n(window.data() + chunk.size(), filled, window.data());
      done_ += chunk.size();
    }
    return {};
  }

  /// Splits the file into chunks of kMaxChunkBytes. Reads directly into the chunks.
  Status CutFixed(BufferPool& buffers, const ChunkSink& sink) {
    while (done_ < size_bytes_) {
      const std::uint64_t left = size_bytes_ - done_;
      Buffer chunk = left >= kMaxChunkBytes ? buffers.Take() : Buffer(left);
      KINETIC_ASSIGN_OR_RETURN(const std::size_t count, Next({chunk.data(), chunk.size()}, 0));
      if (count == 0) break;
      if (count < chunk.size()) chunk = Buffer::Copy(chunk.view().substr(0, count));
      done_ += count;
      const Digest digest = hash_.Add(chunk.view());
      KINETIC_RETURN_IF_ERROR(sink(digest, std::move(chunk), false));
    }
    return {};
  }

  FileSystem& fs_;
  const int fd_;
  std::uint64_t size_bytes_;
  std::uint64_t done_ = 0;
  const std::stop_token& stop_;
  PiecewiseSha256 hash_;
};

}  // namespace

Failure FileChangedError(const SourceEntry& entry) {
  return Fail(
      ErrorCode::kAborted,
      fmt::format("cannot read '{}': the file changed while it was read", Printable(entry.path)),
      "run the command again when no process is writing to the file, or exclude it with "
      ".kineticignore");
}

Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  BufferPool& buffers, const LargeFileSink& sink,
                                  std::stop_token stop) {
  return ReadTwice(fs, tree, entry, [&](const OpenFile& file) {
    sink.begin();
    return LargeFilePass(fs, file, stop).ReadChunks(buffers, sink.take);
  });
}

Result<FileContent> HashFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                             std::string& bytes, std::stop_token stop) {
  const std::size_t begin = bytes.size();
  auto content = ReadTwice(fs, tree, entry, [&](const OpenFile& file) {
    bytes.resize(begin);
    return file.status.size_bytes < kLargeFileBytes ? Append(fs, file, bytes)
                                                    : LargeFilePass(fs, file, stop).ReadWhole();
  });
  if (!content) bytes.resize(begin);
  return content;
}

}  // namespace kinetic::bundle
