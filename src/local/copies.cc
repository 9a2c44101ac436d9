#include "local/copies.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kThreads = 8;
constexpr int kTries = 5;
constexpr std::size_t kPieceBytes = 256U << 10;

Result<std::unique_ptr<store::Source>> OpenSource(FileSystem& fs, const Path& path, bool is_folder,
                                                  const OnCopied& on_copied) {
  if (is_folder) return std::make_unique<store::BytesSource>("");
  KINETIC_ASSIGN_OR_RETURN(auto file, GrowingFile::Open(fs, path, on_copied));
  return file;
}

/// Creates an object that has one writer.
Result<store::ObjectInfo> StoreNew(
    store::Store& store, const std::string& name, const store::Metadata& metadata,
    const std::function<Result<std::unique_ptr<store::Source>>()>& open,
    const std::stop_token& stop) {
  auto precondition = store::Precondition::Absent();
  for (int i = 1;; ++i) {
    KINETIC_ASSIGN_OR_RETURN(const auto source, open());
    auto put = store.Put(name, *source, precondition, {.metadata = metadata, .lease = {}}, stop);
    if (put && *put) return **std::move(put);
    if (!put && (put.error().code != ErrorCode::kAborted || i == kTries)) {
      return Failure(std::move(put).error());
    }
    if (i == kTries) return Fail(ErrorCode::kAborted, "cannot store " + name);
    // Left by an earlier try whose response was lost.
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, stop));
    precondition =
        there ? store::Precondition::Generation(there->generation) : store::Precondition::Absent();
  }
}

}  // namespace

GrowingFile::GrowingFile(FileSystem& fs, UniqueFd fd, std::uint64_t size_bytes, OnCopied on_copied)
    : fs_(fs), fd_(std::move(fd)), size_bytes_(size_bytes), on_copied_(std::move(on_copied)) {}

Result<std::unique_ptr<GrowingFile>> GrowingFile::Open(FileSystem& fs, const Path& path,
                                                       OnCopied on_copied) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(path, OpenMode::kReadWithoutWaiting, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  if (status.type != FileType::kRegular) {
    return Fail(ErrorCode::kFailedPrecondition,
                "opening " + Printable(path.native()) + ": it is not a file");
  }
  return std::unique_ptr<GrowingFile>(
      new GrowingFile(fs, std::move(fd), status.size_bytes, std::move(on_copied)));
}

Status GrowingFile::Rewind() {
  offset_ = 0;
  return {};
}

Result<std::string_view> GrowingFile::Next() {
  buffer_.resize(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_bytes_ - offset_)));
  if (buffer_.empty()) return std::string_view();
  KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs_.ReadAt(fd_.get(), buffer_, offset_));
  offset_ += count;
  if (offset_ > reported_) {
    if (on_copied_) on_copied_(offset_ - reported_);
    reported_ = offset_;
  }
  return std::string_view(buffer_.data(), count);
}

Result<StoredCopies> StoreCopies(store::Store& store, FileSystem& fs, const Path& folder,
                                 const std::vector<ScannedOutput>& files,
                                 std::pair<std::string, OnCopied> prefix, std::stop_token stop) {
  StoredCopies stored;
  std::mutex mutex;
  const auto store_one = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const ScannedOutput& file = files[i];
    const OutputKind kind = OutputKindOf(file);
    const auto open = [&] {
      return OpenSource(fs, folder / file.content(), kind.links_folder, prefix.second);
    };
    KINETIC_ASSIGN_OR_RETURN(const auto info,
                             StoreNew(store, prefix.first + EncodeObjectPath(file.path),
                                      ToMetadata(kind), open, stopped));
    const std::lock_guard lock(mutex);
    ++stored.files;
    stored.bytes += info.size_bytes;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kThreads, files.size(), std::move(stop), store_one));
  return stored;
}

LinkSelection SelectLinks(const std::map<std::string, OutputKind>& files) {
  LinkSelection selected;
  for (const auto& [path, kind] : files) {
    if (kind.link.empty()) continue;
    const auto destination = DestinationOf(path, kind.link);
    bool is_copied = false;
    if (destination && kind.links_folder) {
      const auto below = files.lower_bound(*destination + "/");
      is_copied = below != files.end() && below->first.starts_with(*destination + "/");
    } else if (destination) {
      is_copied = files.contains(*destination);
    }
    if (is_copied) {
      selected.links.emplace(path, kind.link);
    } else if (kind.links_folder) {
      selected.ignored.insert(path);
    }
  }
  return selected;
}

}  // namespace kinetic::local
