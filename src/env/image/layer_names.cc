#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/read/tree_loader.h"
#include "env/image/package_layers.h"
#include "record/object_names.h"
#include "record/packages/objects.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// Returns the trees of all packages, or an empty list if one is missing or invalid.
Result<std::vector<bundle::Tree>> LoadTrees(const StoredPackages& packages, store::Store& store,
                                            const std::stop_token& stop) {
  std::vector<bundle::Tree> trees(packages.size());
  const auto load = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(trees[i], bundle::LoadTree(store, packages[i]->tree, stopping));
    return {};
  };
  auto loaded = ParallelFor(kConcurrentReads, trees.size(), stop, load);
  if (loaded) return trees;
  const ErrorCode code = loaded.error().code;
  if (code == ErrorCode::kNotFound || code == ErrorCode::kDataLoss) {
    return std::vector<bundle::Tree>();
  }
  return Failure(std::move(loaded).error());
}

}  // namespace

Result<std::map<Digest, std::string>> LayerNames(const Lock& lock, const StoredPackages& packages,
                                                 const std::string& prefix, store::Store& store,
                                                 std::stop_token stop) {
  std::map<Digest, std::string> names;
  const bool all = std::ranges::all_of(packages, [](const auto& one) { return one.has_value(); });
  if (!all) return names;
  KINETIC_ASSIGN_OR_RETURN(const auto trees, LoadTrees(packages, store, stop));
  const auto merged = bundle::MergeTrees(trees);
  if (!merged) return names;
  std::vector<std::string> package_names;
  package_names.reserve(lock.packages.size());
  for (const auto& package : lock.packages) package_names.push_back(package.DisplayName());
  if (trees.size() != package_names.size()) return names;
  for (const auto& layer : PlanLayers(trees, package_names, merged->tree, prefix)) {
    KINETIC_ASSIGN_OR_RETURN(const auto json,
                             store::GetBytes(store, record::LayerName(layer.key), stop));
    if (!json) continue;
    if (const auto stored = record::StoredLayerFromJson(*json)) names[stored->blob] = layer.name;
  }
  return names;
}

}  // namespace kinetic::env
