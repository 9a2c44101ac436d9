#include "backend/scripted/simulated_job.h"

#include "kinetic/try.h"

#include "json/content.h"
#include "json/stored_content.h"
#include "local/outputs.h"
#include "record/ended_task.h"
#include "record/index.h"
#include "record/log/segment.h"
#include "record/log/segment_writer.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_id.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

record::RunKey RunOf(const record::StoredOutcome& stored) {
  return record::RunKey(stored.job.id, stored.outcome.attempt);
}

/// Stores the arrays of a value, as a real job does.
Status StoreContent(store::Store& store, record::StoredOutcome& stored) {
  const auto store_one = [&](const Bytes& content) -> Result<Digest> {
    const Digest sha256 = json::DigestOf(content);
    const std::string name = record::StoredValueName(RunOf(stored), sha256);
    KINETIC_RETURN_IF_ERROR(store::Overwrite(store, name, content.view(), {}));
    return sha256;
  };
  return json::StoreContent(stored.outcome.value, store_one);
}

/// Stores a value that is too long for the result.
Status StoreLongValue(store::Store& store, record::StoredOutcome& stored) {
  const std::string json = stored.outcome.value.ToJson();
  if (json.size() <= record::kInlineValueBytes) return {};
  stored.value = Sha256::Of(json);
  stored.outcome.value = {};
  return store::Overwrite(store, record::ValueName(RunOf(stored)), json, {},
                          record::OwnerMetadata(stored.job));
}

}  // namespace

SimulatedJob::SimulatedJob(const record::Record& record) : summary_(record::SummaryOf(record)) {}

void SimulatedJob::Begin(ScriptedJob script, const Moment& now) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);
  script_ = std::move(script);
  if (++attempt_ == 1) started_ = now.wall;
  script_.outcome.attempt = attempt_;
  script_.outcome.timeline.clear();
  // Sorts them, and keeps the order of equal times. std::stable_sort of libstdc++ is deprecated.
  std::multimap<std::chrono::milliseconds, const ScriptedJob::LogText*> texts;
  for (const auto& text : script_.log) texts.emplace(text.after, &text);
  for (const auto& [after, text] : texts) AddLog(*text, now);
  if (!texts.empty() && script_.duration)
    script_.duration = std::max(*script_.duration, texts.rbegin()->first);
  script_.log.clear();
  end_.reset();
  if (script_.duration) end_ = now.steady + std::min(*script_.duration, kLongest);
}

void SimulatedJob::AddLog(const ScriptedJob::LogText& text, const Moment& start) {
  for (std::string_view rest = text.text; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    const std::size_t line = newline == std::string_view::npos ? rest.size() : newline + 1;
    const std::size_t length = std::min(line, record::kLogRecordBytes);
    const Moment written{start.wall + text.after, start.steady + text.after};
    log_.push_back({attempt_, text.stream, std::string(rest.substr(0, length)), written});
    rest.remove_prefix(length);
  }
}

void SimulatedJob::Cancel(SteadyTime now) {
  script_.outcome = {};
  script_.outcome.state = JobState::kCancelled;
  script_.outcome.exit_code = record::kExitCancelled;
  script_.outcome.exit_source = ExitSource::kKinetic;
  script_.outcome.reason = "cancelled";
  script_.outcome.attempt = attempt_;
  std::erase_if(log_, [&](const Line& line) { return line.written.steady > now; });
}

void SimulatedJob::Fail(const Error& error) {
  script_.outcome = {};
  script_.outcome.exit_code = record::kExitBeforeUserCode;
  script_.outcome.exit_source = ExitSource::kKinetic;
  script_.outcome.reason = error.message;
  script_.outcome.attempt = attempt_;
}

Status SimulatedJob::Store(store::Store& store, WallTime now) const {
  KINETIC_RETURN_IF_ERROR(StoreOutputs(store));
  KINETIC_RETURN_IF_ERROR(StoreLog(store));
  record::StoredOutcome stored;
  stored.job = {summary_.id, summary_.nonce};
  stored.outcome = script_.outcome;
  stored.written_by = "runner";
  stored.log_records = log_.size();
  stored.moments = {{"started", started_, {}}, {"ended", now, {}}, {"finished", now, {}}};
  for (const auto& moment : stored.moments)
    stored.outcome.timeline.emplace_back(moment.name, moment.time);
  KINETIC_RETURN_IF_ERROR(StoreContent(store, stored));
  KINETIC_RETURN_IF_ERROR(StoreLongValue(store, stored));
  KINETIC_RETURN_IF_ERROR(store::PutBytes(store, record::ResultName(summary_.id),
                                          record::ToJson(stored), store::Precondition::Absent(),
                                          {}));
  if (record::ParseTaskId(summary_.id)) {
    return record::WriteEndedTask(store, stored, {});
  }
  JobSummary ended = summary_;
  ended.state = stored.outcome.state;
  ended.reason = stored.outcome.reason;
  ended.started = started_;
  ended.finished = now;
  ended.attempt = stored.outcome.attempt;
  return record::IndexEnd(store, ended, {});
}

Status SimulatedJob::StoreOutputs(store::Store& store) const {
  for (const auto& [path, content] : script_.outputs)
    KINETIC_RETURN_IF_ERROR(store::Overwrite(
        store, record::OutputName(summary_.id, local::EncodeObjectPath(path)), content, {}));
  return {};
}

Status SimulatedJob::StoreLog(store::Store& store) const {
  record::SegmentWriter writer(store, {summary_.id, summary_.nonce}, {});
  std::uint64_t sequence = 0;
  for (const Line& line : log_)
    KINETIC_RETURN_IF_ERROR(writer.Add({.sequence = sequence++,
                                        .attempt = line.attempt,
                                        .stream = line.stream,
                                        .time = line.written.wall,
                                        .text = line.text}));
  return writer.Flush();
}

std::vector<SimulatedJob::Line> SimulatedJob::LogSince(std::uint64_t from_sequence,
                                                       SteadyTime now) const {
  const auto first = log_.begin() + static_cast<std::ptrdiff_t>(
                                        std::min<std::uint64_t>(from_sequence, log_.size()));
  const auto last =
      std::find_if(first, log_.end(), [&](const Line& line) { return line.written.steady > now; });
  return {first, last};
}

std::optional<SteadyTime> SimulatedJob::TimeOfLine(std::uint64_t sequence) const {
  if (sequence >= log_.size()) return std::nullopt;
  return log_[sequence].written.steady;
}

Observation SimulatedJob::Observe(bool has_ended, SteadyTime now) const {
  record::AttemptStatus status{.id = summary_.id,
                               .nonce = summary_.nonce,
                               .state = has_ended ? script_.outcome.state : JobState::kRunning,
                               .phase = Phase::kRun,
                               .reason = {},
                               .fetched = {},
                               .log_records = has_ended ? log_.size() : LogSince(0, now).size(),
                               .timeline = {{"started", started_, {}}}};
  status.attempt = attempt_;
  return {.status = std::move(status), .alive = !has_ended};
}

}  // namespace kinetic::backend
