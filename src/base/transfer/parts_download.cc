#include "base/transfer/parts_download.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20;
/// A kill loses at most this much of each part.
constexpr std::uint64_t kJournalStepBytes = 1U << 20;
/// How often a file with a wrong checksum is downloaded.
constexpr int kMaxDownloads = 2;

std::string Identity(const PartsDownload::Request& request, std::uint64_t step) {
  return request.identity + " " + std::to_string(request.size_bytes) + " " + std::to_string(step);
}

constexpr std::uint64_t kMaxJournalBytes = 256U << 20;

std::string FormatLine(std::uint64_t part, const PartsJournal::Progress& progress) {
  return std::to_string(part) + " " + std::to_string(progress.bytes) + " " +
         std::to_string(progress.checksum.value()) + ".\n";
}

std::optional<std::uint64_t> ParseNumber(std::string_view word) {
  const auto number = ParseInt(word);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// Parses "7 1048576 123456.". The period marks a complete line.
std::optional<std::pair<std::uint64_t, PartsJournal::Progress>> ParseLine(std::string_view line) {
  const auto words = Split(line, ' ');
  if (words.size() != 3 || !words[2].ends_with('.')) return std::nullopt;
  const auto part = ParseNumber(words[0]);
  const auto bytes = ParseNumber(words[1]);
  const auto sum = ParseNumber(words[2].substr(0, words[2].size() - 1));
  if (!part || !bytes || !sum || *sum > UINT32_MAX) return std::nullopt;
  return std::pair{*part, PartsJournal::Progress{*bytes, Crc32c(static_cast<std::uint32_t>(*sum))}};
}

Status RemoveIfPresent(FileSystem& fs, const Path& file) {
  auto removed = fs.Unlink(file);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

}  // namespace

Result<std::map<std::uint64_t, PartsJournal::Progress>> PartsJournal::Load() {
  std::map<std::uint64_t, Progress> parts;
  const auto text = ReadFile(*fs_, path_, kMaxJournalBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return parts;
  if (!text) return Failure(text.error());
  const auto lines = Split(*text, '\n');
  if (lines.size() < 2 || lines.front() != identity_) return parts;
  loaded_ = true;
  for (const std::string_view line : lines) {
    if (const auto part = ParseLine(line)) parts.insert_or_assign(part->first, part->second);
  }
  return parts;
}

Status PartsJournal::Open() {
  const OpenMode mode = loaded_ ? OpenMode::kAppend : OpenMode::kTruncate;
  KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(path_, mode, 0644));
  // The last line of an earlier journal may be cut short.
  return fs_->Write(file_.get(), loaded_ ? "\n" : identity_ + "\n");
}

Status PartsJournal::Add(std::uint64_t part, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!file_) KINETIC_RETURN_IF_ERROR(Open());
  return fs_->Write(file_.get(), FormatLine(part, progress));
}

Status PartsJournal::Remove() {
  file_ = {};
  loaded_ = false;
  return RemoveIfPresent(*fs_, path_);
}

PartsDownload::PartsDownload(FileSystem& fs, Request request, TransferOptions options)
    : fs_(&fs),
      request_(std::move(request)),
      options_(std::move(options)),
      step_(options_.part_bytes),
      parts_((request_.size_bytes + step_ - 1) / step_),
      journal_(fs, request_.journal, Identity(request_, step_)) {}

std::uint64_t PartsDownload::Size(std::size_t part) const {
  return std::min(step_, request_.size_bytes - Begin(part));
}

Result<std::uint64_t> PartsDownload::BytesRecorded() {
  KINETIC_ASSIGN_OR_RETURN(const auto recorded, journal_.Load());
  std::uint64_t bytes = 0;
  for (const auto& [part, progress] : recorded) {
    if (part < parts_.size()) bytes += std::min(progress.bytes, Size(part));
  }
  return bytes;
}

Result<bool> PartsDownload::HasRecordedBytes(std::size_t part,
                                             const PartsJournal::Progress& recorded) const {
  if (recorded.bytes > Size(part)) return false;
  std::vector<char> buffer(std::min<std::uint64_t>(kBufferBytes, recorded.bytes));
  Crc32c found;
  for (std::uint64_t at = 0; at < recorded.bytes;) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), recorded.bytes - at);
    KINETIC_ASSIGN_OR_RETURN(
        const std::size_t count,
        fs_->ReadAt(file_.get(), std::span(buffer).first(wanted), Begin(part) + at));
    if (count == 0) return false;
    found.Update({buffer.data(), count});
    at += count;
  }
  return found == recorded.checksum;
}

