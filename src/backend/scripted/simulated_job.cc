#include "backend/scripted/simulated_job.h"

#include "kinetic/try.h"

#include "json/stored_content.h"
#include "local/outputs.h"
#include "record/index.h"
#include "record/log/segment.h"
#include "record/log/segment_writer.h"
#include "record/object_names.h"
#include "record/outcome.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

record::RunKey RunOf(const record::StoredOutcome& stored) {
  return record::RunKey(stored.job.id, stored.outcome.attempt);
}

/// Stores the arrays of a value, as a real job does.
Status StoreContent(store::Store& store, record::StoredOutcome& stored) {
  const auto store_one = [&](const Digest& sha256, std::string_view content) {
    const std::string name = record::StoredValueName(RunOf(stored), sha256);
    return store::Overwrite(store, name, content, {});
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

SimulatedJob::SimulatedJob(const record::Record& record, ScriptedJob script, WallTime now,
                           SteadyTime start)
    : summary_(record::SummaryOf(record)), script_(std::move(script)), started_(now) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);
  if (script_.duration) end_ = start + std::min(*script_.duration, kLongest);
  script_.outcome.attempt = 1;
  script_.outcome.timeline.clear();
  SplitLog();
}

void SimulatedJob::SplitLog() {
  for (const auto& [stream, text] : script_.log) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t newline = rest.find('\n');
      const std::size_t line = newline == std::string_view::npos ? rest.size() : newline + 1;
      const std::size_t length = std::min(line, record::kLogRecordBytes);
      log_.push_back({stream, std::string(rest.substr(0, length))});
      rest.remove_prefix(length);
    }
  }
  script_.log.clear();
}

void SimulatedJob::Cancel() {
  script_.outcome = {};
  script_.outcome.state = JobState::kCancelled;
  script_.outcome.exit_code = record::kExitCancelled;
  script_.outcome.exit_source = ExitSource::kKinetic;
  script_.outcome.reason = "cancelled";
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
  KINETIC_RETURN_IF_ERROR(ReadLog(0, [&](const LogRecord& record) { return writer.Add(record); }));
  return writer.Flush();
}

Status SimulatedJob::ReadLog(std::uint64_t from_sequence, const LogRecordSink& reader) const {
  for (std::uint64_t i = from_sequence; i < log_.size(); ++i)
    KINETIC_RETURN_IF_ERROR(
        reader({.sequence = i, .stream = log_[i].stream, .time = started_, .text = log_[i].text}));
  return {};
}

Observation SimulatedJob::Observe(bool has_ended) const {
  record::AttemptStatus status{.id = summary_.id,
                               .nonce = summary_.nonce,
                               .state = has_ended ? script_.outcome.state : JobState::kRunning,
                               .phase = Phase::kRun,
                               .reason = {},
                               .fetched = {},
                               .log_records = log_.size(),
                               .timeline = {{"started", started_, {}}}};
  return {.status = std::move(status), .alive = !has_ended};
}

}  // namespace kinetic::backend
