#include "job/gc/collection.h"

#include "kinetic/try.h"

#include "job/gc/garbage.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::job {

bool Collection::IsOlder(const store::ObjectInfo& info, WallTime::duration age) const {
  return store::IsOlder(info.lease, now, age);
}

void Collection::Warn(const Error& error, std::string_view advice) {
  const std::lock_guard lock(mutex);
  const auto is_known = [known = error.message + " ("](const std::string& warning) {
    return warning.starts_with(known);
  };
  if (std::ranges::any_of(report.warnings, is_known)) return;
  report.warnings.push_back(error.message + " (" + std::string(advice) + ")");
}

Result<bool> Collection::HasRecord(std::string_view id) const {
  KINETIC_ASSIGN_OR_RETURN(const auto record, context.store->Stat(record::RecordName(id), stop));
  return record.has_value();
}

std::string WhyKept(std::string_view needed_by, std::chrono::hours retention) {
  const auto days = std::chrono::duration_cast<std::chrono::days>(retention).count();
  const std::string used = days == 0   ? ""
                           : days == 1 ? "used in the last day"
                                       : fmt::format("used in the last {} days", days);
  if (needed_by.empty()) return used.empty() ? "in use" : used;
  return fmt::format("{} needs them{}", needed_by, used.empty() ? "" : ", or " + used);
}

void Count(GarbageReport::Class& found, std::uint64_t bytes, bool removed) {
  (removed ? found.removed : found.kept) += 1;
  (removed ? found.removed_bytes : found.kept_bytes) += bytes;
}

}  // namespace kinetic::job
