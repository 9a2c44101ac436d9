#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/gc/content_removal.h"
#include "record/object_names.h"
#include "store/age.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;

/// A live tree and the names of the objects it needs, including its own.
struct LiveTree {
  Digest tree;
  std::vector<std::string> needs;
};

/// A garbage collection: docs/adr/0004-garbage-collection.md.
class ContentCollection {
 public:
  ContentCollection(store::Store& store, const ReferenceReader& references,
                    const ContentCollectorOptions& options, std::stop_token stop)
      : store_(store), references_(references), options_(options), stop_(std::move(stop)) {}

  /// Lists all objects with their generations, which reveal later changes.
  Status List() {
    auto now = store_.ExactNow(stop_);
    // Reading the exact time stores an object.
    const bool is_denied = !now && now.error().code == ErrorCode::kPermissionDenied;
    if (is_denied && options_.dry_run) now = store_.Now(stop_);
    KINETIC_ASSIGN_OR_RETURN(now_, std::move(now));
    const auto take = [this](const store::ObjectInfo& info) -> Result<bool> {
      if (!info.damage.empty() && options_.on_damage) {
        options_.on_damage(store::DamageError(info));
      }
      const std::lock_guard lock(mutex_);
      listed_.emplace(info.name, info);
      return true;
    };
    constexpr std::array kPrefixes{record::kTreePrefix, record::kPackPrefix};
    const auto list = [&](std::size_t i, const std::stop_token& stop) {
      return store_.List(kPrefixes.at(i), "", take, stop);
    };
    return ParallelFor(std::min(options_.requests, kPrefixes.size()), kPrefixes.size(), stop_,
                       list);
  }

  Status Mark(const LiveTreeReader& live_trees) {
    KINETIC_ASSIGN_OR_RETURN(const std::set<Digest> trees, live_trees(stop_));
    const std::vector<Digest> list(trees.begin(), trees.end());
    const auto mark = [&](std::size_t i, const std::stop_token& stop) -> Status {
      KINETIC_ASSIGN_OR_RETURN(auto needs, NeedsOf(list[i], stop));
      const std::lock_guard lock(mutex_);
      needed_.insert(needs.begin(), needs.end());
      live_trees_.push_back({list[i], std::move(needs)});
      return {};
    };
    return ParallelFor(std::min(options_.requests, list.size()), list.size(), stop_, mark);
  }

  Status Renew() {
    ContentLease lease(store_, references_, options_.requests);
    for (const LiveTree& tree : live_trees_) {
      const auto is_due = [this](const std::string& name) { return IsDue(name); };
      if (std::none_of(tree.needs.begin(), tree.needs.end(), is_due)) continue;
      // Ignore incomplete trees: they cannot be repaired here.
      KINETIC_ASSIGN_OR_RETURN([[maybe_unused]] const bool renewed, lease.Renew(tree.tree, stop_));
    }
    return {};
  }

  /// Removes trees before packs, so that trees are complete if the process is killed.
  Result<GarbageReport> Sweep() {
    GarbageReport report;
    report.classes = {{.name = "packs"}, {.name = "trees"}};
    KINETIC_RETURN_IF_ERROR(SweepClass(record::kTreePrefix, report.classes[1], report));
    KINETIC_RETURN_IF_ERROR(SweepClass(record::kPackPrefix, report.classes[0], report));
    std::sort(report.removed.begin(), report.removed.end());
    return report;
  }

 private:
  Result<std::vector<std::string>> NeedsOf(const Digest& tree, const std::stop_token& stop) {
    std::vector<std::string> needs;
    KINETIC_ASSIGN_OR_RETURN(const auto references, Read(tree, stop));
    if (references && references->base) {
      KINETIC_ASSIGN_OR_RETURN(const auto base, Read(*references->base, stop));
      if (base) AppendPacks(*base, needs);
      needs.push_back(TreeName(*references->base));
    }
    if (references) AppendPacks(*references, needs);
    needs.push_back(TreeName(tree));
    return needs;
  }

  static void AppendPacks(const TreeReferences& references, std::vector<std::string>& needs) {
    for (const Digest& pack : references.packs) needs.push_back(PackName(pack));
  }

  /// Returns nullopt if the tree does not exist.
  Result<std::optional<TreeReferences>> Read(const Digest& tree, const std::stop_token& stop) {
    const std::string name = TreeName(tree);
    const auto body = store::GetBytes(store_, name, stop, kMaxTreeObjectBytes);
    if (body && !*body) return std::nullopt;
    auto references = body ? references_(**body) : Failure(body.error());
    if (references) return *std::move(references);
    // Errors of the store already contain the name.
    Error error = body ? std::move(references).error().Context(name) : body.error();
    if (error.code != ErrorCode::kDataLoss) return Failure(std::move(error));
    if (options_.on_damage) options_.on_damage(error);
    return std::nullopt;
  }

  bool IsDue(const std::string& name) const {
    const auto found = listed_.find(name);
    return found != listed_.end() &&
           store::IsOlder(found->second.lease, now_, options_.renew_after);
  }

  bool IsGarbage(const store::ObjectInfo& info) const {
    return !needed_.contains(info.name) && store::IsOlder(info.lease, now_, options_.min_age);
  }

  Status SweepClass(std::string_view prefix, GarbageReport::Class& counts, GarbageReport& report) {
    std::vector<const store::ObjectInfo*> garbage;
    for (auto at = listed_.lower_bound(prefix);
         at != listed_.end() && at->first.starts_with(prefix); ++at) {
      if (IsGarbage(at->second)) {
        garbage.push_back(&at->second);
      } else {
        ++counts.kept;
        counts.kept_bytes += at->second.size_bytes;
      }
    }
    const auto remove = [&](std::size_t i, const std::stop_token& stop) -> Status {
      KINETIC_ASSIGN_OR_RETURN(const bool removed, Remove(*garbage[i], stop));
      const std::lock_guard lock(mutex_);
      (removed ? counts.removed : counts.kept) += 1;
      (removed ? counts.removed_bytes : counts.kept_bytes) += garbage[i]->size_bytes;
      if (removed) report.removed.push_back(garbage[i]->name);
      return {};
    };
    return ParallelFor(std::min(options_.requests, garbage.size()), garbage.size(), stop_, remove);
  }

  /// Removes an object unless it changed since the listing. Returns whether it was (or would be)
  /// removed.
  Result<bool> Remove(const store::ObjectInfo& info, const std::stop_token& stop) {
    if (options_.dry_run) return true;
    KINETIC_ASSIGN_OR_RETURN(const auto removal, store_.RemoveIfUnchanged(info, stop));
    return removal != store::Removal::kChanged;
  }

  store::Store& store_;
  const ReferenceReader& references_;
  const ContentCollectorOptions& options_;
  const std::stop_token stop_;
  WallTime now_;
  std::map<std::string, store::ObjectInfo, std::less<>> listed_;
  std::mutex mutex_;
  std::set<std::string> needed_;
  std::vector<LiveTree> live_trees_;
};

}  // namespace

Result<GarbageReport> CollectContent(store::Store& store, const ReferenceReader& references,
                                     const LiveTreeReader& live_trees,
                                     const ContentCollectorOptions& options, std::stop_token stop) {
  ContentCollection collection(store, references, options, stop);
  KINETIC_RETURN_IF_ERROR(collection.List());
  KINETIC_RETURN_IF_ERROR(collection.Mark(live_trees));
  if (!options.dry_run) KINETIC_RETURN_IF_ERROR(collection.Renew());
  return collection.Sweep();
}

}  // namespace kinetic::bundle
