#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "job/outputs/fetch.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kReadBytes = 256U << 10;

/// Returns a path next to the file. The name is short, whatever the length of the file's name.
Path Beside(const Path& file, const store::ObjectInfo& object, std::string_view suffix) {
  const Digest digest = Sha256::Of(object.name + "\n" + std::to_string(object.generation));
  return file.parent_path() / fmt::format(".kinetic-{}.{}", digest.Hex().substr(0, 20), suffix);
}

/// Returns the checksum of the first `bytes` bytes of a file.
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
                               Path file, TransferOptions parts)
    : store_(store),
      fs_(fs),
      object_(std::move(object)),
      file_(std::move(file)),
      parts_(std::move(parts)) {}

PartsDownload ObjectDownload::Download(
    const std::function<void(std::uint64_t bytes)>& on_bytes) const {
  return {fs_,
          {.name = object_.name,
           .identity = fmt::format("{} {} {}", store_.Location(), object_.name, object_.generation),
           .size_bytes = object_.size_bytes,
           .crc32c = object_.crc32c,
           .file = file_,
           .partial = Beside(file_, object_, "part"),
           .journal = Beside(file_, object_, "parts")},
          {parts_.part_bytes, parts_.connections, on_bytes}};
}

Result<bool> ObjectDownload::IsComplete() {
  const auto status = fs_.Lstat(file_);
  if (!status || status->type != FileType::kRegular) return false;
  if (status->size_bytes != object_.size_bytes) return false;
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file_, OpenMode::kRead, 0));
  if (object_.crc32c.empty()) return HasContentOf(fd.get());
  KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ChecksumOf(fs_, fd.get(), object_.size_bytes));
  return checksum.Base64() == object_.crc32c;
}

Result<bool> ObjectDownload::HasContentOf(int fd) {
  std::string buffer;
  std::uint64_t offset = 0;
  bool equal = true;
  const auto compare = [&](std::string_view bytes) -> Status {
    if (!equal) return {};
    buffer.resize(bytes.size());
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs_.ReadAt(fd, buffer, offset));
    equal = count == bytes.size() && buffer == bytes;
    offset += bytes.size();
    return {};
  };
  KINETIC_RETURN_IF_ERROR(store_.Get(object_.name, {}, compare, {}));
  return equal && offset == object_.size_bytes;
}

Result<std::uint64_t> ObjectDownload::RemainingBytes() const {
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t there, Download({}).BytesRecorded());
  return object_.size_bytes - there;
}

Status ObjectDownload::Fetch(const std::function<void(std::uint64_t bytes)>& on_bytes,
                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, file_.parent_path()));
  PartsDownload download = Download(on_bytes);
  const auto range = [&](std::uint64_t offset, std::uint64_t length, const store::Sink& sink,
                         std::stop_token range_stop) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto read,
                             store_.Get(object_.name, {.offset = offset, .length = length}, sink,
                                        std::move(range_stop)));
    if (read && read->generation == object_.generation) return {};
    return Fail(ErrorCode::kAborted, object_.name + " was replaced during the download",
                "run the same command again");
  };
  Status fetched = download.Fetch(range, std::move(stop));
  // The download cannot be resumed.
  if (!fetched && fetched.error().code == ErrorCode::kAborted) (void)download.Discard();
  return fetched;
}

}  // namespace kinetic::job
