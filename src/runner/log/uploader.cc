#include "runner/log/uploader.h"

#include "kinetic/try.h"

#include "local/runtime.h"
#include "record/log/objects.h"
#include "record/log/segment.h"
#include "record/object_names.h"
#include "runner/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr int kUploadTries = 3;

milliseconds Until(SteadyTime time, SteadyTime now) {
  return std::max(std::chrono::ceil<milliseconds>(time - now), milliseconds(0));
}

/// Returns whether the job has removed or damaged a file of the spool.
bool IsLost(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDataLoss;
}

}  // namespace

void FlushSchedule::OnGrown(std::uint64_t unstored_bytes, SteadyTime now) {
  bytes_ = unstored_bytes;
  if (!oldest_) oldest_ = now;
}

void FlushSchedule::OnFlushed(SteadyTime now) {
  oldest_.reset();
  bytes_ = 0;
  flushed_ = now;
  interval_ = std::min(2 * interval_, kUnfollowedFlush);
}

std::optional<SteadyTime> FlushSchedule::Due(bool followed) const {
  if (!oldest_) return std::nullopt;
  SteadyTime due = *oldest_;
  if (bytes_ < kFlushBytes) due += followed ? kFollowedFlush : interval_;
  return flushed_ ? std::max(due, *flushed_ + kFlushPause) : due;
}

LogUploader::LogUploader(store::Store& store, FileSystem& fs, Clock& clock, Options options)
    : store_(store),
      fs_(fs),
      clock_(clock),
      options_(std::move(options)),
      waiter_(clock),
      followers_(store, clock, options_.job.id),
      merger_(store, options_.job),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

LogUploader::~LogUploader() = default;

void LogUploader::OnSegment(const SpooledSegment& segment) {
  const std::lock_guard lock(mutex_);
  if (segments_.empty() || segments_.back().sealed) {
    segments_.push_back(segment);
  } else {
    segments_.back() = segment;
  }
  if (segment.sealed) {
    failed_ = {};
    return waiter_.Wake();
  }
  const auto due = schedule_.Due(followed_);
  schedule_.OnGrown(UnstoredBytes(segment), clock_.Steady());
  if (schedule_.Due(followed_) != due) waiter_.Wake();
}

void LogUploader::Expedite() {
  const std::lock_guard lock(mutex_);
  urgent_ = expedited_ = followed_ = true;
  waiter_.Wake();
}

bool LogUploader::HasNews() const {
  return !segments_.empty() && (segments_.front().sealed || segments_.back().next > done_.next);
}

std::uint64_t LogUploader::UnstoredBytes(const SpooledSegment& segment) const {
  const bool continues = segment.attempt == done_.attempt && segment.first == done_.first;
  return continues ? segment.bytes - done_.bytes : segment.bytes;
}

Status LogUploader::Drain() {
  std::unique_lock lock(mutex_);
  failed_ = {};
  urgent_ = true;
  waiter_.Wake();
  changed_.wait(lock, [&] { return !HasNews() || !failed_; });
  return failed_;
}

/// Returns the segment to upload now, or sets `wake` to the time of the next check.
std::optional<SpooledSegment> LogUploader::Next(std::optional<SteadyTime>& wake) {
  const std::lock_guard lock(mutex_);
  wake.reset();
  if (!failed_ || !HasNews()) return std::nullopt;
  const SpooledSegment& segment = segments_.front();
  const auto due = schedule_.Due(followed_);
  if (segment.sealed || urgent_ || !due || *due <= clock_.Steady()) return segment;
  wake = std::min(*due, followers_.next_poll());
  return std::nullopt;
}

void LogUploader::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { waiter_.Wake(); });
  while (!stop.stop_requested()) {
    std::optional<SteadyTime> wake;
    if (const auto segment = Next(wake)) {
      Finish(*segment, Upload(*segment, stop));
      continue;
    }
    const SteadyTime now = clock_.Steady();
    if (!wake || now < followers_.next_poll()) {
      waiter_.Wait(wake ? std::optional(Until(*wake, now)) : std::nullopt);
      continue;
    }
    const bool followed = followers_.IsFollowed(stop);
    const std::lock_guard lock(mutex_);
    followed_ = followed || expedited_;
  }
}

void LogUploader::Finish(const SpooledSegment& segment, Status uploaded) {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  if (!uploaded) {
    failed_ = std::move(uploaded);
    return;
  }
  done_ = segment;
  if (segment.sealed) segments_.pop_front();
  const SteadyTime now = clock_.Steady();
  if (segments_.size() < 2) schedule_.OnFlushed(now);
  if (HasNews()) {
    schedule_.OnGrown(UnstoredBytes(segments_.back()), now);
  } else {
    urgent_ = false;
  }
}

