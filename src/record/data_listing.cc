#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "json/document.h"
#include "record/data_set.h"
#include "record/json_fields.h"
#include "store/object.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kDataListingVersion = 1;
constexpr std::string_view kDataListingKind = "data listing";
/// The limit of file systems for one name.
constexpr std::size_t kPartBytes = 255;

/// [path, size, generation, crc32c]
Result<ListedObject> ObjectFrom(const Value& value) {
  const auto* list = value.AsList();
  if (list != nullptr && list->size() == 4) {
    const auto* path = (*list)[0].AsString();
    const auto* size = (*list)[1].AsInt();
    const auto* generation = (*list)[2].AsInt();
    const auto* checksum = (*list)[3].AsString();
    if (path != nullptr && size != nullptr && *size >= 0 && generation != nullptr &&
        checksum != nullptr) {
      return ListedObject{*path, static_cast<std::uint64_t>(*size), *generation, *checksum};
    }
  }
  return Fail(ErrorCode::kDataLoss, std::string(kDataListingKind) +
                                        ": objects: expected lists of a path, a size, a "
                                        "generation and a checksum");
}

Status CheckPath(const std::string& path) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(path));
  for (const std::string_view part : Split(path, '/')) {
    if (part.size() > kPartBytes) {
      return Fail(ErrorCode::kInvalidArgument,
                  Printable(path) + ": a part of the name is longer than 255 bytes");
    }
  }
  return {};
}

}  // namespace

std::uint64_t DataListing::Bytes() const {
  std::uint64_t bytes = 0;
  for (const ListedObject& object : objects) bytes += object.size_bytes;
  return bytes;
}

std::string ToJson(const DataListing& listing) {
  Value::List objects;
  objects.reserve(listing.objects.size());
  for (const ListedObject& object : listing.objects) {
    objects.emplace_back(
        Value::List{object.path, CountValue(object.size_bytes), object.generation, object.crc32c});
  }
  return Value(Value::Map{{"version", kDataListingVersion},
                          {"bucket", listing.bucket},
                          {"prefix", listing.prefix},
                          {"objects", std::move(objects)}})
      .ToJson();
}

Result<DataListing> DataListingFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value) {
    return Fail(ErrorCode::kDataLoss, std::string(kDataListingKind) + ": " + value.error().message);
  }
  json::ObjectReader reader(*value, std::string(kDataListingKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kDataListingVersion));
  DataListing listing;
  listing.bucket = reader.String("bucket");
  listing.prefix = reader.String("prefix");
  for (const Value& object : reader.List("objects")) {
    KINETIC_ASSIGN_OR_RETURN(auto listed, ObjectFrom(object));
    listing.objects.push_back(std::move(listed));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (auto checked = CheckPaths(listing.objects); !checked) {
    return Fail(ErrorCode::kDataLoss,
                std::string(kDataListingKind) + ": " + checked.error().message);
  }
  return listing;
}

Status CheckPaths(const std::vector<ListedObject>& objects) {
  // In a sorted list "a-b" may come between "a" and "a/b", so earlier paths are kept on a stack.
  std::vector<std::string_view> prefixes;
  for (const ListedObject& object : objects) {
    KINETIC_RETURN_IF_ERROR(CheckPath(object.path));
    const std::string_view path = object.path;
    const auto is_folder_of = [&](std::string_view file) {
      return path.size() > file.size() && path.starts_with(file) && path[file.size()] == '/';
    };
    while (!prefixes.empty() && !path.starts_with(prefixes.back())) prefixes.pop_back();
    for (const std::string_view file : prefixes) {
      if (!is_folder_of(file) && path != file) continue;
      return Fail(ErrorCode::kInvalidArgument,
                  Printable(file) + " and " + Printable(path) + " cannot both be files");
    }
    prefixes.push_back(path);
  }
  return {};
}

}  // namespace kinetic::record
