#include "record/referenced_trees.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "json/document.h"
#include "record/checkpoint.h"
#include "record/data_set.h"
#include "record/job_record.h"
#include "record/object_names.h"
#include "record/packages/objects.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::record {
namespace {

/// Returns the id in "jobs/{id}/record.json", or nullopt for other names.
std::optional<std::string> IdOfRecordName(std::string_view name) {
  constexpr std::string_view kEnd = "/record.json";
  if (!name.ends_with(kEnd) || std::count(name.begin(), name.end(), '/') != 2) return std::nullopt;
  name.remove_prefix(kJobPrefix.size());
  name.remove_suffix(kEnd.size());
  return std::string(name);
}

/// Collects trees from several threads.
class TreeSet {
 public:
  void Add(const Digest& tree) {
    const std::lock_guard lock(mutex_);
    trees_.insert(tree);
  }
  void AddDamaged(Error error) {
    const std::lock_guard lock(mutex_);
    damaged_.push_back(std::move(error));
  }
  std::set<Digest> Take() { return std::move(trees_); }
  References TakeAll() { return {std::move(trees_), std::move(damaged_)}; }

 private:
  std::mutex mutex_;
  std::set<Digest> trees_;
  std::vector<Error> damaged_;
};

/// Skips a damaged object: nothing can use it, so nothing needs what it referred to.
Status Skip(Error error, TreeSet& trees) {
  if (error.code != ErrorCode::kDataLoss) return Failure(std::move(error));
  trees.AddDamaged(std::move(error));
  return {};
}

constexpr std::size_t kReadThreads = 8;
constexpr std::uint64_t kMaxPackageBytes = 1U << 20;

Status AddRecords(store::Store& store, const std::set<std::string>& without, TreeSet& trees,
                  const std::stop_token& stop) {
  std::vector<std::string> names;
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    const auto id = IdOfRecordName(info.name);
    if (id && !without.contains(*id)) names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kJobPrefix, "", add, stop));
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    auto json = store::GetBytes(store, names[i], stopping, json::kMaxDocumentBytes);
    if (!json) return Skip(std::move(json).error(), trees);
    if (!*json) return {};  // the job was removed meanwhile
    auto record = FromJson(**json);
    if (!record) return Skip(std::move(record).error().Context(names[i]), trees);
    trees.Add(record->tree);
    for (const auto& [path, data] : record->data) trees.Add(data.tree);
    if (record->environment) trees.Add(record->environment->tree);
    return {};
  };
  return ParallelFor(kReadThreads, names.size(), stop, read);
}

Status AddCheckpoints(store::Store& store, const std::set<std::string>& without, TreeSet& trees,
                      const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto listed, ListCheckpoints(store, {}, stop));
  std::erase_if(listed, [&](const auto& checkpoint) { return without.contains(checkpoint.id); });
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    auto checkpoint = ReadCheckpoint(store, listed[i], stopping);
    if (checkpoint) {
      trees.Add(checkpoint->tree);
      return {};
    }
    // The checkpoint was replaced, or its job was removed meanwhile.
    if (checkpoint.error().code == ErrorCode::kNotFound) return {};
    return Skip(std::move(checkpoint).error(), trees);
  };
  return ParallelFor(kReadThreads, listed.size(), stop, read);
}

Status AddDataSets(store::Store& store, TreeSet& trees, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto listing, ListDataSets(store, stop));
  for (const auto& set : listing.sets) trees.Add(set.tree);
  for (auto& error : listing.damaged) trees.AddDamaged(std::move(error));
  return {};
}

}  // namespace

Result<References> ReferencedTrees(store::Store& store, const std::set<std::string>& without,
                                   std::stop_token stop) {
  TreeSet trees;
  constexpr std::size_t kParts = 3;
  const auto add = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return AddRecords(store, without, trees, stopping);
    if (part == 1) return AddCheckpoints(store, without, trees, stopping);
    return AddDataSets(store, trees, stopping);
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kParts, kParts, std::move(stop), add));
  return trees.TakeAll();
}

Result<std::set<Digest>> ReferencedPackageTrees(store::Store& store, std::chrono::hours max_age,
                                                std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.Now(stop));
  std::vector<std::string> names;
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (now - info.lease < max_age) names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kPackagePrefix, "", add, stop));
  TreeSet trees;
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    const auto json = store::GetBytes(store, names[i], stopping, kMaxPackageBytes);
    if (!json && json.error().code != ErrorCode::kDataLoss) return Failure(json.error());
    if (!json || !*json) return {};
    const auto package = StoredPackageFromJson(**json);
    if (!package) return {};
    trees.Add(package->tree);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kReadThreads, names.size(), std::move(stop), read));
  return trees.Take();
}

}  // namespace kinetic::record
