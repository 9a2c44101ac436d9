#include "job/gc/damaged.h"

#include "kinetic/try.h"

#include "job/find.h"
#include "job/summary.h"
#include "record/object_names.h"
#include "store/damage.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::string_view kAdvice = "to remove it: kinetic gc --verify";

Status RemoveDamaged(Collection& gc, const store::ObjectInfo& info) {
  if (!gc.options.dry_run) {
    const auto removal = gc.context.store->RemoveIfUnchanged(info, gc.stop);
    const bool is_denied = !removal && removal.error().code == ErrorCode::kPermissionDenied;
    if (!removal && !is_denied) return Failure(removal.error());
    if (is_denied) {
      gc.Warn(removal.error(), "its owner can remove it");
      return {};
    }
  }
  gc.report.removed.push_back(info.name);
  if (!info.damage.empty()) {
    gc.Warn(store::DamageError(info), gc.options.dry_run ? kAdvice : "it was removed");
  }
  return {};
}

/// Rewrites a job's entry if the store cannot read it, and removes the rest of the damaged one.
/// Keeps the entry if the record is damaged, too.
Status ReplaceDamagedEntry(Collection& gc, const store::ObjectInfo& entry, const std::string& id) {
  if (!gc.options.verify || entry.damage.empty()) return {};
  const auto record = ReadRecord(*gc.context.store, id, gc.stop);
  if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
  if (!record || !*record) return {};
  if (!gc.options.dry_run) {
    KINETIC_RETURN_IF_ERROR(
        record::CreateIndex(*gc.context.store, record::SummaryOf(**record), gc.stop));
  }
  return RemoveDamaged(gc, entry);  // unless it was replaced
}

}  // namespace

std::optional<std::string> RemovalOf(std::string_view text) {
  const std::string id = record::JobOfObject(text);
  if (id.empty() || !CheckJobId(id)) return std::nullopt;
  return "to remove the job: kinetic rm --force " + id;
}

Status CollectDamagedEntries(Collection& gc) {
  for (const auto& entry : gc.index.damaged) {
    const std::string id(record::IdOfIndexName(entry.name));
    if (CheckJobId(id)) {
      KINETIC_ASSIGN_OR_RETURN(const bool has_record, gc.HasRecord(id));
      if (has_record) {
        KINETIC_RETURN_IF_ERROR(ReplaceDamagedEntry(gc, entry, id));
        continue;
      }
    }
    const bool is_due = gc.options.verify && !entry.damage.empty();
    if (is_due || gc.IsOlder(entry, kIncompleteJobRetention)) {
      KINETIC_RETURN_IF_ERROR(RemoveDamaged(gc, entry));
    }
  }
  return {};
}

Status CollectDamaged(Collection& gc) {
  std::ranges::copy(gc.referrers.damaged, std::back_inserter(gc.damaged));
  for (const store::ObjectInfo& entry : gc.index.damaged) {  // CollectDamagedEntries removes them
    if (!entry.damage.empty() && !gc.options.verify) gc.Warn(store::DamageError(entry), kAdvice);
  }
  for (const store::ObjectInfo& info : gc.damaged) {
    const auto removal = RemovalOf(info.name);
    if (store::IsDenied(info)) {
      gc.Warn(store::DamageError(info), store::DamageError(info).hint);
    } else if (gc.options.verify && !removal) {
      KINETIC_RETURN_IF_ERROR(RemoveDamaged(gc, info));
    } else {
      gc.Warn(store::DamageError(info), removal.value_or(std::string(kAdvice)));
    }
  }
  return {};
}

Failure HiddenReferences(const Collection& gc) {
  const auto hidden = std::ranges::find_if(gc.referrers.damaged, record::HidesReferences);
  const std::string message = store::DamageError(*hidden).message;
  Error why = store::DamageError(*hidden).Context("cannot determine which objects jobs need");
  // The report with these warnings is not returned.
  for (const std::string& warning : gc.report.warnings)
    if (!warning.starts_with(message)) why.message += "\n" + warning;
  if (store::IsDenied(*hidden)) return Failure(std::move(why));
  const bool is_removed = gc.options.verify && !gc.options.dry_run;
  return Failure(std::move(why).Hint(is_removed ? "it was removed; run the command again"
                                                : std::string(kAdvice)));
}

}  // namespace kinetic::job
