#include "runner/status_board.h"

#include "local/replace_file.h"

#include <utility>

namespace kinetic::runner {

StatusBoard::StatusBoard(FileSystem& fs, Clock& clock, Path file, std::string id, OnShown on_shown)
    : fs_(fs), clock_(clock), file_(std::move(file)), on_shown_(std::move(on_shown)) {
  status_.id = std::move(id);
}

void StatusBoard::Resume(record::AttemptStatus status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

Status StatusBoard::Write() {
  record::AttemptStatus shown = status_;
  if (!interjection_.empty()) shown.reason = interjection_;
  if (on_shown_) on_shown_(shown);
  return local::ReplaceFile(fs_, file_, record::ToJson(shown), 0600);
}

Status StatusBoard::Show(JobState state, Phase phase, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
  status_.phase = phase;
  status_.reason = reason;
  return Write();
}

Status StatusBoard::Interject(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  interjection_ = reason;
  return Write();
}

void StatusBoard::Note(std::string_view moment, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  status_.timeline.push_back({std::string(moment), clock_.Now(), std::string(detail)});
}

void StatusBoard::BeginAttempt(std::uint32_t attempt) {
  const std::lock_guard lock(mutex_);
  status_.attempt = attempt;
}

Status StatusBoard::CountBytes(record::Progress fetched) {
  const std::lock_guard lock(mutex_);
  if (status_.fetched == fetched) return {};
  status_.fetched = fetched;
  return Write();
}

void StatusBoard::CountRecords(std::uint64_t log_records) {
  const std::lock_guard lock(mutex_);
  status_.log_records = log_records;
}

record::AttemptStatus StatusBoard::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<WallTime> StatusBoard::When(std::string_view moment) const {
  const std::lock_guard lock(mutex_);
  for (const auto& known : status_.timeline) {
    if (known.name == moment) return known.time;
  }
  return std::nullopt;
}

}  // namespace kinetic::runner
