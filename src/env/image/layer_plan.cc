#include "env/image/package_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace kinetic::env {
namespace {

/// Changes when the same packages produce other layers.
constexpr std::string_view kLayerFormat = "1";
/// For smaller packages the requests of a layer cost more than the saved bytes.
constexpr std::uint64_t kLargePackageBytes = 4U << 20;
/// Container runtimes support about 120 layers, including those of the base image.
constexpr std::size_t kMaxLargePackages = 60;

std::uint64_t ContentBytes(const std::vector<bundle::TreeEntry>& entries) {
  std::uint64_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.size_bytes;
  return bytes;
}

using MergedEntries = std::map<std::string_view, const bundle::TreeEntry*>;

std::vector<bundle::TreeEntry> EntriesInMerged(const bundle::Tree& tree,
                                               const MergedEntries& merged_entries) {
  std::vector<bundle::TreeEntry> entries;
  entries.reserve(tree.entries.size());
  for (const auto& entry : tree.entries) {
    const auto match = merged_entries.find(entry.path);
    if (match != merged_entries.end() && HaveSameContent(*match->second, entry))
      entries.push_back(entry);
  }
  return entries;
}

PlannedLayer MakeLayer(std::string name, std::vector<PlannedLayer::Part> parts,
                       const std::string& prefix) {
  PlannedLayer layer{std::move(name), {}, std::move(parts)};
  Sha256 hash;
  hash.Update(fmt::format("{}\n{}\n", kLayerFormat, prefix));
  for (const auto& part : layer.parts) hash.Update(bundle::TreeDigest(part.entries).View());
  layer.key = hash.Finish();
  return layer;
}

}  // namespace

std::vector<PlannedLayer> PlanLayers(const std::vector<bundle::Tree>& trees,
                                     const std::vector<std::string>& names,
                                     const bundle::Tree& merged, const std::string& prefix) {
  MergedEntries merged_entries;
  for (const auto& entry : merged.entries) merged_entries.emplace(entry.path, &entry);
  std::vector<std::pair<std::uint64_t, PlannedLayer::Part>> parts;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    auto entries = EntriesInMerged(trees[i], merged_entries);
    if (entries.empty()) continue;
    const std::uint64_t bytes = ContentBytes(entries);
    parts.push_back({bytes, {i, std::move(entries)}});
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.package < b.second.package;
  });
  std::vector<PlannedLayer> layers;
  std::vector<PlannedLayer::Part> small;
  for (auto& [bytes, part] : parts) {
    if (bytes < kLargePackageBytes || layers.size() == kMaxLargePackages) {
      small.push_back(std::move(part));
      continue;
    }
    std::string name = names[part.package];
    std::vector<PlannedLayer::Part> alone;
    alone.push_back(std::move(part));
    layers.push_back(MakeLayer(std::move(name), std::move(alone), prefix));
  }
  if (small.empty()) return layers;
  std::sort(small.begin(), small.end(),
            [](const auto& a, const auto& b) { return a.package < b.package; });
  std::string name = small.size() == 1 ? names[small.front().package]
                                       : fmt::format("{} small packages", small.size());
  layers.push_back(MakeLayer(std::move(name), std::move(small), prefix));
  return layers;
}

}  // namespace kinetic::env
