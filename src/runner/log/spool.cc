#include "runner/log/spool.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "local/runtime.h"
#include "record/log/segment.h"

#include <utility>

namespace kinetic::runner {

Spool::Spool(FileSystem& fs, Path folder, OnWritten on_written)
    : fs_(fs), folder_(std::move(folder)), on_written_(std::move(on_written)) {}

Status Spool::BeginAttempt(std::uint32_t attempt) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_, 0700));
  attempt_ = attempt;
  return {};
}

Status Spool::BeginAttempt(std::uint32_t attempt, std::uint64_t next_sequence) {
  next_ = written_next_ = next_sequence;
  return BeginAttempt(attempt);
}

void Spool::Append(Stream stream, WallTime time, std::string_view text) {
  if (!open_) {
    open_ = true;
    first_ = next_;
    written_bytes_ = 0;
    buffer_ = record::SegmentHeader(attempt_, first_);
    segment_bytes_ = buffer_.size();
  }
  const std::size_t before = buffer_.size();
  record::AppendRecord(buffer_, stream, ToMicros(time), text);
  segment_bytes_ += buffer_.size() - before;
  ++next_;
  if (segment_bytes_ >= record::kLogSegmentBytes && sealed_) sealed_ = Seal();
}

Status Spool::OpenSegment() {
  if (fd_) return {};
  KINETIC_ASSIGN_OR_RETURN(
      fd_, fs_.Open(local::SpoolSegment(folder_, first_), OpenMode::kCreateNew, 0600));
  return {};
}

Status Spool::CommitPart() {
  if (!open_ || buffer_.empty()) return {};
  KINETIC_RETURN_IF_ERROR(OpenSegment());
  KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd_.get(), buffer_, written_bytes_));
  written_bytes_ += buffer_.size();
  written_next_ = next_;
  buffer_.clear();
  return {};
}

Status Spool::Commit() {
  if (!sealed_) return sealed_ = Seal();
  return CommitAll();
}

Status Spool::CommitAll() {
  const bool grows = open_ && !buffer_.empty();
  KINETIC_RETURN_IF_ERROR(CommitPart());
  if (grows) Notify(false);
  return {};
}

void Spool::Notify(bool sealed) const {
  on_written_({attempt_, first_, written_bytes_, written_next_, sealed});
}

Status Spool::Seal() {
  KINETIC_RETURN_IF_ERROR(CommitAll());
  if (!open_) return {};
  NotifySealed();
  return {};
}

void Spool::NotifySealed() {
  fd_.Reset();
  open_ = false;
  Notify(true);
}

std::uint64_t Spool::SealWritten() {
  const std::uint64_t lost = next_ - written_next_;
  sealed_ = {};
  buffer_.clear();
  if (fd_ && written_bytes_ > 0 && fs_.Truncate(fd_.get(), written_bytes_)) {
    NotifySealed();
  } else {
    fd_.Reset();
    open_ = false;
  }
  written_next_ = next_;  // readers report the gap in the numbers
  return lost;
}

}  // namespace kinetic::runner
