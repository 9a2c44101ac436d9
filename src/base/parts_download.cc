#include "base/parts_download.h"

#include "base/parallel.h"
#include "base/try.h"

#include <algorithm>
#include <utility>

namespace kinetic {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20;
/// How much of a part a kill may cost.
constexpr std::uint64_t kNoteBytes = 1U << 20;
/// How often a file is fetched that arrives damaged.
constexpr int kTimes = 2;

std::string Identity(const PartsDownload::Wanted& wanted, std::uint64_t step) {
  return wanted.identity + " " + std::to_string(wanted.size_bytes) + " " + std::to_string(step);
}

Status RemoveIfThere(FileSystem& fs, const Path& file) {
  auto removed = fs.Unlink(file);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

}  // namespace

PartsDownload::PartsDownload(FileSystem& fs, Wanted wanted, TransferOptions options)
    : fs_(&fs),
      wanted_(std::move(wanted)),
      options_(std::move(options)),
      step_(options_.part_bytes),
      parts_((wanted_.size_bytes + step_ - 1) / step_),
      journal_(fs, wanted_.journal, Identity(wanted_, step_)) {}

std::uint64_t PartsDownload::Size(std::size_t part) const {
  return std::min(step_, wanted_.size_bytes - Begin(part));
}

Result<std::uint64_t> PartsDownload::BytesNoted() {
  KINETIC_ASSIGN_OR_RETURN(const auto noted, journal_.Load());
  std::uint64_t bytes = 0;
  for (const auto& [part, there] : noted) {
    if (part < parts_.size()) bytes += std::min(there.bytes, Size(part));
  }
  return bytes;
}

Result<bool> PartsDownload::IsThere(std::size_t part, const PartsJournal::Noted& noted) const {
  if (noted.bytes > Size(part)) return false;
  std::vector<char> buffer(std::min<std::uint64_t>(kBufferBytes, noted.bytes));
  Crc32c found;
  for (std::uint64_t at = 0; at < noted.bytes;) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), noted.bytes - at);
    KINETIC_ASSIGN_OR_RETURN(
        const std::size_t count,
        fs_->ReadAt(file_.get(), std::span(buffer).first(wanted), Begin(part) + at));
    if (count == 0) return false;
    found.Update({buffer.data(), count});
    at += count;
  }
  return found == noted.checksum;
}

Result<std::uint64_t> PartsDownload::GoOn(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(wanted_.partial, OpenMode::kReadWrite, 0666));
  KINETIC_ASSIGN_OR_RETURN(auto noted, journal_.Load());
  std::erase_if(noted, [&](const auto& part) { return part.first >= parts_.size(); });
  const std::vector<std::pair<std::uint64_t, PartsJournal::Noted>> found(noted.begin(),
                                                                         noted.end());
  KINETIC_RETURN_IF_ERROR(Parallel(
      options_.connections, found.size(), std::move(stop),
      [&](std::size_t i, const std::stop_token&) -> Status {
        KINETIC_ASSIGN_OR_RETURN(const bool there, IsThere(found[i].first, found[i].second));
        if (there) parts_[found[i].first] = found[i].second;
        return {};
      }));
  KINETIC_RETURN_IF_ERROR(fs_->Truncate(file_.get(), wanted_.size_bytes));
  std::uint64_t bytes = 0;
  for (const auto& part : parts_) bytes += part.bytes;
  return bytes;
}

Status PartsDownload::FetchPart(std::size_t part, const Range& range, std::stop_token stop) {
  PartsJournal::Noted& there = parts_[part];
  if (there.bytes == Size(part)) return {};
  std::uint64_t noted_bytes = there.bytes;
  const auto store = [&](std::string_view piece) -> Status {
    if (piece.size() > Size(part) - there.bytes) {
      return Fail(ErrorCode::kDataLoss,
                  "reading " + wanted_.name + ": more came than was asked for");
    }
    KINETIC_RETURN_IF_ERROR(fs_->WriteAt(file_.get(), piece, Begin(part) + there.bytes));
    there.checksum.Update(piece);
    there.bytes += piece.size();
    if (options_.on_bytes) options_.on_bytes(piece.size());
    const bool whole = there.bytes == Size(part);
    // The end of the only part is the end of the file, which has its name at once.
    const bool due = whole ? parts_.size() > 1 : there.bytes - noted_bytes >= kNoteBytes;
    if (!due) return {};
    noted_bytes = there.bytes;
    return journal_.Add(part, there);
  };
  KINETIC_RETURN_IF_ERROR(
      range(Begin(part) + there.bytes, Size(part) - there.bytes, store, std::move(stop)));
  if (there.bytes == Size(part)) return {};
  return Fail(ErrorCode::kAborted, "reading " + wanted_.name + ": it became shorter meanwhile",
              "fetch it again");
}

Status PartsDownload::CheckWhole() const {
  Crc32c whole;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    whole = whole.Followed(parts_[i].checksum, Size(i));
  }
  if (wanted_.crc32c.empty() || whole.Base64() == wanted_.crc32c) return {};
  return Fail(ErrorCode::kDataLoss,
              "reading " + wanted_.name + ": the CRC32C is " + whole.Base64() +
                  ", and the server says " + wanted_.crc32c,
              "fetch it again; if it happens again, the object or the network is damaged");
}

Status PartsDownload::FetchParts(const Range& range, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Parallel(options_.connections, parts_.size(), std::move(stop),
                                   [&](std::size_t part, std::stop_token part_stop) {
                                     return FetchPart(part, range, std::move(part_stop));
                                   }));
  return CheckWhole();
}

Status PartsDownload::Fetch(const Range& range, std::stop_token stop) {
  if (!file_) KINETIC_RETURN_IF_ERROR(GoOn(stop));
  for (int times = 1;; ++times) {
    Status fetched = FetchParts(range, stop);
    if (fetched) break;
    if (fetched.error().code != ErrorCode::kDataLoss) return fetched;
    // Which part it is nobody knows: all of them are fetched again.
    std::fill(parts_.begin(), parts_.end(), PartsJournal::Noted());
    if (times == kTimes) {
      (void)Discard();
      return fetched;
    }
    KINETIC_RETURN_IF_ERROR(journal_.Remove());
  }
  if (wanted_.lasting) KINETIC_RETURN_IF_ERROR(fs_->Sync(file_.get()));
  file_ = {};
  KINETIC_RETURN_IF_ERROR(fs_->Rename(wanted_.partial, wanted_.file));
  if (wanted_.lasting) {
    const Path folder = wanted_.file.has_parent_path() ? wanted_.file.parent_path() : ".";
    KINETIC_RETURN_IF_ERROR(SyncDirectory(*fs_, folder));
  }
  return journal_.Remove();
}

Status PartsDownload::Discard() {
  file_ = {};
  KINETIC_RETURN_IF_ERROR(journal_.Remove());
  return RemoveIfThere(*fs_, wanted_.partial);
}

}  // namespace kinetic
