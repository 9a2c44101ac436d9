#include "record/downloads.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"
#include "record/json_fields.h"
#include "store/object.h"

#include <optional>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kDownloadsVersion = 1;
constexpr std::string_view kDownloadsKind = "download manifest";
constexpr std::int64_t kAllPermissions = 0777;

/// [path, mode, size, crc32c, sha256]
std::optional<DownloadedFile> FileFrom(const Value& value) {
  const auto* list = value.AsList();
  if (list == nullptr || list->size() != 5) return std::nullopt;
  const auto* path = (*list)[0].AsString();
  const auto* mode = (*list)[1].AsInt();
  const auto* size = (*list)[2].AsInt();
  const auto* checksum = (*list)[3].AsString();
  const auto* content = (*list)[4].AsString();
  const auto digest = content != nullptr ? Digest::FromHex(*content) : std::nullopt;
  const bool valid = path != nullptr && mode != nullptr && *mode >= 0 && *mode <= kAllPermissions &&
                     size != nullptr && *size >= 0 && checksum != nullptr && digest;
  if (!valid || !store::CheckName(*path)) return std::nullopt;
  return DownloadedFile{*path, static_cast<std::uint32_t>(*mode), static_cast<std::uint64_t>(*size),
                        *checksum, *digest};
}

}  // namespace

std::uint64_t Downloads::Bytes() const {
  std::uint64_t bytes = 0;
  for (const DownloadedFile& file : files) bytes += file.size_bytes;
  return bytes;
}

std::string ToJson(const Downloads& downloads) {
  Value::List files;
  files.reserve(downloads.files.size());
  for (const DownloadedFile& file : downloads.files) {
    files.emplace_back(Value::List{file.path, std::int64_t{file.mode}, CountValue(file.size_bytes),
                                   file.crc32c, file.content.Hex()});
  }
  return Value(Value::Map{{"version", kDownloadsVersion},
                          {"files", std::move(files)},
                          {"links", TextMapValue(downloads.links)}})
      .ToJson();
}

Result<Downloads> DownloadsFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value) {
    return Fail(ErrorCode::kDataLoss, std::string(kDownloadsKind) + ": " + value.error().message);
  }
  json::ObjectReader reader(*value, std::string(kDownloadsKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kDownloadsVersion));
  Downloads downloads;
  for (const Value& entry : reader.List("files")) {
    auto file = FileFrom(entry);
    if (!file) {
      reader.Reject("files", "expected lists of a path, a mode, a size, a checksum, and a digest");
      break;
    }
    downloads.files.push_back(*std::move(file));
  }
  downloads.links = ReadTextMap(reader, "links");
  for (const auto& [path, target] : downloads.links) {
    if (!store::CheckName(path)) reader.Reject("links", "contains an invalid path");
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return downloads;
}

}  // namespace kinetic::record
