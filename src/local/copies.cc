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
constexpr std::size_t kPieceBytes = 256U << 10;

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

Status SkipFailure(OutputScan& scan) {
  if (!scan.failure) return {};
  if (scan.files.empty() || !IsSingleFileError(*scan.failure)) {
    return Failure(*std::move(scan.failure));
  }
  scan.skipped.push_back(std::move(scan.failure)->message);
  scan.failure.reset();
  return {};
}

Result<StoredCopies> StoreCopies(store::Store& store, const CopySource& source,
                                 const CopyTarget& target, std::stop_token stop) {
  StoredCopies stored;
  std::mutex mutex;
  const auto store_one = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const ScannedOutput& file = source.files[i];
    const OutputKind kind = OutputKindOf(file);
    const FileObject object{.name = target.prefix + EncodeObjectPath(file.path),
                            .metadata = ToMetadata(kind)};
    const auto open = [&]() -> Result<std::unique_ptr<store::Source>> {
      if (kind.links_folder) return OpenNothing();
      KINETIC_ASSIGN_OR_RETURN(
          auto growing,
          GrowingFile::Open(source.fs, source.folder / file.content(), target.on_copied));
      return growing;
    };
    auto info = StoreSource(store, open, object, stopped);
    const bool may_skip = source.is_folder && !info && IsSingleFileError(info.error());
    if (!info && !may_skip) return Failure(std::move(info).error());
    const std::lock_guard lock(mutex);
    if (!info) {
      stored.skipped.push_back(fmt::format("{}: {}", Printable(file.path), info.error().message));
      return {};
    }
    ++stored.files;
    stored.bytes += info->size_bytes;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kThreads, source.files.size(), std::move(stop), store_one));
  std::ranges::sort(stored.skipped);
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