std::vector<MetricSummary> LogUploader::metrics() {
  const std::lock_guard lock(mutex_);
  return metrics_;
}

/// Returns the records that are not stored yet as an uncompressed segment, and adds their metrics.
Result<std::string> LogUploader::ReadNews(const SpooledSegment& segment,
                                          std::vector<MetricSummary>& metrics) {
  KINETIC_ASSIGN_OR_RETURN(
      const UniqueFd fd,
      fs_.Open(local::SpoolSegment(options_.spool, segment.first), OpenMode::kRead, 0));
  std::string plain;
  if (stored_.bytes > 0) plain = record::SegmentHeader(segment.attempt, stored_.next);
  std::size_t at = plain.size();
  plain.resize(at + segment.bytes - stored_.bytes);
  for (std::uint64_t offset = stored_.bytes; offset < segment.bytes;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs_.ReadAt(fd.get(), std::span(plain).subspan(at), offset));
    if (count == 0) {
      return Fail(ErrorCode::kDataLoss,
                  fmt::format("the spooled log segment {} is shorter than {} bytes", segment.first,
                              segment.bytes));
    }
    at += count;
    offset += count;
  }
  record::SegmentParser parser;
  KINETIC_RETURN_IF_ERROR(parser.Feed(plain, [&](const LogRecord& record) -> Status {
    if (record.stream != Stream::kStdout) return {};
    if (const auto numbers = ParseMetrics(record.text)) AddMetrics(*numbers, metrics);
    return {};
  }));
  return plain;
}

/// Replaces what an earlier request whose response was lost may have written.
Result<store::ObjectInfo> LogUploader::Put(const std::string& name, std::uint64_t next,
                                           const std::stop_token& stop) {
  const store::Metadata metadata = record::LogMetadata(options_.job, next);
  auto precondition = stored_.info ? store::Precondition::Generation(stored_.info->generation)
                                   : store::Precondition::Absent();
  for (int i = 0; i < kUploadTries; ++i) {
    KINETIC_ASSIGN_OR_RETURN(
        auto put, store::PutBytes(store_, name, stored_.object, precondition, stop, metadata));
    if (put) return *std::move(put);
    KINETIC_ASSIGN_OR_RETURN(auto existing, store_.Stat(name, stop));
    if (existing && existing->size_bytes == stored_.object.size() &&
        existing->metadata == metadata) {
      return *std::move(existing);
    }
    precondition = existing ? store::Precondition::Generation(existing->generation)
                            : store::Precondition::Absent();
  }
  return Fail(ErrorCode::kAborted,
              fmt::format("cannot store {}: another process is also writing it", name));
}

Status LogUploader::Upload(const SpooledSegment& segment, const std::stop_token& stop) {
  if (segment.attempt != stored_.attempt) {
    merger_.Reset();
    const std::lock_guard lock(mutex_);
    metrics_.clear();
  }
  if (segment.attempt != stored_.attempt || segment.first != stored_.first) {
    stored_ = {.attempt = segment.attempt,
               .first = segment.first,
               .bytes = 0,
               .next = segment.first,
               .object = {},
               .info = {}};
  }
  const std::string name =
      record::LogSegmentName(record::RunKey(options_.job.id, segment.attempt), segment.first);
  if (segment.bytes > stored_.bytes && !stored_.is_lost) {
    std::vector<MetricSummary> metrics = this->metrics();
    const auto plain = ReadNews(segment, metrics);
    if (!plain && IsLost(plain.error())) {
      LogFailure("storing the log", Failure(plain.error()));
      stored_.is_lost = true;
      return Upload(segment, stop);
    }
    if (!plain) return Failure(plain.error());
    const std::size_t before = stored_.object.size();
    stored_.object += record::Seal(*plain);
    auto info = Put(name, segment.next, stop);
    if (!info) {
      stored_.object.resize(before);
      return Failure(std::move(info).error());
    }
    stored_.info = *std::move(info);
    stored_.bytes = segment.bytes;
    stored_.next = segment.next;
    const std::lock_guard lock(mutex_);
    metrics_ = std::move(metrics);
  }
  if (!segment.sealed) return {};
  Status unlinked = fs_.Unlink(local::SpoolSegment(options_.spool, segment.first));
  if (!unlinked && !stored_.is_lost) return unlinked;
  if (stored_.is_lost) merger_.Reset();
  if (!stored_.is_lost)
    LogFailure("merging log segments", merger_.Add(*stored_.info, segment.next, stop));
  stored_.object.clear();
  return {};
}

}  // namespace kinetic::runner
