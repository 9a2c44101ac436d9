#include "record/log/objects.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::string_view kNext = "next";
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  const auto number = ParseInt(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// Returns whether a damaged object is in place of a folder of the log: "", "attempts", …,
/// "attempts/{n}/0/log", with or without '/' at the end.
bool HidesLog(const store::ObjectInfo& info, std::string_view folder) {
  if (info.damage.empty()) return false;
  std::string_view path = std::string_view(info.name).substr(folder.size());
  if (path.empty()) return true;
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto parts = Split(path, '/');
  return parts[0] == "attempts" && parts.size() <= 4 && (parts.size() < 3 || parts[2] == "0") &&
         (parts.size() < 4 || parts[3] == "log");
}

/// Parses the name of a log segment. The job's log is that of host 0.
std::optional<LogObject> ParseObject(const store::ObjectInfo& info, const JobKey& job) {
  constexpr std::string_view kLogFolder = "log/";
  const auto named = ParseRunObject(info.name);
  if (!named || named->run.host != 0 || !named->file.starts_with(kLogFolder)) return std::nullopt;
  const auto first = ParseCount(named->file.substr(kLogFolder.size()));
  if (!first) return std::nullopt;
  LogObject object;
  object.attempt = named->run.attempt;
  object.first = *first;
  object.info = info;
  object.owner = OwnerFromMetadata(info.metadata);
  const auto next = info.metadata.find(std::string(kNext));
  const bool is_own = CheckOwner(info.name, object.owner, job).has_value();
  if (is_own && next != info.metadata.end()) object.next = ParseCount(next->second);
  return object;
}

/// Sets the limit of each object to the first record of the next newer attempt.
void SetLimits(std::vector<LogObject>& objects) {
  std::uint64_t limit = kNoLimit;
  std::uint64_t first_of_attempt = kNoLimit;
  for (std::size_t i = objects.size(); i-- > 0;) {
    const LogObject* later = i + 1 < objects.size() ? &objects[i + 1] : nullptr;
    const bool last_of_attempt = later == nullptr || later->attempt != objects[i].attempt;
    if (last_of_attempt) {
      limit = std::min(limit, first_of_attempt);
    }
    objects[i].limit = limit;
    first_of_attempt = objects[i].first;
  }
}

}  // namespace

Result<LogListing> ListLog(store::Store& store, const JobKey& job, std::stop_token stop) {
  const std::string folder = JobFolder(job.id);
  const std::string record = RecordName(job.id);
  const std::string result = ResultName(job.id);
  const std::string tasks = TasksFolder(job.id);
  LogListing listing;
  listing.exists = ParseTaskId(job.id).has_value();  // the record is that of its job
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (info.name.starts_with(tasks)) return false;  // the last folder of an array
    if (auto object = ParseObject(info, job)) listing.objects.push_back(*std::move(object));
    if (HidesLog(info, folder)) listing.damaged_folder = info;
    if (info.name == record) listing.exists = true;
    if (info.name == result) listing.ended = true;
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(folder, "", add, std::move(stop)));
  std::ranges::sort(listing.objects, {}, [](const LogObject& object) {
    return std::pair(object.attempt, object.first);
  });
  SetLimits(listing.objects);
  return listing;
}

store::Metadata LogMetadata(const JobKey& job, std::uint64_t next_sequence) {
  store::Metadata metadata = OwnerMetadata(job);
  metadata.emplace(kNext, std::to_string(next_sequence));
  return metadata;
}

}  // namespace kinetic::record
