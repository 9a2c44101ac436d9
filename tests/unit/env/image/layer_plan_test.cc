#include "env/image/package_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using bundle::Tree;
using bundle::TreeEntry;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kLarge = 10U << 20;

TreeEntry File(std::string path, const std::string& content, std::uint64_t size_bytes = 100) {
  TreeEntry entry;
  entry.path = std::move(path);
  entry.content = Sha256::Of(content);
  entry.size_bytes = size_bytes;
  return entry;
}

Tree TreeOf(std::vector<TreeEntry> entries) {
  Tree tree;
  tree.entries = std::move(entries);
  return tree;
}

/// Returns the merged tree, in which later trees win.
Tree Merged(const std::vector<Tree>& trees) {
  std::map<std::string, TreeEntry> all;
  for (const auto& tree : trees) {
    for (const auto& entry : tree.entries) all[entry.path] = entry;
  }
  Tree merged;
  for (auto& [path, entry] : all) merged.entries.push_back(entry);
  return merged;
}

std::vector<PlannedLayer> Plan(const std::vector<Tree>& trees,
                               const std::vector<std::string>& names) {
  return PlanLayers(trees, names, Merged(trees), "/opt/kinetic/environment");
}

std::vector<std::string> NamesOf(const std::vector<PlannedLayer>& layers) {
  std::vector<std::string> names;
  for (const auto& layer : layers) names.push_back(layer.name);
  return names;
}

TEST(LayerPlan, SortsLargePackagesAndJoinsSmallOnes) {
  const std::vector<Tree> trees{
      TreeOf({File("a/a.py", "a")}), TreeOf({File("b/b.so", "b", kLarge)}),
      TreeOf({File("c/c.py", "c")}), TreeOf({File("d/d.so", "d", 2 * kLarge)})};
  EXPECT_THAT(NamesOf(Plan(trees, {"a 1", "b 1", "c 1", "d 1"})),
              ElementsAre("d 1", "b 1", "2 small packages"));
}

TEST(LayerPlan, IsEmptyWithoutPackages) { EXPECT_THAT(Plan({}, {}), IsEmpty()); }

TEST(LayerPlan, ChangedPackageChangesOnlyItsLayer) {
  std::vector<Tree> trees{TreeOf({File("a/a.py", "a")}), TreeOf({File("b/b.so", "b", kLarge)})};
  const auto before = Plan(trees, {"a 1", "b 1"});
  trees[0].entries[0].content = Sha256::Of("another a");
  const auto after = Plan(trees, {"a 2", "b 1"});
  ASSERT_EQ(before.size(), 2U);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(before[0].key, after[0].key);
  EXPECT_NE(before[1].key, after[1].key);
}

TEST(LayerPlan, KeyDependsOnPrefix) {
  const std::vector<Tree> trees{TreeOf({File("a/a.py", "a")})};
  EXPECT_NE(PlanLayers(trees, {"a"}, trees[0], "/one")[0].key,
            PlanLayers(trees, {"a"}, trees[0], "/two")[0].key);
}

TEST(LayerPlan, LastPackageWinsRegardlessOfLayerOrder) {
  // "b" is larger and therefore below "a", whose file must not hide that of "b".
  const std::vector<Tree> trees{TreeOf({File("a/a.py", "a"), File("shared.py", "of a")}),
                                TreeOf({File("b/b.so", "b", kLarge), File("shared.py", "of b")})};
  const auto layers = Plan(trees, {"a 1", "b 1"});
  ASSERT_EQ(layers.size(), 2U);
  std::vector<Digest> shared;
  for (const auto& layer : layers) {
    for (const auto& entry : layer.parts[0].entries) {
      if (entry.path == "shared.py") shared.push_back(entry.content);
    }
  }
  EXPECT_THAT(shared, ElementsAre(Sha256::Of("of b")));
}

TEST(LayerPlan, LimitsNumberOfLayers) {
  std::vector<Tree> trees;
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "package-" + std::to_string(i);
    trees.push_back(TreeOf({File(name + "/a.so", name, kLarge)}));
    names.push_back(name);
  }
  const auto layers = Plan(trees, names);
  ASSERT_EQ(layers.size(), 61U);
  EXPECT_EQ(layers.back().name, "140 small packages");
}

}  // namespace
}  // namespace kinetic::env
