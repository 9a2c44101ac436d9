#include "record/heartbeat.h"

#include "kinetic/try.h"

#include "json/document.h"
#include "record/json_fields.h"
#include "record/object_names.h"

namespace kinetic::record {
namespace {

constexpr std::int64_t kHeartbeatVersion = 1;
constexpr std::uint64_t kMaxHeartbeatBytes = 1U << 16;

}  // namespace

std::string ToJson(const Heartbeat& heartbeat) {
  return json::WriteDocument(Value::Map{{"version", Value(kHeartbeatVersion)},
                                        {"id", heartbeat.job.id},
                                        {"nonce", heartbeat.job.nonce},
                                        {"host", heartbeat.host},
                                        {"machine", heartbeat.machine},
                                        {"pid", heartbeat.pid},
                                        {"start_time", heartbeat.start_time},
                                        {"boot_id", heartbeat.boot_id}});
}

Result<Heartbeat> HeartbeatFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "heartbeat"));
  json::ObjectReader reader(value, "heartbeat");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kHeartbeatVersion));
  Heartbeat heartbeat;
  heartbeat.job.id = reader.String("id");
  heartbeat.job.nonce = reader.String("nonce");
  heartbeat.host = reader.String("host");
  heartbeat.machine = reader.String("machine");
  heartbeat.pid = reader.Int("pid");
  heartbeat.start_time = reader.Int("start_time");
  heartbeat.boot_id = reader.String("boot_id");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return heartbeat;
}

Result<std::optional<StoredHeartbeat>> ReadHeartbeat(store::Store& store, const JobKey& job,
                                                     std::stop_token stop) {
  const std::string name = HeartbeatName(job.id);
  KINETIC_ASSIGN_OR_RETURN(const auto info, store.Stat(name, stop));
  if (!info) return std::nullopt;
  const auto json = store::GetBytes(store, name, std::move(stop), kMaxHeartbeatBytes);
  if (!json && json.error().code != ErrorCode::kDataLoss) return Failure(json.error());
  if (!json || !*json) return std::nullopt;
  auto heartbeat = HeartbeatFromJson(**json);
  if (!heartbeat || !CheckOwner(name, heartbeat->job, job)) return std::nullopt;
  return StoredHeartbeat{*std::move(heartbeat), *info};
}

Status WriteHeartbeat(store::Store& store, const Heartbeat& heartbeat,
                      const std::stop_token& stop) {
  const std::string name = HeartbeatName(heartbeat.job.id);
  KINETIC_ASSIGN_OR_RETURN(const auto touched, store.Touch(name, {}, stop));
  if (touched) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto record, store.Stat(RecordName(heartbeat.job.id), stop));
  if (!record) return {};
  KINETIC_RETURN_IF_ERROR(
      store::PutBytes(store, name, ToJson(heartbeat), store::Precondition::Absent(), stop));
  return {};
}

}  // namespace kinetic::record
