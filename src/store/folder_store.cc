#include "store/folder_store.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "store/folder/internal_files.h"
#include "store/folder/object_file.h"
#include "store/object.h"

#include <algorithm>
#include <vector>

namespace kinetic::store {
namespace {

constexpr std::size_t kReadBytes = 256U << 10;

Status CheckStop(const std::stop_token& stop, std::string_view operation, std::string_view name) {
  if (!stop.stop_requested()) return {};
  return Fail(ErrorCode::kCancelled,
              "stopped while " + std::string(operation) + " " + Printable(name));
}

/// Passes a range of an open file to `sink`.
Status ReadRange(FileSystem& fs, int fd, Range range, const ObjectInfo& info, const Sink& sink,
                 const std::stop_token& stop) {
  const std::uint64_t size = info.size_bytes;
  std::uint64_t offset = std::min(range.offset, size);
  std::uint64_t left = std::min(range.length.value_or(size), size - offset);
  std::vector<char> buffer(std::min<std::uint64_t>(left, kReadBytes));
  while (left > 0) {
    KINETIC_RETURN_IF_ERROR(CheckStop(stop, "reading", info.name));
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(left, buffer.size()));
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, piece, offset));
    if (count == 0) {
      return Fail(ErrorCode::kDataLoss, "cannot read " + Printable(info.name) +
                                            ": the file ends after " + std::to_string(offset) +
                                            " of " + std::to_string(size) + " bytes");
    }
    KINETIC_RETURN_IF_ERROR(sink({buffer.data(), count}));
    offset += count;
    left -= count;
  }
  return {};
}

/// Removes empty folders above `path`, except those directly below the root.
void PruneFolders(FileSystem& fs, const Path& root, const Path& path) {
  for (Path folder = path.parent_path(); folder != root && folder.parent_path() != root;
       folder = folder.parent_path()) {
    if (!fs.RemoveDirectory(folder)) return;
  }
}

}  // namespace

FolderStore::FolderStore(Path root, FileSystem& fs, Clock& clock)
    : root_(std::move(root)), confined_(fs.Confined(root_)), fs_(*confined_), clock_(clock) {}

Result<WallTime> FolderStore::Now(std::stop_token /*stop*/) { return clock_.Now(); }

Result<std::optional<FileStatus>> FolderStore::StatFile(std::string_view name) {
  const auto status = fs_.Lstat(PathOf(name));
  if (!status) {
    if (status.error().code == ErrorCode::kNotFound) return std::nullopt;
    return Failure(status.error());
  }
  if (status->type != FileType::kRegular) return std::nullopt;
  return *status;
}

Result<std::optional<FolderStore::OpenObject>> FolderStore::OpenObjectFile(std::string_view name) {
  auto fd = fs_.Open(PathOf(name), OpenMode::kRead, 0);
  if (!fd) {
    if (fd.error().code == ErrorCode::kNotFound) return std::nullopt;
    return Failure(std::move(fd).error());
  }
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Fstat(fd->get()));
  if (status.type != FileType::kRegular) return std::nullopt;
  return OpenObject{*std::move(fd), status};
}

Result<std::optional<ObjectInfo>> FolderStore::Put(std::string_view name, Source& source,
                                                   const Precondition& precondition,
                                                   const PutOptions& options,
                                                   std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_RETURN_IF_ERROR(CheckMetadata(name, options.metadata));
  KINETIC_RETURN_IF_ERROR(CheckStop(stop, "storing", name));
  auto stored = precondition.kind == Precondition::Kind::kAbsent
                    ? Create(name, {source, options}, stop)
                    : Replace(name, {source, options}, precondition.generation, stop);
  if (stored) return stored;
  PruneFolders(fs_, root_, PathOf(name));  // of an object that was not created
  return Failure(std::move(stored).error().Context("cannot store " + Printable(name)));
}

Result<std::optional<ReadResult>> FolderStore::Get(std::string_view name, const Range& range,
                                                   const Sink& sink, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_RETURN_IF_ERROR(CheckStop(stop, "reading", name));
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(name));
  if (!object) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const ObjectInfo info,
                           ReadInfo(fs_, object->fd.get(), object->status, name));
  KINETIC_RETURN_IF_ERROR(ReadRange(fs_, object->fd.get(), range, info, sink, stop));
  return ReadResult{info.size_bytes, info.generation};
}

Result<std::optional<ObjectInfo>> FolderStore::Stat(std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_RETURN_IF_ERROR(CheckStop(stop, "reading", name));
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(name));
  if (!object) return std::nullopt;
  auto info = ReadInfo(fs_, object->fd.get(), object->status, name);
  // As in a listing, so that an object with damaged metadata can be replaced and removed.
  if (!info && info.error().code == ErrorCode::kDataLoss) return InfoOf(object->status, name);
  if (!info) return Failure(std::move(info).error());
  return *std::move(info);
}

Status FolderStore::List(std::string_view prefix, std::string_view start,
                         const std::function<Result<bool>(const ObjectInfo&)>& each,
                         std::stop_token stop) {
  return ListObjectFiles(fs_, root_, prefix, start, each, stop);
}

Result<Removal> FolderStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(seen.name));
  const Path path = PathOf(seen.name);
  {
    KINETIC_ASSIGN_OR_RETURN(const FolderLock lock,
                             FolderLock::Acquire(fs_, root_, seen.name, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto now, StatFile(seen.name));
    if (!now) return Removal::kAbsent;
    if (GenerationOf(*now) != seen.generation || now->mtime_ns != seen.metageneration) {
      return Removal::kChanged;
    }
    // Not flushed to the disk: after a crash the object may reappear, which does no harm.
    KINETIC_RETURN_IF_ERROR(fs_.Unlink(path));
  }
  PruneFolders(fs_, root_, path);
  return Removal::kRemoved;
}

Result<std::uint64_t> FolderStore::RemoveLeftovers(std::stop_token stop) {
  const Path folder = root_ / kTemporaryFolder;
  const auto entries = fs_.ReadDirectory(folder);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return 0U;
    return Failure(entries.error());
  }
  std::uint64_t removed_bytes = 0;
  for (const auto& entry : *entries) {
    KINETIC_RETURN_IF_ERROR(CheckStop(stop, "removing leftover files of", root_.native()));
    const auto status = fs_.Lstat(folder / entry.name);
    if (!status || status->type != FileType::kRegular) continue;
    const WallTime modified = InfoOf(*status, entry.name).lease;
    if (clock_.Now() - modified < kLeftoverAge) continue;
    const auto removed = fs_.Unlink(folder / entry.name);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return Failure(removed.error());
    if (status->links <= 1) removed_bytes += status->size_bytes;
  }
  return removed_bytes;
}

}  // namespace kinetic::store
