#include "store/folder_store.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "store/age.h"
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

/// Does not create a file each time, because a submission calls it several times.
Result<WallTime> FolderStore::Now(std::stop_token stop) {
  constexpr std::chrono::seconds kKnownFor{1};
  if (clock_ != nullptr) return clock_->Now();
  const std::lock_guard lock(mutex_);
  const SteadyTime steady = SystemClock().Steady();
  if (known_now_ && steady - known_now_->first < kKnownFor)
    return known_now_->second +
           std::chrono::duration_cast<WallTime::duration>(steady - known_now_->first);
  const auto now = ExactNow(std::move(stop));
  if (!now) return SystemClock().Now();
  known_now_.emplace(steady, *now);
  return *now;
}

Result<WallTime> FolderStore::ExactNow(std::stop_token /*stop*/) {
  if (clock_ != nullptr) return clock_->Now();
  KINETIC_ASSIGN_OR_RETURN(const TemporaryFile file,
                           TemporaryFile::Create(fs_, root_ / kTemporaryFolder));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, file.Stat());
  return InfoOf(status, {}).lease;
}

Result<std::optional<FileStatus>> FolderStore::StatFile(std::string_view name) {
  const auto status = fs_.Lstat(PathOf(name));
  if (!status) {
    const ErrorCode code = status.error().code;
    // kFailedPrecondition: it is below a link.
    if (code == ErrorCode::kNotFound || code == ErrorCode::kFailedPrecondition) return std::nullopt;
    return Failure(status.error());
  }
  return *status;
}

Result<bool> FolderStore::Exists(std::string_view name) {
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(fs_, root_, name));
  if (!object) return false;
  KINETIC_ASSIGN_OR_RETURN(const ObjectInfo info, ReadInfo(fs_, *object, name));
  return info.damage.empty();
}

/// Only one process at a time does this, so that none removes what another one has stored instead:
/// what is damaged under the lock stays until it is removed.
Status FolderStore::RemoveDamaged(std::string_view name, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const FileLock lock, LockObject(fs_, root_, name, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(fs_, root_, name));
  if (object) {
    KINETIC_ASSIGN_OR_RETURN(const ObjectInfo info, ReadInfo(fs_, *object, name));
    return info.damage.empty() ? Status() : Discard(fs_, root_, PathOf(name), object->status.type);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto status, StatFile(name));
  const bool is_folder = status && status->type == FileType::kDirectory;
  return is_folder ? Discard(fs_, root_, PathOf(name), status->type) : Status();
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
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(fs_, root_, name));
  if (!object) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const ObjectInfo info, ReadInfo(fs_, *object, name));
  if (!info.damage.empty()) return Failure(DamageError(info));
  KINETIC_RETURN_IF_ERROR(ReadRange(fs_, object->fd.get(), range, info, sink, stop));
  return ReadResult{info.size_bytes, info.generation};
}

Result<std::optional<ObjectInfo>> FolderStore::Stat(std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_RETURN_IF_ERROR(CheckStop(stop, "reading", name));
  KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(fs_, root_, name));
  if (!object) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(ObjectInfo info, ReadInfo(fs_, *object, name));
  return info;
}

Status FolderStore::List(std::string_view prefix, std::string_view start,
                         const std::function<Result<bool>(const ObjectInfo&)>& each,
                         std::stop_token stop) {
  return ListObjectFiles(fs_, root_, prefix, start, each, stop);
}

Result<Removal> FolderStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  std::string_view name = seen.name;
  const bool is_folder = name.ends_with('/');  // one that cannot be listed
  if (is_folder) name.remove_suffix(1);
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  const Path path = PathOf(name);
  {
    KINETIC_ASSIGN_OR_RETURN(const FileLock lock, LockObject(fs_, root_, name, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto now, StatFile(name));
    if (!now || (now->type == FileType::kDirectory && !is_folder)) return Removal::kAbsent;
    if (GenerationOf(*now) != seen.generation || now->mtime_ns != seen.metageneration) {
      return Removal::kChanged;
    }
    if (now->type == FileType::kDirectory && path.parent_path() == root_) {
      // Others can read the objects in it.
      return Fail(ErrorCode::kPermissionDenied, "cannot list " + Printable(path.native()));
    }
    // Not flushed to the disk: after a crash the object may reappear, which does no harm.
    KINETIC_RETURN_IF_ERROR(Discard(fs_, root_, path, now->type));
  }
  PruneFolders(fs_, root_, path);
  return Removal::kRemoved;
}

namespace {

/// Returns the folders that Discard has renamed.
std::vector<Path> DiscardedFolders(FileSystem& fs, const Path& root) {
  using Entries = std::vector<DirectoryEntry>;
  std::vector<Path> found;
  for (const auto& folder : fs.ReadDirectory(root).value_or(Entries())) {
    for (const auto& entry : fs.ReadDirectory(root / folder.name).value_or(Entries())) {
      if (IsDiscarded(entry.name)) found.push_back(root / folder.name / entry.name);
    }
  }
  return found;
}

}  // namespace

Result<std::uint64_t> FolderStore::RemoveLeftovers(std::stop_token stop) {
  const Path folder = root_ / kTemporaryFolder;
  const auto entries = fs_.ReadDirectory(folder);
  if (!entries) {
    const auto status = fs_.Lstat(folder);
    if (!status || status->type != FileType::kDirectory) return 0U;  // replaced by the next writer
    return Failure(entries.error());
  }
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, ExactNow(stop));
  std::vector<Path> leftovers = DiscardedFolders(fs_, root_);
  for (const auto& entry : *entries) leftovers.push_back(folder / entry.name);
  std::uint64_t removed_bytes = 0;
  for (const Path& path : leftovers) {
    KINETIC_RETURN_IF_ERROR(CheckStop(stop, "removing leftover files of", root_.native()));
    const auto status = fs_.Lstat(path);
    if (!status) continue;
    if (!IsOlder(InfoOf(*status, path.native()).lease, now, kLeftoverAge)) continue;
    // Others may have files there that this user cannot remove.
    if (!RemoveTree(fs_, path)) continue;
    if (status->type == FileType::kRegular && status->links <= 1)
      removed_bytes += status->size_bytes;
  }
  return removed_bytes;
}

}  // namespace kinetic::store
