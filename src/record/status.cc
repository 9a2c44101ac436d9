#include "record/status.h"

#include "kinetic/try.h"

#include "json/document.h"
#include "record/json_fields.h"
#include "record/task_counts.h"

namespace kinetic::record {
namespace {

constexpr std::int64_t kStatusVersion = 1;

}  // namespace

std::string ToJson(const AttemptStatus& status) {
  Value::Map map = {{"version", Value(kStatusVersion)},
                    {"id", status.id},
                    {"nonce", status.nonce},
                    {"attempt", CountValue(status.attempt)},
                    {"host", CountValue(status.host)},
                    {"state", std::string(Name(status.state))},
                    {"phase", std::string(Name(status.phase))}};
  if (!status.reason.empty()) map.emplace_back("reason", status.reason);
  if (status.fetched != Progress()) {
    map.emplace_back("fetched_bytes", CountValue(status.fetched.done_bytes));
    map.emplace_back("total_bytes", CountValue(status.fetched.total_bytes));
  }
  map.emplace_back("log_records", CountValue(status.log_records));
  map.emplace_back("timeline", MomentsValue(status.timeline));
  if (status.tasks) map.emplace_back("tasks", CountsValue(*status.tasks));
  return json::WriteDocument(std::move(map));
}

Result<AttemptStatus> StatusFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "status.json"));
  json::ObjectReader reader(value, "status.json");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kStatusVersion));
  AttemptStatus status;
  status.id = reader.String("id");
  status.nonce = reader.String("nonce");
  status.attempt = ReadUint32(reader, "attempt");
  status.host = ReadUint32(reader, "host");
  const std::string state = reader.String("state");
  if (const auto parsed = ParseJobState(state)) {
    status.state = *parsed;
  } else {
    reader.Reject("state", "unknown state: " + state);
  }
  const std::string phase = reader.String("phase");
  if (const auto parsed = ParsePhase(phase)) {
    status.phase = *parsed;
  } else {
    reader.Reject("phase", "unknown phase: " + phase);
  }
  status.reason = ReadText(reader, "reason");
  if (reader.Has("fetched_bytes")) {
    status.fetched = {ReadCount(reader, "fetched_bytes"), ReadCount(reader, "total_bytes")};
  }
  status.log_records = ReadCount(reader, "log_records");
  status.timeline = ReadMoments(reader, "timeline");
  status.tasks = ReadCounts(reader, "tasks");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return status;
}

}  // namespace kinetic::record
