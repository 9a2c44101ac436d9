#include "record/referenced_trees.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "json/document.h"
#include "record/checkpoint.h"
#include "record/data_set.h"
#include "record/job_record.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "store/age.h"
#include "store/damage.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::record {
namespace {

/// Returns whether a name is "jobs/{id}/record.json".
bool IsRecordName(std::string_view name) {
  return name.ends_with("/record.json") && std::count(name.begin(), name.end(), '/') == 2;
}

/// Collects references from several threads.
class ReferenceSet {
 public:
  void Add(const Digest& tree) {
    const std::lock_guard lock(mutex_);
    references_.trees.insert(tree);
  }
  void Add(const Record& record) {
    const std::lock_guard lock(mutex_);
    references_.trees.insert(record.tree);
    for (const auto& [path, data] : record.data) references_.trees.insert(data.tree);
    if (record.environment) references_.trees.insert(record.environment->tree);
    references_.arrays.insert(record.arrays.begin(), record.arrays.end());
    references_.manifest_keys.insert(record.manifest_key);
    references_.environment_ids.insert(record.environment_id);
    if (!record.environment_image.empty()) {
      references_.environment_images.insert(record.environment_image);
    }
  }
  /// Skips a damaged object: nothing can use it, so nothing needs what it referred to.
  Status Skip(Error error) {
    if (error.code != ErrorCode::kDataLoss) return Failure(std::move(error));
    const std::lock_guard lock(mutex_);
    references_.damaged.push_back(std::move(error));
    return {};
  }
  References Take() { return std::move(references_); }

 private:
  std::mutex mutex_;
  References references_;
};

constexpr std::size_t kReadThreads = 8;
constexpr std::uint64_t kMaxPackageBytes = 1U << 20;

Status AddRecords(store::Store& store, const Referrers& referrers, ReferenceSet& found,
                  const std::stop_token& stop) {
  const std::vector<std::string> ids(referrers.jobs.begin(), referrers.jobs.end());
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    const std::string name = RecordName(ids[i]);
    auto json = store::GetBytes(store, name, stopping, json::kMaxDocumentBytes);
    if (!json) return found.Skip(std::move(json).error());
    if (!*json) return {};  // the job was removed meanwhile
    auto record = FromJson(**json);
    if (!record) return found.Skip(std::move(record).error().Context(name));
    found.Add(*record);
    return {};
  };
  return ParallelFor(kReadThreads, ids.size(), stop, read);
}

Status AddCheckpoints(store::Store& store, const Referrers& referrers, ReferenceSet& found,
                      const std::stop_token& stop) {
  const auto& listed = referrers.checkpoints;
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    auto checkpoint = ReadCheckpoint(store, listed[i], stopping);
    if (checkpoint) {
      found.Add(checkpoint->tree);
      return {};
    }
    // The checkpoint was replaced, or its job was removed meanwhile.
    if (checkpoint.error().code == ErrorCode::kNotFound) return {};
    return found.Skip(std::move(checkpoint).error());
  };
  return ParallelFor(kReadThreads, listed.size(), stop, read);
}

Status AddDataSets(store::Store& store, ReferenceSet& found, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto listing, ListDataSets(store, stop));
  for (const auto& set : listing.sets) found.Add(set.tree);
  for (auto& error : listing.damaged) KINETIC_RETURN_IF_ERROR(found.Skip(std::move(error)));
  return {};
}

Status AddPackages(store::Store& store, const Referrers& referrers, std::chrono::hours max_age,
                   ReferenceSet& found, const std::stop_token& stop) {
  auto exact = store.ExactNow(stop);
  // A caller without permission to store an object cannot remove the trees either.
  if (!exact && exact.error().code == ErrorCode::kPermissionDenied) exact = store.Now(stop);
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, std::move(exact));
  const auto& packages = referrers.packages;
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    if (store::IsOlder(packages[i].lease, now, max_age)) return {};
    const auto json = store::GetBytes(store, packages[i].name, stopping, kMaxPackageBytes);
    if (!json && json.error().code != ErrorCode::kDataLoss) return Failure(json.error());
    if (!json || !*json) return {};
    if (const auto package = StoredPackageFromJson(**json)) found.Add(package->tree);
    return {};
  };
  return ParallelFor(kReadThreads, packages.size(), stop, read);
}

}  // namespace

bool HidesReferences(const store::ObjectInfo& info) {
  const std::string_view name = info.name;
  if (name == kJobPrefix || name == kCheckpointPrefix || name == kDataPrefix) return true;
  if (!store::IsDenied(info)) return false;
  if (!name.starts_with(kJobPrefix)) {
    return name.starts_with(kCheckpointPrefix) || name.starts_with(kDataPrefix) ||
           name.starts_with(kPackagePrefix);
  }
  const bool is_job = name.ends_with('/') && std::ranges::count(name, '/') == 2;
  return is_job || IsRecordName(name);
}

Result<Referrers> ListReferrers(store::Store& store, std::stop_token stop) {
  Referrers found;
  std::mutex mutex;
  const auto note_damage = [&](const store::ObjectInfo& info) {
    const std::lock_guard lock(mutex);
    if (HidesReferences(info)) found.is_complete = false;
    if (!info.damage.empty()) found.damaged.push_back(info);
  };
  const auto add_job = [&](const store::ObjectInfo& info) -> Result<bool> {
    note_damage(info);
    const std::string_view path = std::string_view(info.name).substr(kJobPrefix.size());
    const std::string id(path.substr(0, path.find('/')));
    found.bytes_of_job[id] += info.size_bytes;
    if (info.name.starts_with(CopiesFolder(id))) found.copies.push_back(info);
    if (IsRecordName(info.name)) found.jobs.insert(id);
    return true;
  };
  const auto add_package = [&](const store::ObjectInfo& info) -> Result<bool> {
    note_damage(info);
    if (info.damage.empty()) found.packages.push_back(info);
    return true;
  };
  const auto add_checkpoint = [&](const store::ObjectInfo& info) -> Result<bool> {
    note_damage(info);
    if (auto checkpoint = CheckpointInListing(info)) {
      found.checkpoints.push_back(*std::move(checkpoint));
    }
    return true;
  };
  const auto add_data = [&](const store::ObjectInfo& info) -> Result<bool> {
    note_damage(info);
    return true;
  };
  constexpr std::size_t kParts = 4;
  const auto list = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return store.List(kJobPrefix, "", add_job, stopping);
    if (part == 3) return store.List(kDataPrefix, "", add_data, stopping);
    if (part == 1) return store.List(kPackagePrefix, "", add_package, stopping);
    return store.List(kCheckpointPrefix, "", add_checkpoint, stopping);
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kParts, kParts, std::move(stop), list));
  return found;
}

Result<References> ReadReferences(store::Store& store, const Referrers& referrers,
                                  std::chrono::hours package_age, std::stop_token stop) {
  ReferenceSet found;
  constexpr std::size_t kParts = 4;
  const auto add = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return AddRecords(store, referrers, found, stopping);
    if (part == 1) return AddCheckpoints(store, referrers, found, stopping);
    if (part == 2) return AddDataSets(store, found, stopping);
    return AddPackages(store, referrers, package_age, found, stopping);
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kParts, kParts, std::move(stop), add));
  return found.Take();
}

}  // namespace kinetic::record
