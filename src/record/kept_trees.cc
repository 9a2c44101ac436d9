#include "record/kept_trees.h"

#include "base/parallel.h"
#include "base/try.h"
#include "record/layout.h"
#include "record/record.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
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

}  // namespace

Result<std::set<Digest>> TreesOfRecords(store::Store& store, const std::set<std::string>& without,
                                        std::stop_token stop) {
  std::vector<std::string> names;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    const auto id = IdOfRecordName(info.name);
    if (id && !without.contains(*id)) names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kJobPrefix, "", take, stop));
  std::mutex mutex;
  std::set<Digest> trees;
  constexpr std::size_t kThreads = 8;
  const auto read = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, names[i], stopping));
    if (!json) return {};  // its job was removed meanwhile
    auto record = FromJson(*json);
    if (!record) {
      return Failure(std::move(record).error().Context(names[i]).Hint(
          "remove the job whose record is damaged: nobody can say what it needs"));
    }
    const std::lock_guard lock(mutex);
    trees.insert(record->tree);
    for (const auto& [path, data] : record->data) trees.insert(data.tree);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(kThreads, names.size(), stop, read));
  return trees;
}

}  // namespace kinetic::record