Result<std::uint64_t> PartsDownload::Resume(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(request_.partial, OpenMode::kReadWrite, 0666));
  KINETIC_ASSIGN_OR_RETURN(auto recorded, journal_.Load());
  std::erase_if(recorded, [&](const auto& part) { return part.first >= parts_.size(); });
  const std::vector<std::pair<std::uint64_t, PartsJournal::Progress>> found(recorded.begin(),
                                                                            recorded.end());
  KINETIC_RETURN_IF_ERROR(ParallelFor(options_.connections, found.size(), std::move(stop),
                                      [&](std::size_t i, const std::stop_token&) -> Status {
                                        KINETIC_ASSIGN_OR_RETURN(
                                            const bool valid,
                                            HasRecordedBytes(found[i].first, found[i].second));
                                        if (valid) parts_[found[i].first] = found[i].second;
                                        return {};
                                      }));
  KINETIC_RETURN_IF_ERROR(fs_->Truncate(file_.get(), request_.size_bytes));
  std::uint64_t bytes = 0;
  for (const auto& part : parts_) bytes += part.bytes;
  return bytes;
}

Status PartsDownload::FetchPart(std::size_t part, const Range& range, std::stop_token stop) {
  PartsJournal::Progress& progress = parts_[part];
  if (progress.bytes == Size(part)) return {};
  std::uint64_t recorded_bytes = progress.bytes;
  const auto store = [&](std::string_view piece) -> Status {
    if (piece.size() > Size(part) - progress.bytes) {
      return Fail(ErrorCode::kDataLoss,
                  "reading " + request_.name + ": the server sent more data than was requested");
    }
    KINETIC_RETURN_IF_ERROR(fs_->WriteAt(file_.get(), piece, Begin(part) + progress.bytes));
    progress.checksum.Update(piece);
    progress.bytes += piece.size();
    if (options_.on_bytes) options_.on_bytes(piece.size());
    const bool whole = progress.bytes == Size(part);
    // A file of one part needs no record of its end: it is renamed into place at once.
    const bool due =
        whole ? parts_.size() > 1 : progress.bytes - recorded_bytes >= kJournalStepBytes;
    if (!due) return {};
    recorded_bytes = progress.bytes;
    return journal_.Add(part, progress);
  };
  KINETIC_RETURN_IF_ERROR(
      range(Begin(part) + progress.bytes, Size(part) - progress.bytes, store, std::move(stop)));
  if (progress.bytes == Size(part)) return {};
  return Fail(ErrorCode::kAborted,
              "reading " + request_.name + ": it became shorter during the download",
              "download it again");
}

Status PartsDownload::CheckWhole() const {
  Crc32c whole;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    whole = whole.Concat(parts_[i].checksum, Size(i));
  }
  if (request_.crc32c.empty() || whole.Base64() == request_.crc32c) return {};
  return Fail(ErrorCode::kDataLoss,
              "reading " + request_.name + ": its CRC32C is " + whole.Base64() +
                  ", but the server reports " + request_.crc32c,
              "download it again; if the error repeats, the object or the network is damaged");
}

Status PartsDownload::FetchParts(const Range& range, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(ParallelFor(options_.connections, parts_.size(), std::move(stop),
                                      [&](std::size_t part, std::stop_token part_stop) {
                                        return FetchPart(part, range, std::move(part_stop));
                                      }));
  return CheckWhole();
}

Status PartsDownload::Fetch(const Range& range, std::stop_token stop) {
  if (!file_) KINETIC_RETURN_IF_ERROR(Resume(stop));
  for (int downloads = 1;; ++downloads) {
    Status fetched = FetchParts(range, stop);
    if (fetched) break;
    if (fetched.error().code != ErrorCode::kDataLoss) return fetched;
    // The checksum does not tell which part is wrong.
    std::fill(parts_.begin(), parts_.end(), PartsJournal::Progress());
    if (downloads == kMaxDownloads) {
      (void)Discard();
      return fetched;
    }
    KINETIC_RETURN_IF_ERROR(journal_.Remove());
  }
  if (request_.durable) KINETIC_RETURN_IF_ERROR(fs_->Sync(file_.get()));
  file_ = {};
  KINETIC_RETURN_IF_ERROR(fs_->Rename(request_.partial, request_.file));
  if (request_.durable) {
    const Path folder = request_.file.has_parent_path() ? request_.file.parent_path() : ".";
    KINETIC_RETURN_IF_ERROR(SyncDirectory(*fs_, folder));
  }
  return journal_.Remove();
}

Status PartsDownload::Discard() {
  file_ = {};
  KINETIC_RETURN_IF_ERROR(journal_.Remove());
  return RemoveIfPresent(*fs_, request_.partial);
}

}  // namespace kinetic
