#include "env/virtualenv/package_set.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/python/names.h"
#include "base/random.h"
#include "base/strings.h"
#include "env/install/record_file.h"
#include "env/python/version.h"
#include "env/virtualenv/seal.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxSetMarkerBytes = 16U << 20;

/// Returns the key of an installed package. Equal keys mean equal content.
std::string PackageKey(const Lock& lock, const LockedPackage& package) {
  const Lock only{.python = lock.python,
                  .platform = lock.platform,
                  .base_image = lock.base_image,
                  .index = lock.index,
                  .packages = {package}};
  return only.EnvironmentId().Hex();
}

Value ReadJsonFile(FileSystem& fs, const Path& path) {
  const auto text = ReadFile(fs, path, kMaxSetMarkerBytes);
  if (!text) return {};
  return Value::FromJson(*text).value_or(Value());
}

Result<std::vector<std::string>> FolderNames(FileSystem& fs, const Path& folder) {
  std::vector<std::string> names;
  const auto entries = fs.ReadDirectory(folder);
  if (!entries && entries.error().code != ErrorCode::kNotFound) return Failure(entries.error());
  if (!entries) return names;
  for (const auto& entry : *entries) {
    if (entry.type == FileType::kDirectory) names.push_back(entry.name);
  }
  return names;
}

/// Finds the packages of a new set that other environments can link to without the others: those
/// whose files are all listed, and only once.
class SeparablePackages {
 public:
  SeparablePackages(FileSystem& fs, Path folder) : fs_(fs), folder_(std::move(folder)) {}

  Result<std::set<std::string>> Find() {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_));
    for (const auto& entry : entries) {
      if (entry.name.ends_with(kMetadataFolderEnd)) KINETIC_RETURN_IF_ERROR(ReadRecord(entry.name));
    }
    KINETIC_RETURN_IF_ERROR(Compare({}));
    for (const auto& name : inseparable_) names_.erase(name);
    return std::move(names_);
  }

 private:
  Status ReadRecord(const std::string& info) {
    const std::string name = NormalizedName(info.substr(0, info.find('-')));
    names_.insert(name);
    KINETIC_ASSIGN_OR_RETURN(const auto files, ReadRecordFile(fs_, folder_ / info));
    for (const auto& file : files) {
      const Path path = Path(file.path).lexically_normal();
      owners_[path.begin()->native()].insert(name);
      const auto [at, is_new] = files_.emplace(path.native(), name);
      if (is_new || at->second == name) continue;
      inseparable_.insert(name);
      inseparable_.insert(at->second);
    }
    return {};
  }

  /// Compares the files in `folder` with the lists. A file that is in none may belong to any
  /// package with files in that folder.
  Status Compare(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_ / folder));
    for (const auto& entry : entries) {
      const Path path = folder / entry.name;
      if (entry.type == FileType::kDirectory) {
        KINETIC_RETURN_IF_ERROR(Compare(path));
      } else if (!files_.contains(path.native())) {
        const auto& names = owners_[path.begin()->native()];
        inseparable_.insert(names.begin(), names.end());
      }
    }
    return {};
  }

  FileSystem& fs_;
  const Path folder_;
  std::set<std::string> names_;
  std::map<std::string, std::string> files_;             ///< names by path
  std::map<std::string, std::set<std::string>> owners_;  ///< names by first part of the path
  std::set<std::string> inseparable_;
};

}  // namespace

Path PackagesFolder(std::string_view python) {
  return Path("lib") / ("python" + MinorVersion(python)) / "site-packages";
}

Result<InstalledPackages> FindInstalledPackages(const ToolOptions& tools, const Lock& lock) {
  FileSystem& fs = *tools.fs;
  const EnvironmentCacheLayout layout{tools.cache_dir};
  std::map<std::string, const LockedPackage*> missing;  // by key
  for (const auto& package : lock.packages) missing[PackageKey(lock, package)] = &package;
  InstalledPackages found;
  KINETIC_ASSIGN_OR_RETURN(auto names, FolderNames(fs, layout.PackageSets()));
  std::ranges::sort(names);
  for (const auto& name : names) {
    if (EnvironmentCacheLayout::IsTemporary(name)) continue;
    const Path root = layout.PackageSets() / name;
    const Value marker = ReadJsonFile(fs, root / EnvironmentCacheLayout::kMarkerName);
    const Value* const keys = marker.Find("packages");
    if (keys == nullptr || keys->AsList() == nullptr || !IsSealed(fs, root, lock.python)) continue;
    SetPackages used{root, {}};
    for (const Value& key : *keys->AsList()) {
      const auto at = key.AsString() != nullptr ? missing.find(*key.AsString()) : missing.end();
      if (at == missing.end()) continue;
      used.names.insert(at->second->name);
      missing.erase(at);
    }
    if (used.names.empty()) continue;
    (void)fs.SetModifiedTime(root / EnvironmentCacheLayout::kMarkerName, tools.clock->Now());
    found.sets.push_back(std::move(used));
  }
  for (const auto& [key, package] : missing) found.missing.push_back(*package);
  return found;
}

Result<SetPackages> PublishPackageSet(const ToolOptions& tools, const Path& installed,
                                      const Lock& lock, std::span<const LockedPackage> packages) {
  FileSystem& fs = *tools.fs;
  const Path folder = installed / PackagesFolder(lock.python);
  KINETIC_ASSIGN_OR_RETURN(const auto separable, SeparablePackages(fs, folder).Find());
  SetPackages made{EnvironmentCacheLayout{tools.cache_dir}.PackageSets() / RandomId(), {}};
  Value::List keys;
  for (const auto& package : packages) {
    made.names.insert(package.name);
    if (separable.contains(package.name)) keys.emplace_back(PackageKey(lock, package));
  }
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(
      fs, installed / EnvironmentCacheLayout::kMarkerName,
      Value(Value::Map{{"version", 1}, {"packages", std::move(keys)}}).ToJson(true)));
  KINETIC_RETURN_IF_ERROR(SealEnvironment(fs, installed));
  KINETIC_RETURN_IF_ERROR(fs.Rename(installed, made.set));
  return made;
}

Result<std::vector<Path>> LinkedPackageSets(FileSystem& fs, const Path& environment) {
  std::vector<Path> sets;
  const Path file = environment / EnvironmentCacheLayout::kMarkerName;
  const auto text = ReadFile(fs, file, kMaxSetMarkerBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return sets;
  KINETIC_RETURN_IF_ERROR(text);
  const auto damaged = [&] {
    return Fail(ErrorCode::kDataLoss, Printable(file.native()) + " is damaged");
  };
  const auto marker = Value::FromJson(*text);
  if (!marker || marker->AsMap() == nullptr) return damaged();
  const Value* const found = marker->Find("package_sets");
  if (found == nullptr) return sets;
  if (found->AsList() == nullptr) return damaged();
  for (const Value& set : *found->AsList()) {
    if (set.AsString() == nullptr) return damaged();
    sets.emplace_back(*set.AsString());
  }
  return sets;
}

}  // namespace kinetic::env
