#include "backend/local/spool_reader.h"

#include "kinetic/try.h"

#include "local/runtime.h"

#include <algorithm>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::size_t kReadBytes = 256U << 10;

}  // namespace

Result<std::vector<std::uint64_t>> SpoolSegments(FileSystem& fs, const Path& spool) {
  std::vector<std::uint64_t> segments;
  const auto entries = fs.ReadDirectory(spool);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return segments;
    return Failure(entries.error());
  }
  for (const auto& entry : *entries) {
    if (const auto first = local::ParseSpoolSegment(entry.name)) segments.push_back(*first);
  }
  std::sort(segments.begin(), segments.end());
  return segments;
}

Status SpoolReader::Read(const LogRecordSink& each) {
  for (;;) {
    // Listed before reading: a segment is complete once a later one exists.
    KINETIC_ASSIGN_OR_RETURN(const auto segments, SpoolSegments(fs_, spool_));
    if (!segment_) {
      KINETIC_RETURN_IF_ERROR(Choose(segments));
      if (!segment_) return {};
    }
    KINETIC_RETURN_IF_ERROR(ReadToEnd(each));
    const auto later = std::upper_bound(segments.begin(), segments.end(), segment_->first);
    if (later == segments.end()) {
      // Not listed, so it was sealed and removed before it was read completely.
      if (!std::binary_search(segments.begin(), segments.end(), segment_->first)) Finish();
      return {};
    }
    Finish();
  }
}

Status SpoolReader::Choose(const std::vector<std::uint64_t>& segments) {
  const auto above = std::upper_bound(segments.begin(), segments.end(), next_);
  moved_away_ = above == segments.begin() && above != segments.end();
  if (above == segments.begin()) return {};
  const std::uint64_t first = *std::prev(above);
  if (finished_ && first <= *finished_) {
    moved_away_ = above != segments.end();
    return {};
  }
  auto fd = fs_.Open(local::SpoolSegment(spool_, first), OpenMode::kRead, 0);
  if (!fd) {
    if (fd.error().code != ErrorCode::kNotFound) return Failure(std::move(fd).error());
    moved_away_ = true;  // sealed between the listing and now
    return {};
  }
  segment_.emplace();
  segment_->fd = *std::move(fd);
  segment_->first = first;
  return {};
}

void SpoolReader::Finish() {
  finished_ = segment_->first;
  segment_.reset();
}

Status SpoolReader::ReadToEnd(const LogRecordSink& each) {
  const auto pass_on = [&](const LogRecord& record) -> Status {
    if (record.sequence < next_) return {};
    KINETIC_RETURN_IF_ERROR(each(record));
    next_ = record.sequence + 1;
    return {};
  };
  std::string buffer(kReadBytes, '\0');
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs_.ReadAt(segment_->fd.get(), buffer, segment_->offset));
    if (count == 0) return {};
    segment_->offset += count;
    KINETIC_RETURN_IF_ERROR(
        segment_->parser.Feed(std::string_view(buffer).substr(0, count), pass_on));
  }
}

}  // namespace kinetic::backend
