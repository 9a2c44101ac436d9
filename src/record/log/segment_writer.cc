#include "record/log/segment_writer.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "record/log/objects.h"
#include "record/log/segment.h"
#include "record/object_names.h"

namespace kinetic::record {

Status SegmentWriter::Add(const LogRecord& record) {
  const bool follows = record.attempt == attempt_ && record.sequence == next_;
  if (plain_.size() >= kLogSegmentBytes || (!plain_.empty() && !follows)) {
    KINETIC_RETURN_IF_ERROR(Flush());
  }
  if (plain_.empty()) {
    attempt_ = record.attempt;
    first_ = record.sequence;
    plain_ = SegmentHeader(attempt_, first_);
  }
  AppendRecord(plain_, record.stream, ToMicros(record.time), record.text);
  next_ = record.sequence + 1;
  return {};
}

Status SegmentWriter::Flush() {
  if (plain_.empty()) return {};
  failed_ = true;
  const auto put =
      store::PutBytes(store_, LogSegmentName(RunKey(job_.id, attempt_), first_), Seal(plain_),
                      store::Precondition::Absent(), stop_, LogMetadata(job_, next_));
  if (!put) return Failure(put.error());
  failed_ = false;
  plain_.clear();
  return {};
}

}  // namespace kinetic::record
