#include "runner/log/spool_follower.h"

#include "kinetic/try.h"

#include "local/runtime.h"
#include "runner/diagnostics.h"

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kSpoolReadBytes = 256U << 10;

}  // namespace

SpoolFollower::SpoolFollower(FileSystem& fs, Path spool, Spool::OnWritten on_written)
    : fs_(fs), spool_(std::move(spool)), on_written_(std::move(on_written)) {}

Status SpoolFollower::Poll() { return Advance(false); }

Status SpoolFollower::Finish() { return Advance(true); }

Result<std::vector<std::uint64_t>> SpoolFollower::Segments() const {
  std::vector<std::uint64_t> segments;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(spool_));
  for (const auto& entry : entries) {
    const auto first = local::ParseSpoolSegment(entry.name);
    if (first && (!done_ || *first > *done_)) segments.push_back(*first);
  }
  std::sort(segments.begin(), segments.end());
  return segments;
}

Status SpoolFollower::Advance(bool last) {
  // Listed before reading: a segment is complete once a later one exists.
  KINETIC_ASSIGN_OR_RETURN(const auto segments, Segments());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!open_) {
      KINETIC_ASSIGN_OR_RETURN(
          UniqueFd fd, fs_.Open(local::SpoolSegment(spool_, segments[i]), OpenMode::kRead, 0));
      open_.emplace();
      open_->fd = std::move(fd);
      open_->first = segments[i];
    }
    KINETIC_RETURN_IF_ERROR(Read());
    const bool sealed = last || i + 1 < segments.size();
    Notify(sealed);
    if (!sealed) return {};
    done_ = open_->first;
    open_.reset();
  }
  return {};
}

Status SpoolFollower::Read() {
  buffer_.resize(kSpoolReadBytes);
  const auto ignore = [](const LogRecord&) -> Status { return {}; };
  while (!open_->damaged) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs_.ReadAt(open_->fd.get(), buffer_, open_->offset));
    if (count == 0) return {};
    open_->offset += count;
    const Status fed = open_->parser.Feed(std::string_view(buffer_).substr(0, count), ignore);
    if (fed) continue;
    LogFailure("reading the spool", fed);
    open_->damaged = true;
  }
  return {};
}

void SpoolFollower::Notify(bool sealed) {
  const auto next = open_->parser.next_sequence();
  if (next) next_ = next;
  if (!next || *next == open_->first) {
    // It has no whole record; another segment may need its name.
    if (sealed) {
      LogFailure("removing an empty log segment",
                 fs_.Unlink(local::SpoolSegment(spool_, open_->first)));
    }
    return;
  }
  const std::uint64_t whole = open_->parser.whole_bytes();
  if (whole == open_->reported_bytes && !sealed) return;
  open_->reported_bytes = whole;
  on_written_({open_->parser.attempt(), open_->first, whole, *next, sealed});
}

}  // namespace kinetic::runner
