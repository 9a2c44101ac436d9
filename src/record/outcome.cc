#include "record/outcome.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "json/document.h"
#include "json/exception.h"
#include "record/json_fields.h"
#include "record/metric_fields.h"
#include "record/task_counts.h"

#include <algorithm>
#include <limits>

namespace kinetic::record {
namespace {

constexpr std::int64_t kOutcomeVersion = 1;
constexpr std::string_view kOutcomeFile = "result.json";
int ReadLine(json::ObjectReader& reader) {
  const std::int64_t line = reader.Int("line");
  if (line >= 0 && line <= std::numeric_limits<int>::max()) return static_cast<int>(line);
  reader.Reject("line", "is out of range: " + std::to_string(line));
  return 0;
}

Result<RemoteException> ReadException(const Value& value, int depth) {
  const std::string where = std::string(kOutcomeFile) + ": exception";
  if (depth > json::kMaxExceptionChain) {
    return Fail(ErrorCode::kDataLoss, where + ": more than 64 chained causes");
  }
  json::ObjectReader reader(value, where);
  RemoteException exception;
  exception.type = reader.String("type");
  exception.message = reader.String("message");
  for (const Value& item : reader.List("traceback")) {
    json::ObjectReader frame(item, where + ": traceback");
    exception.traceback.push_back(
        {frame.String("file"), ReadLine(frame), frame.String("function"), ReadText(frame, "code")});
    KINETIC_RETURN_IF_ERROR(frame.Finish());
  }
  if (const Value* attributes = reader.Member("attributes"); attributes != nullptr)
    exception.attributes = *attributes;
  if (const Value* cause = reader.Member("cause"); cause != nullptr && !cause->IsNull()) {
    exception.relation = reader.String("relation");
    if (exception.relation != "cause" && exception.relation != "context") {
      reader.Reject("relation", "expected cause or context, found " + exception.relation);
    }
    KINETIC_ASSIGN_OR_RETURN(auto read, ReadException(*cause, depth + 1));
    exception.cause = std::make_shared<const RemoteException>(std::move(read));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return exception;
}

/// Returns the moments with details, or those of the outcome, which have none.
std::vector<Moment> MomentsOf(const StoredOutcome& stored) {
  std::vector<Moment> moments = stored.moments;
  if (moments.empty()) {
    for (const auto& [name, time] : stored.outcome.timeline) moments.push_back({name, time, {}});
  }
  return moments;
}

void ReadExit(json::ObjectReader& reader, Outcome& outcome) {
  const std::string state = reader.String("outcome");
  const auto parsed_state = ParseJobState(state);
  if (parsed_state && IsTerminal(*parsed_state)) {
    outcome.state = *parsed_state;
  } else {
    reader.Reject("outcome", "expected a final state, found " + state);
  }
  const std::int64_t code = reader.Int("exit_code");
  if (code < 0 || code > 255) {
    reader.Reject("exit_code", "is out of range: " + std::to_string(code));
  } else {
    outcome.exit_code = static_cast<int>(code);
  }
  const std::string source = reader.String("exit_source");
  if (const auto parsed = ParseExitSource(source)) {
    outcome.exit_source = *parsed;
  } else {
    reader.Reject("exit_source", "unknown exit source: " + source);
  }
  const std::string phase = reader.String("phase");
  if (const auto parsed = ParsePhase(phase)) {
    outcome.phase = *parsed;
  } else {
    reader.Reject("phase", "unknown phase: " + phase);
  }
  outcome.reason = ReadText(reader, "reason");
  outcome.attempt = ReadUint32(reader, "attempt");
  outcome.tasks = ReadCounts(reader, "tasks");
  outcome.metrics = ReadMetricSummaries(reader, "metrics");
}

std::chrono::milliseconds ReadNodeMilliseconds(json::ObjectReader& reader) {
  const std::int64_t time = reader.OptionalInt("node_milliseconds").value_or(0);
  if (time >= 0 && time <= kMaxNodeTime.count()) return std::chrono::milliseconds(time);
  reader.Reject("node_milliseconds", "is out of range: " + std::to_string(time));
  return {};
}

/// Only a successful job has a value, inline or by digest.
void ReadValue(json::ObjectReader& reader, StoredOutcome& stored) {
  const bool is_inline = reader.Has("value");
  const bool by_digest = reader.Has("value_sha256");
  if ((is_inline || by_digest) && stored.outcome.state != JobState::kSucceeded) {
    reader.Reject(is_inline ? "value" : "value_sha256",
                  "not allowed for a job that did not succeed");
  }
  if (is_inline && by_digest)
    reader.Reject("value_sha256", "not allowed together with an inline value");
  if (by_digest) stored.value = ReadDigest(reader, "value_sha256");
  if (is_inline) stored.outcome.value = *reader.Member("value");
}

}  // namespace

int ExitCodeFor(JobState state, int other) {
  switch (state) {
    case JobState::kSucceeded:
      return 0;
    case JobState::kCancelled:
      return kExitCancelled;
    case JobState::kPreempted:
      return kExitPreempted;
    case JobState::kLost:
      return kExitLost;
    default:
      return other;
  }
}

std::string ToJson(const StoredOutcome& stored) {
  const Outcome& outcome = stored.outcome;
  Value::Map map = {{"version", Value(kOutcomeVersion)},
                    {"id", stored.job.id},
                    {"nonce", stored.job.nonce},
                    {"outcome", std::string(Name(outcome.state))}};
  if (outcome.state == JobState::kSucceeded) {
    if (stored.value) {
      map.emplace_back("value_sha256", stored.value->Hex());
    } else {
      map.emplace_back("value", outcome.value);
    }
  }
  if (outcome.exception) map.emplace_back("exception", json::ExceptionValue(*outcome.exception));
  map.emplace_back("exit_code", Value(outcome.exit_code));
  map.emplace_back("exit_source", std::string(Name(outcome.exit_source)));
  map.emplace_back("phase", std::string(Name(outcome.phase)));
  if (!outcome.reason.empty()) map.emplace_back("reason", outcome.reason);
  map.emplace_back("attempt", CountValue(outcome.attempt));
  if (outcome.tasks) map.emplace_back("tasks", CountsValue(*outcome.tasks));
  if (!outcome.metrics.empty()) map.emplace_back("metrics", MetricsValue(outcome.metrics));
  map.emplace_back("written_by", stored.written_by);
  if (!stored.evidence.empty()) map.emplace_back("evidence", stored.evidence);
  map.emplace_back("log_records", CountValue(stored.log_records));
  if (!stored.log_gap.empty()) map.emplace_back("log_gap", stored.log_gap);
  if (stored.node_time.count() > 0) {
    map.emplace_back("node_milliseconds", Value(std::int64_t{stored.node_time.count()}));
  }
  map.emplace_back("timeline", MomentsValue(MomentsOf(stored)));
  return json::WriteDocument(std::move(map));
}

Result<StoredOutcome> OutcomeFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kOutcomeFile));
  json::ObjectReader reader(value, std::string(kOutcomeFile));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kOutcomeVersion));
  StoredOutcome stored;
  stored.job.id = reader.String("id");
  stored.job.nonce = reader.String("nonce");
  ReadExit(reader, stored.outcome);
  ReadValue(reader, stored);
  stored.written_by = reader.String("written_by");
  stored.evidence = ReadText(reader, "evidence");
  stored.log_records = ReadCount(reader, "log_records");
  stored.log_gap = ReadText(reader, "log_gap");
  stored.node_time = ReadNodeMilliseconds(reader);
  stored.moments = ReadMoments(reader, "timeline");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  for (const Moment& moment : stored.moments) {
    stored.outcome.timeline.emplace_back(moment.name, moment.time);
  }
  if (const Value* thrown = reader.Member("exception"); thrown != nullptr && !thrown->IsNull()) {
    KINETIC_ASSIGN_OR_RETURN(stored.outcome.exception, ReadException(*thrown, 1));
  }
  return stored;
}

Result<StoredOutcome> OutcomeOfJob(std::string_view json, const JobKey& expected) {
  auto stored = OutcomeFromJson(json);
  if (stored) KINETIC_RETURN_IF_ERROR(CheckOwner(kOutcomeFile, stored->job, expected));
  return stored;
}

bool ShouldRetry(const RetrySpec& retry, const Outcome& outcome, std::uint32_t attempt) {
  if (attempt >= retry.attempts) return false;
  if (outcome.state == JobState::kPreempted) return retry.on_preempted || retry.on_infrastructure;
  if (outcome.state != JobState::kFailed) return false;
  if (outcome.exit_source == ExitSource::kKinetic) return false;
  return std::ranges::find(retry.on_exit_codes, outcome.exit_code) != retry.on_exit_codes.end();
}

}  // namespace kinetic::record
