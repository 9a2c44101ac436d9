#include "runner/log/capture.h"

#include "kinetic/metrics.h"

#include "base/strings.h"
#include "record/log/segment.h"
#include "record/metric_fields.h"
#include "runner/diagnostics.h"

#include <fmt/format.h>

#include <cstring>

namespace kinetic::runner {
namespace {

/// What Python prints before a traceback, and for each of its frames.
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kFrame = "  File \"";
constexpr std::size_t kMaxErrorBytes = 1000;

bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Returns where to cut a line above the limit: before the character that does not fit.
std::size_t CutPoint(std::string_view line) {
  std::size_t cut = record::kLogRecordBytes;
  constexpr std::size_t kMaxContinuation = 3;
  for (std::size_t i = 0; i < kMaxContinuation && ContinuesCharacter(line[cut]); ++i) --cut;
  return ContinuesCharacter(line[cut]) ? record::kLogRecordBytes : cut;
}

/// Returns the length of a text without an incomplete UTF-8 character at its end.
std::size_t CompleteLength(std::string_view text) {
  std::size_t lead = text.size() - 1;
  while (lead > 0 && ContinuesCharacter(text[lead])) --lead;
  const auto first = static_cast<unsigned char>(text[lead]);
  std::size_t bytes = 1;
  if (first >= 0xC0) bytes = 2;
  if (first >= 0xE0) bytes = 3;
  if (first >= 0xF0) bytes = 4;
  return text.size() - lead < bytes ? lead : text.size();
}

/// Returns the length of the first record with its end, or 0 if the end is missing.
std::size_t RecordLength(std::string_view text) {
  const std::size_t newline = text.find('\n');
  const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
  const void* found = std::memchr(text.data(), '\r', end);
  if (found == nullptr) return newline == std::string_view::npos ? 0 : newline + 1;
  const auto carriage = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  if (carriage + 1 == text.size()) return 0;  // a newline may follow
  return text[carriage + 1] == '\n' ? carriage + 2 : carriage + 1;
}

/// Reports the records in `text`; returns what is left.
std::string_view SplitLines(std::string_view text, const LineSplitter::OnRecord& on_record) {
  while (!text.empty()) {
    std::size_t length = RecordLength(text);
    if (length > record::kLogRecordBytes ||
        (length == 0 && text.size() > record::kLogRecordBytes)) {
      length = CutPoint(text);
    }
    if (length == 0) break;
    on_record(text.substr(0, length));
    text.remove_prefix(length);
  }
  return text;
}

/// Returns where a row of metrics begins within a line, or 0: another thread of a program may write a
/// line in several pieces.
std::size_t StartOfMetrics(std::string_view line) {
  if (line.starts_with(record::kMetricsPrefix) || !Trim(line).ends_with("}}")) return 0;
  const std::size_t at = line.rfind(record::kMetricsPrefix);
  return at != std::string_view::npos && ParseMetrics(line.substr(at)) ? at : 0;
}

}  // namespace

void LineSplitter::Feed(std::string_view bytes, const OnRecord& on_record) {
  if (partial_.empty()) {
    partial_ = SplitLines(bytes, on_record);
    return;
  }
  // Only the first line is joined with the partial line; the rest is split without a copy.
  const std::size_t newline = bytes.find('\n');
  const std::size_t length = newline == std::string_view::npos ? bytes.size() : newline + 1;
  partial_ += bytes.substr(0, length);
  const std::string_view left = SplitLines(partial_, on_record);
  if (!left.empty() || length == bytes.size()) {
    partial_.erase(0, partial_.size() - left.size());
    return;
  }
  partial_ = SplitLines(bytes.substr(length), on_record);
}

void LineSplitter::Flush(const OnRecord& on_record) {
  if (partial_.empty()) return;
  on_record(partial_);
  partial_.clear();
}

void LineSplitter::FlushCharacters(const OnRecord& on_record) {
  if (partial_.empty()) return;
  std::size_t length = CompleteLength(partial_);
  if (length == 0) length = partial_.size();
  on_record(std::string_view(partial_).substr(0, length));
  partial_.erase(0, length);
}

LogCapture::LogCapture(Spool& spool, Clock& clock, const std::vector<std::string>& secrets,
                       const Path& work)
    : spool_(spool),
      clock_(clock),
      secrets_(secrets),
      out_(Stream::kStdout, secrets),
      err_(Stream::kStderr, secrets),
      frame_(work.empty() ? "" : fmt::format("{}{}/", kFrame, work.native())) {}

Status LogCapture::Commit() {
  constexpr std::chrono::seconds kFullDiskWait{5};
  constexpr std::chrono::milliseconds kPoll{100};
  const SteadyTime until = clock_.Steady() + kFullDiskWait;
  Status committed = spool_.Commit();
  while (!committed && committed.error().code == ErrorCode::kResourceExhausted && !gave_up_ &&
         clock_.Steady() < until && clock_.Sleep(kPoll, {})) {
    committed = spool_.Commit();
  }
  gave_up_ = !committed;
  return committed;
}

void LogCapture::Split(Lane& lane, std::string_view bytes) {
  const WallTime now = clock_.Now();
  bool begins = !lane.splitter.HasPartialLine();
  lane.splitter.Feed(bytes, [&](std::string_view record) {
    Record(lane.stream, now, record);
    begins = true;
  });
  if (begins) lane.partial_since = clock_.Steady();
}

void LogCapture::Record(Stream stream, WallTime now, std::string_view record) {
  if (stream != Stream::kStderr) {
    const std::size_t row = StartOfMetrics(record);
    if (row != 0) spool_.Append(stream, now, record.substr(0, row));
    return spool_.Append(stream, now, record.substr(row));
  }
  const bool is_frame = record.starts_with(kFrame);
  if (is_frame || record.starts_with(kTraceback)) {
    in_traceback_ = true;
    python_error_.clear();
  } else if (!record.starts_with(' ') && !Trim(record).empty()) {
    python_error_ = in_traceback_ ? Trim(record).substr(0, kMaxErrorBytes) : "";
    in_traceback_ = false;
  }
  // Bars precede the frames of the members of an exception group.
  const std::size_t at = frame_.empty() ? std::string::npos : record.find(frame_);
  if (at == std::string::npos || record.find_first_not_of("| ") < at)
    return spool_.Append(stream, now, record);
  spool_.Append(
      stream, now,
      fmt::format("{}{}{}", record.substr(0, at), kFrame, record.substr(at + frame_.size())));
}

Status LogCapture::Append(Stream stream, std::string_view bytes) {
  Lane& lane = stream == Stream::kStderr ? err_ : out_;
  if (secrets_.empty()) {
    Split(lane, bytes);
  } else {
    redacted_.clear();
    lane.redactor.Feed(bytes, redacted_);
    Split(lane, redacted_);
  }
  return Commit();
}

Status LogCapture::Note(std::string_view text) {
  spool_.Append(Stream::kSystem, clock_.Now(), Redact(text, secrets_) + "\n");
  return Commit();
}

Status LogCapture::FlushPartialLines(SteadyTime latest_start) {
  const WallTime now = clock_.Now();
  bool flushed = false;
  for (Lane* lane : {&out_, &err_}) {
    if (!lane->splitter.HasPartialLine() || lane->partial_since > latest_start) continue;
    lane->splitter.FlushCharacters(
        [&](std::string_view record) { Record(lane->stream, now, record); });
    lane->partial_since = clock_.Steady();
    flushed = true;
  }
  return flushed ? Commit() : Status{};
}

void LogCapture::Seal() {
  const Status sealed = spool_.Seal();
  if (sealed) return;
  LogFailure("sealing the log", sealed);
  LogDiagnostic(fmt::format("the last {} log records are lost: they could not be written",
                            spool_.SealWritten()));
}

Status LogCapture::Flush() {
  for (Lane* lane : {&out_, &err_}) {
    redacted_.clear();
    lane->redactor.Flush(redacted_);
    Split(*lane, redacted_);
    lane->splitter.Flush(
        [&, now = clock_.Now()](std::string_view record) { Record(lane->stream, now, record); });
  }
  return Commit();
}

}  // namespace kinetic::runner
