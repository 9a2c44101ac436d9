#include "record/stored_package.h"

#include "base/parallel.h"
#include "base/try.h"
#include "json/document.h"
#include "record/layout.h"
#include "record/members.h"
#include "store/get_kept.h"

#include <mutex>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kWhere = "stored package";
constexpr std::uint64_t kMaxBytes = 1U << 20;
constexpr std::size_t kThreads = 16;

}  // namespace

std::string ToJson(const StoredPackage& package) {
  return json::WriteDocument(Value::Map{{"version", Value(kVersion)},
                                        {"name", package.name},
                                        {"tree", package.tree.Hex()},
                                        {"files", CountValue(package.files)},
                                        {"bytes", CountValue(package.bytes)}});
}

Result<StoredPackage> StoredPackageFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(value, std::string(kWhere));
  CheckVersion(reader, kVersion);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
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
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetKept(store, object, kMaxBytes, std::move(stop)));
  if (!json) return std::optional<StoredPackage>();
  auto package = StoredPackageFromJson(*json);
  if (!package) return Failure(std::move(package).error().Context(object));
  return std::optional(*std::move(package));
}

Status WriteStoredPackage(store::Store& store, std::string_view object,
                          const StoredPackage& package, std::stop_token stop) {
  return store::Overwrite(store, object, ToJson(package), std::move(stop));
}

Result<std::set<Digest>> TreesOfPackages(store::Store& store, std::chrono::hours stays,
                                         std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.Now(stop));
  std::vector<std::string> names;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (now - info.lease < stays) names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kPackagePrefix, "", take, stop));
  std::mutex mutex;
  std::set<Digest> trees;
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto json,
                             store::GetBytes(store, names[i], stopping, kMaxBytes));
    if (!json) return {};
    const auto package = StoredPackageFromJson(*json);
    if (!package) return {};
    const std::lock_guard lock(mutex);
    trees.insert(package->tree);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(kThreads, names.size(), std::move(stop), read));
  return trees;
}

}  // namespace kinetic::record
