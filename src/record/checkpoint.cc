#include "record/checkpoint.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"
#include "record/json_fields.h"
#include "record/object_names.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kCheckpointVersion = 1;
constexpr std::uint64_t kMaxCheckpointBytes = 1U << 20;

}  // namespace

std::string ToJson(const Checkpoint& checkpoint) {
  return json::WriteDocument(Value::Map{{"version", Value(kCheckpointVersion)},
                                        {"id", checkpoint.id},
                                        {"sequence", CountValue(checkpoint.sequence)},
                                        {"attempt", CountValue(checkpoint.attempt)},
                                        {"created", FormatTime(checkpoint.created)},
                                        {"tree", checkpoint.tree.Hex()},
                                        {"files", CountValue(checkpoint.files)},
                                        {"bytes", CountValue(checkpoint.bytes)}});
}

Result<Checkpoint> CheckpointFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "checkpoint"));
  json::ObjectReader reader(value, "checkpoint");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kCheckpointVersion));
  Checkpoint checkpoint;
  checkpoint.id = reader.String("id");
  checkpoint.sequence = ReadCount(reader, "sequence");
  checkpoint.attempt = ReadUint32(reader, "attempt");
  checkpoint.created = ReadTime(reader, "created");
  checkpoint.tree = ReadDigest(reader, "tree");
  checkpoint.files = ReadCount(reader, "files");
  checkpoint.bytes = ReadCount(reader, "bytes");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return checkpoint;
}

std::optional<ListedCheckpoint> CheckpointInListing(const store::ObjectInfo& info) {
  const auto parts = Split(info.name, '/');
  const auto sequence = parts.size() == 3 ? ParseInt(parts[2]) : std::nullopt;
  if (!sequence || *sequence <= 0) return std::nullopt;
  return ListedCheckpoint{std::string(parts[1]), static_cast<std::uint64_t>(*sequence), info};
}

Result<std::vector<ListedCheckpoint>> ListCheckpoints(store::Store& store, std::string_view id,
                                                      std::stop_token stop) {
  std::vector<ListedCheckpoint> listed;
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (auto checkpoint = CheckpointInListing(info)) listed.push_back(*std::move(checkpoint));
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(CheckpointFolder(id), "", add, std::move(stop)));
  return listed;
}

Result<Checkpoint> ReadCheckpoint(store::Store& store, const ListedCheckpoint& listed,
                                  std::stop_token stop) {
  const std::string& name = listed.info.name;
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(store, name, std::move(stop), kMaxCheckpointBytes));
  if (!json) return Fail(ErrorCode::kNotFound, name + " does not exist");
  auto checkpoint = CheckpointFromJson(*json);
  if (!checkpoint) return Failure(std::move(checkpoint).error().Context(name));
  if (checkpoint->id != listed.id || checkpoint->sequence != listed.sequence) {
    return Fail(ErrorCode::kDataLoss, name + ": contains a checkpoint with another id or number");
  }
  return checkpoint;
}

}  // namespace kinetic::record
