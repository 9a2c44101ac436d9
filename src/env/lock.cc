#include "env/lock.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/index_settings.h"
#include "env/python/version.h"
#include "json/document.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::int64_t kLockVersion = 1;
constexpr std::string_view kWheelHash = "sha256";

/// Returns whether all characters are letters, digits, or in `others`.
bool ConsistsOf(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Returns whether a text is "sha256:…", or of another size.
bool IsHash(std::string_view hash) {
  const auto colon = hash.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view algorithm = hash.substr(0, colon);
  for (const std::string_view bits : {"224", "256", "384", "512"}) {
    if (algorithm != "sha" + std::string(bits)) continue;
    const auto digits = static_cast<std::size_t>(ParseInt(bits).value_or(0) / 4);
    const std::string_view hex = hash.substr(colon + 1);
    return hex.size() == digits &&
           hex.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  return false;
}

bool IsWheelName(std::string_view name) {
  return name.ends_with(".whl") && !name.starts_with('.') && ConsistsOf(name, "._+!-");
}

Result<LockedFile> FileFrom(const Value& value) {
  json::ObjectReader reader(value, "lock: files");
  LockedFile file;
  file.url = reader.String("url");
  file.hash = reader.String("hash");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return file;
}

Result<LockedPackage> PackageFrom(const Value& value) {
  json::ObjectReader reader(value, "lock: packages");
  LockedPackage package;
  package.name = reader.String("name");
  package.version = reader.OptionalString("version").value_or("");
  package.url = reader.OptionalString("url").value_or("");
  package.hashes = ReadStringList(reader, "hashes");
  package.wheel = reader.OptionalString("wheel").value_or("");
  for (const Value& item : reader.List("files")) {
    KINETIC_ASSIGN_OR_RETURN(LockedFile file, FileFrom(item));
    package.files.push_back(std::move(file));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (package.hashes.empty()) reader.Reject("hashes", "expected at least one");
  if (package.version.empty() && package.url.empty()) {
    reader.Reject("version", "expected a version or a url");
  }
  if (const std::string problem = package.Problem(); !problem.empty()) {
    reader.Reject(Printable(package.name), problem);
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return package;
}

Value::List FileList(const std::vector<LockedFile>& files) {
  Value::List list;
  for (const auto& file : files) {
    list.emplace_back(Value::Map{{"url", file.url}, {"hash", file.hash}});
  }
  return list;
}

}  // namespace

std::string LockedPackage::DisplayName() const {
  return name + " " + (version.empty() ? url : version);
}

std::string LockedPackage::Problem() const {
  const bool is_name = !name.empty() && ConsistsOf(name.substr(0, 1), "") && ConsistsOf(name, "-");
  if (!is_name) return "invalid name '" + Printable(name) + "'";
  if (!ConsistsOf(version, ".!+-_")) return "invalid version '" + Printable(version) + "'";
  if (HasControlCharacter(url)) return "invalid URL '" + Printable(url) + "'";
  for (const auto& hash : hashes) {
    if (!IsHash(hash)) return "invalid hash '" + Printable(hash) + "'";
  }
  for (const auto& file : files) {
    if (HasControlCharacter(file.url)) return "invalid URL '" + Printable(file.url) + "'";
    if (!IsHash(file.hash)) return "invalid hash '" + Printable(file.hash) + "'";
  }
  if (wheel.empty()) return "";
  if (!IsWheelName(wheel)) return "invalid file name of a wheel '" + Printable(wheel) + "'";
  // It is part of paths in the cache.
  const bool has_hash = !hashes.empty() && hashes.front().starts_with(kWheelHash);
  return has_hash ? "" : "expected a SHA-256 of its wheel";
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
    if (!package.wheel.empty()) map.emplace_back("wheel", package.wheel);
    if (!package.files.empty()) map.emplace_back("files", FileList(package.files));
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
  if (VersionNumbers(lock.python).empty()) reader.Reject("python", "expected a version");
  lock.platform = reader.String("platform");
  lock.base_image = reader.OptionalString("base_image").value_or("");
  if (!lock.base_image.empty() && !IsHash(lock.base_image)) {
    reader.Reject("base_image", "expected a digest");
  }
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
