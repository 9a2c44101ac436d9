#include "gc_content.h"
#include "gc_world.h"

#include <set>

namespace kinetic::test {

using std::chrono::hours;

std::optional<std::string> GcWorld::FindMissingPack(const std::string& tree_name) const {
  const Body body = Parse(*store_.Peek(tree_name));
  for (const int pack : body.packs) {
    if (!store_.Peek(PackName(pack))) return "pack " + std::to_string(pack);
  }
  return std::nullopt;
}

std::optional<std::string> GcWorld::FindMissing(int tree) const {
  const auto text = store_.Peek(TreeName(tree));
  if (!text) return "tree " + std::to_string(tree);
  if (auto missing = FindMissingPack(TreeName(tree))) return missing;
  const auto base = Parse(*text).base;
  if (!base) return std::nullopt;
  const auto base_text = store_.Peek(TreeName(*base));
  if (!base_text) return "base " + std::to_string(*base);
  if (Parse(*base_text).base) return "a full base " + std::to_string(*base);
  if (auto missing = FindMissingPack(TreeName(*base))) return "the base's " + *missing;
  return std::nullopt;
}

void GcWorld::CheckJobs() {
  if (fault_) return;
  for (const auto& [id, job] : jobs_) {
    if (!job.strict) continue;
    if (const auto missing = FindMissing(job.tree)) {
      return Fault("job " + id + " needs tree " + std::to_string(job.tree) + ", and " + *missing +
                   " is missing");
    }
  }
}

/// A writer relies on a confirmed tree until its record is stored.
void GcWorld::CheckPromises() {
  if (fault_) return;
  for (const auto& [id, promise] : promises_) {
    const auto age = clock_.Now() - promise.made;
    if (age >= kConfirmedFor || age <= -kConfirmedFor) continue;
    if (const auto missing = FindMissing(promise.tree)) {
      return Fault("the writer of job " + id + " relies on tree " + std::to_string(promise.tree) +
                   ", and " + *missing + " is missing");
    }
  }
}

/// A young tree guarantees all objects that it refers to. No tree outlives its packs unless it was
/// old when stored or touched. (A delta may outlive its base if both are old and collected.)
void GcWorld::CheckTrees() {
  if (fault_) return;
  const auto objects = store_.Objects();
  for (int tree = 0; tree < kTrees; ++tree) {
    const auto found = objects.find(TreeName(tree));
    if (found == objects.end()) continue;
    const bool young = clock_.Now() - found->second.lease < bundle::kReuseFor;
    bool& whole = whole_[{found->second.generation, found->second.metageneration}];
    whole = whole || young;
    if (!whole) continue;
    const auto missing = young ? FindMissing(tree) : FindMissingPack(TreeName(tree));
    if (missing) return Fault("tree " + std::to_string(tree) + " dangles without " + *missing);
  }
}

/// A final collection keeps exactly what the records need.
std::optional<std::string> GcWorld::CheckEnd() {
  clock_.Jump(hours(9 * 24));
  Collect();
  CheckJobs();
  if (fault_) return fault_;
  std::set<std::string> needed;
  for (const auto& [id, job] : jobs_) {
    std::vector<int> trees = {job.tree};
    for (std::size_t i = 0; i < trees.size(); ++i) {
      needed.insert(TreeName(trees[i]));
      const auto text = store_.Peek(TreeName(trees[i]));
      const Body body = text ? Parse(*text) : Body();
      if (body.base && i == 0) trees.push_back(*body.base);
      for (const int pack : body.packs) needed.insert(PackName(pack));
    }
  }
  for (const auto& [name, info] : store_.Objects()) {
    if (name.starts_with("jobs/") || needed.contains(name)) continue;
    return name + " was not collected";
  }
  return std::nullopt;
}

}  // namespace kinetic::test
