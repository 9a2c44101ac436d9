#include "gcs/object.h"

#include "base/strings.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "json/reader.h"

namespace kinetic::gcs {
namespace {

/// A 64-bit number, which Google's services write as text.
std::int64_t Number(json::ObjectReader& reader, std::string_view key) {
  const Value* member = reader.Member(key);
  if (member != nullptr && member->AsInt() != nullptr) return *member->AsInt();
  const auto number = ParseInt(reader.String(key));
  if (!number) reader.Reject(key, "expected a number");
  return number.value_or(0);
}

std::optional<WallTime> Time(json::ObjectReader& reader, std::string_view key) {
  const auto text = reader.OptionalString(key);
  if (!text) return std::nullopt;
  const auto time = ParseTime(*text);
  if (!time) reader.Reject(key, "expected a time");
  return time;
}

}  // namespace

Result<Object> ObjectFrom(const Value& resource, const std::string& where) {
  json::ObjectReader reader(resource, where);
  Object object;
  object.name = reader.String("name");
  object.size_bytes = static_cast<std::uint64_t>(Number(reader, "size"));
  object.generation = Number(reader, "generation");
  object.metageneration = Number(reader, "metageneration");
  object.crc32c = reader.OptionalString("crc32c").value_or("");
  object.content_encoding = reader.OptionalString("contentEncoding").value_or("");
  object.updated = Time(reader, "updated").value_or(WallTime{});
  object.custom_time = Time(reader, "customTime");
  if (reader.Has("metadata")) {
    for (const auto& [key, value] : reader.Map("metadata")) {
      if (value.AsString() != nullptr) object.metadata[key] = *value.AsString();
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return object;
}

std::string IdentityOf(const FileStatus& status) {
  std::string identity;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(status.device), static_cast<std::int64_t>(status.inode),
        static_cast<std::int64_t>(status.size_bytes), status.mtime_ns, status.ctime_ns}) {
    identity += std::to_string(part) + ".";
  }
  return identity;
}

}  // namespace kinetic::gcs
