#include "env/lock.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/index_settings.h"
#include "json/document.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::int64_t kLockVersion = 1;

Result<LockedPackage> PackageFrom(const Value& value) {
  json::ObjectReader reader(value, "lock: packages");
  LockedPackage package;
  package.name = reader.String("name");
  package.version = reader.OptionalString("version").value_or("");
  package.url = reader.OptionalString("url").value_or("");
  package.hashes = ReadStringList(reader, "hashes");
  if (package.hashes.empty()) reader.Reject("hashes", "expected at least one");
  if (package.version.empty() && package.url.empty()) {
    reader.Reject("version", "expected a version or a url");
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return package;
}

}  // namespace

std::string LockedPackage::DisplayName() const {
  return name + " " + (version.empty() ? url : version);
}

Digest Lock::EnvironmentId() const {
  Sha256 hash;
  const auto add = [&](std::string_view text) {
    hash.Update(std::to_string(text.size())).Update(" ").Update(text).Update("\n");
  };
  add("kinetic environment");
  add(python);
  add(platform);
  add(base_image);
  add(Join(index.no_binary, ","));
  add(Join(index.only_binary, ","));
  for (const auto& package : packages) {
    add(package.name);
    add(package.version);
    add(package.url);
    add(Join(package.hashes, " "));
  }
  return hash.Finish();
}

std::string ToJson(const Lock& lock) {
  Value::List packages;
  for (const auto& package : lock.packages) {
    Value::Map map{{"name", package.name}};
    if (!package.version.empty()) map.emplace_back("version", package.version);
    if (!package.url.empty()) map.emplace_back("url", package.url);
    map.emplace_back("hashes", ToStringList(package.hashes));
    packages.emplace_back(std::move(map));
  }
  return json::WriteDocument({{"version", kLockVersion},
                              {"manifest_key", lock.manifest_key.Hex()},
                              {"python", lock.python},
                              {"platform", lock.platform},
                              {"base_image", lock.base_image},
                              {"resolver", lock.resolver},
                              {"resolved_at", FormatTime(lock.resolved_at)},
                              {"index", ToValue(lock.index)},
                              {"packages", std::move(packages)}});
}

Result<Lock> LockFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "lock"));
  json::ObjectReader reader(value, "lock");
  const std::int64_t version = reader.Int("version");
  if (version > kLockVersion) {
    return Fail(ErrorCode::kDataLoss,
                "the lock has version " + std::to_string(version) +
                    ", which is newer than this version of kinetic supports",
                "update kinetic");
  }
  Lock lock;
  if (const auto key = Digest::FromHex(reader.String("manifest_key"))) {
    lock.manifest_key = *key;
  } else {
    reader.Reject("manifest_key", "expected 64 hex digits");
  }
  lock.python = reader.String("python");
  lock.platform = reader.String("platform");
  lock.base_image = reader.OptionalString("base_image").value_or("");
  lock.resolver = reader.String("resolver");
  if (const auto time = ParseTime(reader.String("resolved_at"))) {
    lock.resolved_at = *time;
  } else {
    reader.Reject("resolved_at", "expected a time");
  }
  const Value* const index = reader.Member("index");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (index != nullptr) {
    KINETIC_ASSIGN_OR_RETURN(lock.index, IndexSettingsFromValue(*index, "lock: index"));
  }
  for (const Value& item : reader.List("packages")) {
    KINETIC_ASSIGN_OR_RETURN(LockedPackage package, PackageFrom(item));
    lock.packages.push_back(std::move(package));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return lock;
}

std::vector<kinetic::LockedPackage> ToPublic(const std::vector<LockedPackage>& packages) {
  std::vector<kinetic::LockedPackage> result;
  result.reserve(packages.size());
  for (const auto& package : packages) {
    result.push_back(
        {package.name, package.url.empty() ? package.version : package.url, package.hashes});
  }
  return result;
}

EnvironmentLock ToPublic(const Lock& lock, bool from_cache) {
  EnvironmentLock result;
  result.manifest_key = lock.manifest_key.Hex();
  result.id = lock.EnvironmentId().Hex();
  result.python = lock.python;
  result.packages = ToPublic(lock.packages);
  result.resolved_at = lock.resolved_at;
  result.from_cache = from_cache;
  return result;
}

}  // namespace kinetic::env
