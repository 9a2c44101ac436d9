#include "job/object_download.h"

#include "base/digest.h"
#include "base/time.h"
#include "base/try.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kReadBytes = 256U << 10;

/// Beside the file; short whatever the file is called.
Path PartOf(const Path& file, const store::ObjectInfo& object) {
  const Digest digest = Sha256::Of(object.name + "\n" + std::to_string(object.generation));
  return file.parent_path() / fmt::format(".kinetic-{}.part", digest.Hex().substr(0, 20));
}

/// The checksum of the first bytes of a file.
Result<Crc32c> ChecksumOf(FileSystem& fs, int fd, std::uint64_t bytes) {
  Crc32c checksum;
  std::string buffer(kReadBytes, '\0');
  for (std::uint64_t offset = 0; offset < bytes;) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), bytes - offset);
    KINETIC_ASSIGN_OR_RETURN(
        const std::size_t count,
        fs.ReadAt(fd, std::span(buffer).first(static_cast<std::size_t>(wanted)), offset));
    if (count == 0) break;
    checksum.Update(std::string_view(buffer).substr(0, count));
    offset += count;
  }
  return checksum;
}

}  // namespace

ObjectDownload::ObjectDownload(store::Store& store, FileSystem& fs, store::ObjectInfo object,
                               Path file)
    : store_(store),
      fs_(fs),
      object_(std::move(object)),
      file_(std::move(file)),
      part_(PartOf(file_, object_)) {}

Result<bool> ObjectDownload::IsThere() {
  const auto status = fs_.Lstat(file_);
  if (!status || status->type != FileType::kRegular) return false;
  if (status->size_bytes != object_.size_bytes) return false;
  if (object_.crc32c.empty()) return FromMicros(status->mtime_ns / 1000) >= object_.lease;
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file_, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ChecksumOf(fs_, fd.get(), object_.size_bytes));
  return checksum.Base64() == object_.crc32c;
}

std::uint64_t ObjectDownload::BytesLeft() const {
  const auto part = fs_.Lstat(part_);
  const std::uint64_t there = part ? std::min(part->size_bytes, object_.size_bytes) : 0;
  return object_.size_bytes - there;
}

Status ObjectDownload::FetchRest(int fd, const std::function<void(std::uint64_t bytes)>& on_bytes,
                                 std::stop_token stop) {
  std::uint64_t offset = object_.size_bytes - BytesLeft();
  KINETIC_ASSIGN_OR_RETURN(Crc32c checksum, ChecksumOf(fs_, fd, offset));
  const auto write = [&](std::string_view piece) -> Status {
    KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd, piece, offset));
    offset += piece.size();
    checksum.Update(piece);
    if (on_bytes) on_bytes(piece.size());
    return {};
  };
  if (offset < object_.size_bytes) {
    KINETIC_ASSIGN_OR_RETURN(
        const auto read,
        store_.Get(object_.name, {.offset = offset, .length = {}}, write, std::move(stop)));
    if (!read || read->generation != object_.generation) {
      return Fail(ErrorCode::kAborted, object_.name + " was replaced while it was fetched",
                  "run the same command again");
    }
  }
  const bool whole = offset == object_.size_bytes &&
                     (object_.crc32c.empty() || checksum.Base64() == object_.crc32c);
  if (whole) return fs_.Truncate(fd, object_.size_bytes);
  return Fail(ErrorCode::kDataLoss,
              fmt::format("{}: what was fetched is not what the store says it is", object_.name),
              "run the same command again");
}

Status ObjectDownload::Fetch(const std::function<void(std::uint64_t bytes)>& on_bytes,
                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, file_.parent_path()));
  {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(part_, OpenMode::kReadWrite, 0666));
    const Status fetched = FetchRest(fd.get(), on_bytes, std::move(stop));
    if (!fetched) {
      const ErrorCode code = fetched.error().code;
      // Neither can be gone on with.
      if (code == ErrorCode::kDataLoss || code == ErrorCode::kAborted) (void)fs_.Unlink(part_);
      return fetched;
    }
  }
  return fs_.Rename(part_, file_);
}

}  // namespace kinetic::job
