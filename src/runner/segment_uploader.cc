#include "runner/segment_uploader.h"

#include "base/try.h"
#include "local/runtime.h"
#include "record/layout.h"
#include "record/log_segment.h"

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxSegmentBytes =
    record::kLogSegmentBytes + record::kLogRecordBytes + 4096;

}  // namespace

SegmentUploader::SegmentUploader(store::Store& store, FileSystem& fs, Places places)
    : store_(store),
      fs_(fs),
      places_(std::move(places)),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

SegmentUploader::~SegmentUploader() = default;

void SegmentUploader::Add(std::uint32_t attempt, std::uint64_t first_sequence) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({attempt, first_sequence});
  failed_ = {};
  changed_.notify_all();
}

Status SegmentUploader::Drain() {
  std::unique_lock lock(mutex_);
  failed_ = {};
  changed_.notify_all();
  changed_.wait(lock, [&] { return waiting_.empty() || !failed_; });
  return failed_;
}

void SegmentUploader::Work(const std::stop_token& stop) {
  for (;;) {
    Segment segment{};
    {
      std::unique_lock lock(mutex_);
      const auto ready = [&] { return !waiting_.empty() && failed_.has_value(); };
      if (!changed_.wait(lock, stop, ready)) return;
      segment = waiting_.front();
    }
    const Status uploaded = Upload(segment, stop);
    const std::lock_guard lock(mutex_);
    if (uploaded) {
      waiting_.pop_front();
    } else {
      failed_ = uploaded;
    }
    changed_.notify_all();
  }
}

Status SegmentUploader::Upload(const Segment& segment, const std::stop_token& stop) {
  const Path file = local::SpoolSegment(places_.spool, segment.first_sequence);
  KINETIC_ASSIGN_OR_RETURN(const std::string plain, ReadFile(fs_, file, kMaxSegmentBytes));
  const std::string name =
      record::LogSegmentName(places_.id, segment.attempt, places_.host, segment.first_sequence);
  // One that is there already is the same: an earlier try whose answer was lost.
  KINETIC_ASSIGN_OR_RETURN(
      [[maybe_unused]] const auto stored,
      store::PutBytes(store_, name, record::Seal(plain), store::Precondition::Absent(), stop));
  return fs_.Unlink(file);
}

}  // namespace kinetic::runner
