#include "kinetic/try.h"

#include "json/document.h"
#include "record/json_fields.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "store/object_store.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kStoredPackageVersion = 1;
constexpr std::string_view kStoredPackageKind = "stored package";
constexpr std::uint64_t kMaxStoredPackageBytes = 1U << 20;

}  // namespace

std::string ToJson(const StoredPackage& package) {
  return json::WriteDocument(Value::Map{{"version", Value(kStoredPackageVersion)},
                                        {"name", package.name},
                                        {"tree", package.tree.Hex()},
                                        {"files", CountValue(package.files)},
                                        {"bytes", CountValue(package.bytes)}});
}

Result<StoredPackage> StoredPackageFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kStoredPackageKind));
  json::ObjectReader reader(value, std::string(kStoredPackageKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kStoredPackageVersion));
  StoredPackage package;
  package.name = ReadText(reader, "name");
  package.tree = ReadDigest(reader, "tree");
  package.files = ReadCount(reader, "files");
  package.bytes = ReadCount(reader, "bytes");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return package;
}

Result<std::optional<StoredPackage>> ReadStoredPackage(store::Store& store, std::string_view object,
                                                       std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(
      const auto json, store::GetAndRenew(store, object, kMaxStoredPackageBytes, std::move(stop)));
  if (!json) return std::optional<StoredPackage>();
  auto package = StoredPackageFromJson(*json);
  if (!package) {
    Error error = std::move(package).error().Context(object);
    error.code = ErrorCode::kDataLoss;  // also if it is of a newer version: it is written again
    return Failure(std::move(error));
  }
  return std::optional(*std::move(package));
}

Status WriteStoredPackage(store::Store& store, std::string_view object,
                          const StoredPackage& package, std::stop_token stop) {
  return store::Overwrite(store, object, ToJson(package), std::move(stop));
}

}  // namespace kinetic::record
