#include "gcs/object.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"

namespace kinetic::gcs {
namespace {

/// Reads a 64-bit number, which JSON APIs of Google encode as a string.
std::int64_t ReadNumber(json::ObjectReader& reader, std::string_view key) {
  const Value* member = reader.Member(key);
  if (member != nullptr && member->AsInt() != nullptr) return *member->AsInt();
  const auto number = ParseInt(reader.String(key));
  if (!number) reader.Reject(key, "expected a number");
  return number.value_or(0);
}

std::optional<WallTime> ReadTime(json::ObjectReader& reader, std::string_view key) {
  const auto text = reader.OptionalString(key);
  if (!text) return std::nullopt;
  const auto time = ParseTime(*text);
  if (!time) reader.Reject(key, "expected a time");
  return time;
}

}  // namespace

Result<Object> ParseObject(const Value& resource, const std::string& where) {
  json::ObjectReader reader(resource, where);
  Object object;
  object.name = reader.String("name");
  // Servers may omit the size of an empty object.
  if (reader.Has("size")) {
    object.size_bytes = static_cast<std::uint64_t>(ReadNumber(reader, "size"));
  }
  object.generation = ReadNumber(reader, "generation");
  object.metageneration = ReadNumber(reader, "metageneration");
  object.crc32c = reader.OptionalString("crc32c").value_or("");
  object.content_encoding = reader.OptionalString("contentEncoding").value_or("");
  const auto updated = ReadTime(reader, "updated");
  if (!updated) reader.Reject("updated", "expected a time");
  object.updated = updated.value_or(WallTime{});
  object.custom_time = ReadTime(reader, "customTime");
  if (reader.Has("metadata")) {
    for (const auto& [key, value] : reader.Map("metadata")) {
      if (value.AsString() != nullptr) object.metadata[key] = *value.AsString();
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return object;
}

std::string FileFingerprint(const FileStatus& status) {
  std::string identity;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(status.device), static_cast<std::int64_t>(status.inode),
        static_cast<std::int64_t>(status.size_bytes), status.mtime_ns, status.ctime_ns}) {
    identity += std::to_string(part) + ".";
  }
  return identity;
}

}  // namespace kinetic::gcs
