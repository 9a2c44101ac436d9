#include "bundle/file_reader.h"

#include "base/strings.h"
#include "base/try.h"
#include "bundle/chunk.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::bundle {
namespace {

bool SameFile(const FileStatus& a, const FileStatus& b) {
  return a.type == b.type && a.size_bytes == b.size_bytes && a.mtime_ns == b.mtime_ns &&
         a.ctime_ns == b.ctime_ns && a.inode == b.inode;
}

Failure Changing(const SourceEntry& entry) {
  return Fail(ErrorCode::kAborted,
              fmt::format("reading '{}': the file changes while it is read", Printable(entry.path)),
              "run it again when nothing writes to the file, or leave it out with .kineticignore");
}

bool IsChange(const Error& error) { return error.code == ErrorCode::kAborted; }

/// Fills `buffer` from `offset`; the file is not what it was when it ends before.
Status Fill(FileSystem& fs, int fd, const SourceEntry& entry, std::span<char> buffer,
            std::uint64_t offset) {
  while (!buffer.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, buffer, offset));
    if (count == 0) return Changing(entry);
    buffer = buffer.subspan(count);
    offset += count;
  }
  return {};
}

/// Calls `read(status)` for the file as the walk saw it and, if it is another by now, once more for
/// the file as it is now.
template <typename Read>
Result<FileContent> Twice(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                          const Read& read) {
  auto content = read(entry.status);
  if (content || !IsChange(content.error())) return content;
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(tree.root / entry.path));
  if (status.type != FileType::kRegular) return Changing(entry);
  return read(status);
}

Result<FileContent> ReadSmallOnce(FileSystem& fs, const Path& path, const SourceEntry& entry,
                                  const FileStatus& expected, std::string& bytes) {
  if (expected.size_bytes >= 2 * kLargeFileBytes) return Changing(entry);
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  const std::size_t begin = bytes.size();
  bytes.resize(begin + expected.size_bytes);
  const std::span<char> buffer(bytes.data() + begin, expected.size_bytes);
  KINETIC_RETURN_IF_ERROR(Fill(fs, fd.get(), entry, buffer, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus after, fs.StatusOf(fd.get()));
  if (!SameFile(after, expected)) return Changing(entry);
  return FileContent{Sha256::Of({buffer.data(), buffer.size()}), after};
}

/// One pass over a large file.
class LargeRead {
 public:
  LargeRead(FileSystem& fs, int fd, const SourceEntry& entry, const ChunkSink& sink)
      : fs_(fs), fd_(fd), entry_(entry), sink_(sink) {}

  Result<Digest> Read(std::uint64_t size_bytes, const std::stop_token& stop) {
    const auto read_at = [this](std::span<char> into, std::uint64_t offset) {
      return Fill(fs_, fd_, entry_, into, offset);
    };
    KINETIC_ASSIGN_OR_RETURN(const bool compressible, IsCompressible(size_bytes, read_at));
    std::string buffer(std::min<std::uint64_t>(size_bytes, kMaxChunkBytes), '\0');
    std::size_t have = 0;
    for (std::uint64_t done = 0; done < size_bytes;) {
      if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
      const std::uint64_t want = std::min<std::uint64_t>(buffer.size(), size_bytes - done);
      KINETIC_RETURN_IF_ERROR(read_at({buffer.data() + have, want - have}, done + have));
      const std::string_view ahead(buffer.data(), want);
      const std::size_t length = compressible ? ChunkLength(ahead) : ahead.size();
      KINETIC_RETURN_IF_ERROR(Pass(ahead.substr(0, length), compressible));
      have = want - length;
      std::copy_n(buffer.data() + length, have, buffer.data());
      done += length;
    }
    return whole_.Finish();
  }

 private:
  Status Pass(std::string_view chunk, bool compressible) {
    whole_.Update(chunk);
    return sink_(Sha256::Of(chunk), chunk, compressible);
  }

  FileSystem& fs_;
  const int fd_;
  const SourceEntry& entry_;
  const ChunkSink& sink_;
  Sha256 whole_;
};

}  // namespace

Result<FileContent> ReadSmallFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  std::string& bytes) {
  const std::size_t begin = bytes.size();
  return Twice(fs, tree, entry, [&](const FileStatus& expected) {
    bytes.resize(begin);
    auto content = ReadSmallOnce(fs, tree.root / entry.path, entry, expected, bytes);
    if (!content) bytes.resize(begin);
    return content;
  });
}

Result<FileContent> ReadLargeFile(FileSystem& fs, const SourceTree& tree, const SourceEntry& entry,
                                  const std::function<void()>& begin, const ChunkSink& sink,
                                  std::stop_token stop) {
  return Twice(fs, tree, entry, [&](const FileStatus& expected) -> Result<FileContent> {
    begin();
    if (expected.size_bytes < kLargeFileBytes) return Changing(entry);
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                             fs.Open(tree.root / entry.path, OpenMode::kRead, 0));
    LargeRead pass(fs, fd.get(), entry, sink);
    KINETIC_ASSIGN_OR_RETURN(const Digest digest, pass.Read(expected.size_bytes, stop));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus after, fs.StatusOf(fd.get()));
    if (!SameFile(after, expected)) return Changing(entry);
    return FileContent{digest, after};
  });
}

}  // namespace kinetic::bundle
