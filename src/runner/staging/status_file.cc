#include "runner/staging/status_file.h"

#include "local/replace_file.h"

#include <utility>

namespace kinetic::runner {

StatusFile::StatusFile(FileSystem& fs, Clock& clock, Path file, const record::JobKey& job,
                       OnWritten on_written)
    : fs_(fs), clock_(clock), file_(std::move(file)), on_written_(std::move(on_written)) {
  status_.id = job.id;
  status_.nonce = job.nonce;
}

void StatusFile::Resume(record::AttemptStatus status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

Status StatusFile::Write() {
  record::AttemptStatus written = status_;
  if (!wait_reason_.empty()) written.reason = wait_reason_;
  if (on_written_) on_written_(written);
  return local::ReplaceFile(fs_, file_, record::ToJson(written), 0600);
}

Status StatusFile::Set(JobState state, Phase phase, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
  status_.phase = phase;
  status_.reason = reason;
  return Write();
}

Status StatusFile::SetRunningReason(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  if (status_.phase != Phase::kRun) return {};
  status_.reason = reason;
  return Write();
}

Status StatusFile::SetWaitReason(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  wait_reason_ = reason;
  return Write();
}

void StatusFile::AddEvent(std::string_view name, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  status_.timeline.push_back({std::string(name), clock_.Now(), std::string(detail)});
}

void StatusFile::SetTasks(const TaskCounts& tasks) {
  const std::lock_guard lock(mutex_);
  status_.tasks = tasks;
}

void StatusFile::BeginAttempt(std::uint32_t attempt) {
  const std::lock_guard lock(mutex_);
  status_.attempt = attempt;
}

Status StatusFile::SetFetchProgress(record::Progress fetched) {
  const std::lock_guard lock(mutex_);
  if (status_.fetched == fetched) return {};
  status_.fetched = fetched;
  return Write();
}

void StatusFile::SetLogRecords(std::uint64_t log_records) {
  const std::lock_guard lock(mutex_);
  status_.log_records = log_records;
}

record::AttemptStatus StatusFile::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<WallTime> StatusFile::TimeOf(std::string_view event) const {
  const std::lock_guard lock(mutex_);
  for (const auto& known : status_.timeline) {
    if (known.name == event) return known.time;
  }
  return std::nullopt;
}

}  // namespace kinetic::runner
