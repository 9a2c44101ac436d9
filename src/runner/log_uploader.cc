#include "runner/log_uploader.h"

#include "base/try.h"
#include "local/runtime.h"
#include "record/layout.h"
#include "record/log_objects.h"
#include "record/log_segment.h"
#include "runner/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr int kTries = 3;

milliseconds Until(SteadyTime time, SteadyTime now) {
  return std::max(std::chrono::ceil<milliseconds>(time - now), milliseconds(0));
}

}  // namespace

LogUploader::LogUploader(store::Store& store, FileSystem& fs, Clock& clock, Places places)
    : store_(store),
      fs_(fs),
      clock_(clock),
      places_(std::move(places)),
      alarm_(clock),
      watch_(store, clock, places_.id),
      merger_(store),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

LogUploader::~LogUploader() = default;

void LogUploader::Take(const SpooledSegment& segment) {
  const std::lock_guard lock(mutex_);
  if (segments_.empty() || segments_.back().sealed) {
    segments_.push_back(segment);
  } else {
    segments_.back() = segment;
  }
  if (segment.sealed) {
    failed_ = {};
    return alarm_.Ring();
  }
  const auto due = schedule_.Due(followed_);
  schedule_.Grown(Unstored(segment), clock_.Steady());
  if (schedule_.Due(followed_) != due) alarm_.Ring();
}

void LogUploader::Hurry() {
  const std::lock_guard lock(mutex_);
  urgent_ = hurried_ = followed_ = true;
  alarm_.Ring();
}

bool LogUploader::HasNews() const {
  return !segments_.empty() && (segments_.front().sealed || segments_.back().next > done_.next);
}

std::uint64_t LogUploader::Unstored(const SpooledSegment& segment) const {
  const bool goes_on = segment.attempt == done_.attempt && segment.first == done_.first;
  return goes_on ? segment.bytes - done_.bytes : segment.bytes;
}

Status LogUploader::Drain() {
  std::unique_lock lock(mutex_);
  failed_ = {};
  urgent_ = true;
  alarm_.Ring();
  changed_.wait(lock, [&] { return !HasNews() || !failed_; });
  return failed_;
}

/// What is to be uploaded now; otherwise when to look again.
std::optional<SpooledSegment> LogUploader::Next(std::optional<SteadyTime>& wake) {
  const std::lock_guard lock(mutex_);
  wake.reset();
  if (!failed_ || !HasNews()) return std::nullopt;
  const SpooledSegment& segment = segments_.front();
  const auto due = schedule_.Due(followed_);
  if (segment.sealed || urgent_ || !due || *due <= clock_.Steady()) return segment;
  wake = std::min(*due, watch_.next_look());
  return std::nullopt;
}

void LogUploader::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { alarm_.Ring(); });
  while (!stop.stop_requested()) {
    std::optional<SteadyTime> wake;
    if (const auto segment = Next(wake)) {
      Finish(*segment, Upload(*segment, stop));
      continue;
    }
    const SteadyTime now = clock_.Steady();
    if (!wake || now < watch_.next_look()) {
      alarm_.Wait(wake ? std::optional(Until(*wake, now)) : std::nullopt);
      continue;
    }
    const bool followed = watch_.Look(stop);
    const std::lock_guard lock(mutex_);
    followed_ = followed || hurried_;
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
  if (segments_.size() < 2) schedule_.Flushed(now);
  if (HasNews()) {
    schedule_.Grown(Unstored(segments_.back()), now);
  } else {
    urgent_ = false;
  }
}

/// The records that the stored object lacks, as a plain segment.
Result<std::string> LogUploader::ReadNews(const SpooledSegment& segment) {
  KINETIC_ASSIGN_OR_RETURN(
      const UniqueFd fd,
      fs_.Open(local::SpoolSegment(places_.spool, segment.first), OpenMode::kRead, 0));
  std::string plain;
  if (stored_.bytes > 0) plain = record::SegmentHeader(segment.attempt, stored_.next);
  std::size_t at = plain.size();
  plain.resize(at + segment.bytes - stored_.bytes);
  for (std::uint64_t offset = stored_.bytes; offset < segment.bytes;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs_.ReadAt(fd.get(), std::span(plain).subspan(at), offset));
    if (count == 0) {
      return Fail(ErrorCode::kDataLoss,
                  fmt::format("the spooled log segment {} ends before byte {}", segment.first,
                              segment.bytes));
    }
    at += count;
    offset += count;
  }
  return plain;
}

/// Whatever an earlier try whose answer was lost has left is replaced.
Result<store::ObjectInfo> LogUploader::Put(const std::string& name, std::uint64_t next,
                                           const std::stop_token& stop) {
  const store::Metadata metadata = record::LogMetadata(next);
  auto precondition = stored_.info ? store::Precondition::Generation(stored_.info->generation)
                                   : store::Precondition::Absent();
  for (int i = 0; i < kTries; ++i) {
    KINETIC_ASSIGN_OR_RETURN(
        auto put, store::PutBytes(store_, name, stored_.object, precondition, stop, metadata));
    if (put) return *std::move(put);
    KINETIC_ASSIGN_OR_RETURN(auto there, store_.Stat(name, stop));
    if (there && there->size_bytes == stored_.object.size() && there->metadata == metadata) {
      return *std::move(there);
    }
    precondition =
        there ? store::Precondition::Generation(there->generation) : store::Precondition::Absent();
  }
  return Fail(ErrorCode::kAborted, fmt::format("storing {}: somebody else writes it too", name));
}

Status LogUploader::Upload(const SpooledSegment& segment, const std::stop_token& stop) {
  if (segment.attempt != stored_.attempt) merger_.Break();
  if (segment.attempt != stored_.attempt || segment.first != stored_.first) {
    stored_ = {.attempt = segment.attempt,
               .first = segment.first,
               .bytes = 0,
               .next = segment.first,
               .object = {},
               .info = {}};
  }
  const std::string name =
      record::LogSegmentName(places_.id, segment.attempt, places_.host, segment.first);
  if (segment.bytes > stored_.bytes) {
    KINETIC_ASSIGN_OR_RETURN(const std::string plain, ReadNews(segment));
    const std::size_t before = stored_.object.size();
    stored_.object += record::Seal(plain);
    auto info = Put(name, segment.next, stop);
    if (!info) {
      stored_.object.resize(before);
      return Failure(std::move(info).error());
    }
    stored_.info = *std::move(info);
    stored_.bytes = segment.bytes;
    stored_.next = segment.next;
  }
  if (!segment.sealed) return {};
  KINETIC_RETURN_IF_ERROR(fs_.Unlink(local::SpoolSegment(places_.spool, segment.first)));
  DiagnoseError("joining segments of the log", merger_.Add(*stored_.info, segment.next, stop));
  stored_.object.clear();
  return {};
}

}  // namespace kinetic::runner
