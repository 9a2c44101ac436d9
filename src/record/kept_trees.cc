#include "record/kept_trees.h"

#include "base/parallel.h"
#include "base/try.h"
#include "record/checkpoint.h"
#include "record/data_set.h"
#include "record/layout.h"
#include "record/record.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::record {
namespace {

/// The id in "jobs/{id}/record.json", and in nothing deeper.
std::optional<std::string> IdOfRecordName(std::string_view name) {
  constexpr std::string_view kEnd = "/record.json";
  if (!name.ends_with(kEnd) || std::count(name.begin(), name.end(), '/') != 2) return std::nullopt;
  name.remove_prefix(kJobPrefix.size());
  name.remove_suffix(kEnd.size());
  return std::string(name);
}

/// Trees as several threads find them.
class Found {
 public:
  void Add(const Digest& tree) {
    const std::lock_guard lock(mutex_);
    trees_.insert(tree);
  }
  std::set<Digest> Take() { return std::move(trees_); }

 private:
  std::mutex mutex_;
  std::set<Digest> trees_;
};

constexpr std::size_t kThreads = 8;

Status AddRecords(store::Store& store, const std::set<std::string>& without, Found& found,
                  const std::stop_token& stop) {
  std::vector<std::string> names;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    const auto id = IdOfRecordName(info.name);
    if (id && !without.contains(*id)) names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kJobPrefix, "", take, stop));
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, names[i], stopping));
    if (!json) return {};  // its job was removed meanwhile
    auto record = FromJson(*json);
    if (!record) {
      return Failure(std::move(record).error().Context(names[i]).Hint(
          "remove the job whose record is damaged: nobody can say what it needs"));
    }
    found.Add(record->tree);
    for (const auto& [path, data] : record->data) found.Add(data.tree);
    if (record->environment) found.Add(record->environment->tree);
    return {};
  };
  return Parallel(kThreads, names.size(), stop, read);
}

Status AddCheckpoints(store::Store& store, const std::set<std::string>& without, Found& found,
                      const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto listed, ListCheckpoints(store, {}, stop));
  std::erase_if(listed, [&](const auto& checkpoint) { return without.contains(checkpoint.id); });
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    auto checkpoint = ReadCheckpoint(store, listed[i], stopping);
    if (checkpoint) {
      found.Add(checkpoint->tree);
      return {};
    }
    // One that a newer one has replaced, or whose job was removed meanwhile, keeps nothing.
    if (checkpoint.error().code == ErrorCode::kNotFound) return {};
    return Failure(
        std::move(checkpoint)
            .error()
            .Hint("remove the job whose checkpoint is damaged: nobody can say what it needs"));
  };
  return Parallel(kThreads, listed.size(), stop, read);
}

}  // namespace

Result<std::set<Digest>> TreesOfJobs(store::Store& store, const std::set<std::string>& without,
                                     std::stop_token stop) {
  Found found;
  KINETIC_RETURN_IF_ERROR(AddRecords(store, without, found, stop));
  KINETIC_RETURN_IF_ERROR(AddCheckpoints(store, without, found, stop));
  auto sets = ListDataSets(store, std::move(stop));
  if (!sets) {
    return Failure(std::move(sets).error().Hint(
        "remove the object of the data set that is damaged: nobody can say what it needs"));
  }
  for (const auto& set : *sets) found.Add(set.tree);
  return found.Take();
}

}  // namespace kinetic::record
