// Reuse of the previous tree, and the requests that it takes.

#include "bundle/write/previous_tree.h"

#include "bundle/read/tree_loader.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

using std::chrono::hours;
using test::BundleFixture;
using test::ExpectSameFolders;
using test::RandomBytes;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PreviousTreeTest : public ::testing::Test, public BundleFixture {
 protected:
  PreviousTreeTest() {
    trees = std::make_shared<TreeCache>(PosixFileSystem(), clock, folder_, store.Location());
    for (int i = 0; i < 40; ++i) {
      source.Write("f" + std::to_string(i), RandomBytes(10'000, static_cast<std::uint64_t>(i)));
    }
  }

  void Edit(int number) { source.Write("edited", "edit " + std::to_string(number)); }

  /// Stores the folder and records the requests.
  WriteReport Store() {
    requests_.clear();
    store.SetHook([this](std::string_view operation, std::string_view name) -> Status {
      const std::lock_guard lock(requests_mutex_);
      if (operation == "now" || operation == "stored") return {};
      requests_.push_back(std::string(operation) + " " + std::string(name.substr(0, 10)));
      return {};
    });
    auto report = Write();
    store.SetHook({});
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : WriteReport();
  }

  static std::string Named(const std::string& operation, const Digest& tree) {
    return operation + " trees/" + tree.Hex().substr(0, 4);
  }

  void ExpectRoundTrip(const Digest& tree) {
    const Path folder = NewFolder();
    const auto report = Unpack(tree, folder);
    ASSERT_TRUE(report) << report.error().message;
    ExpectSameFolders(source.path(), folder);
  }

  Path folder_ = out / "trees";
  std::mutex requests_mutex_;
  std::vector<std::string> requests_;
};

TEST_F(PreviousTreeTest, ConfirmsCachedTreesWithoutReading) {
  const Digest full = Store().tree;
  Edit(1);
  const auto first = Store();
  EXPECT_TRUE(first.delta);
  EXPECT_THAT(requests_, UnorderedElementsAre(Named("stat", first.tree), Named("stat", full),
                                              Named("put", first.tree)));
  Edit(2);
  const auto second = Store();
  EXPECT_TRUE(second.delta);
  EXPECT_THAT(requests_, UnorderedElementsAre(Named("stat", second.tree), Named("stat", first.tree),
                                              Named("stat", full), Named("put", second.tree)));
  ExpectRoundTrip(second.tree);
}

TEST_F(PreviousTreeTest, StoresSmallPacksWithoutACheck) {
  Store();
  source.Write("new", RandomBytes(400'000, 99));
  const auto edited = Store();
  EXPECT_TRUE(edited.delta);
  EXPECT_EQ(edited.objects_stored, 2U);
  std::erase_if(requests_, [](const std::string& request) { return request.find("tree") < 10; });
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_THAT(requests_[0], testing::StartsWith("put packs/"));
  ExpectRoundTrip(edited.tree);
}

TEST_F(PreviousTreeTest, SendsOneRequestForAnUnchangedBundle) {
  const Digest full = Store().tree;
  Store();
  EXPECT_THAT(requests_, UnorderedElementsAre(Named("stat", full)));
}

TEST_F(PreviousTreeTest, ReadsAndCachesUncachedTrees) {
  const Digest full = Store().tree;
  std::filesystem::remove_all(folder_);
  Edit(1);
  const auto first = Store();
  EXPECT_TRUE(first.delta);
  EXPECT_THAT(requests_, UnorderedElementsAre(Named("stat", first.tree), Named("get", full),
                                              Named("stat", full), Named("put", first.tree)));
  EXPECT_TRUE(trees->Find(full));
  ExpectRoundTrip(first.tree);
}

TEST_F(PreviousTreeTest, ReadsReplacedTreesAgain) {
  const Digest full = Store().tree;
  const std::string name = "trees/" + full.Hex();
  SetBytes(name, Bytes(name));
  const auto generation = store.Objects().at(name).generation;
  Edit(1);
  const auto first = Store();
  EXPECT_TRUE(first.delta);
  EXPECT_THAT(requests_, testing::Contains(Named("get", full)));
  EXPECT_EQ(trees->Find(full)->generation, generation);
  ExpectRoundTrip(first.tree);
}

TEST_F(PreviousTreeTest, IgnoresACachedObjectOfAnotherTree) {
  const Digest full = Store().tree;
  Edit(1);
  const Digest other = Store().tree;
  // The cached object has the right name and generation, but another tree.
  TreeObject wrong = *trees->Find(full);
  const auto generation = trees->Find(other)->generation;
  const std::string name = "trees/" + other.Hex();
  wrong.generation = generation;
  ASSERT_TRUE(trees->Insert(other, wrong));
  Edit(2);
  const auto second = Store();
  EXPECT_TRUE(second.delta);
  EXPECT_EQ(trees->Find(other)->body, Bytes(name));
  ExpectRoundTrip(second.tree);
}

TEST_F(PreviousTreeTest, ConfirmsAStaleTreeWithItsReferences) {
  Store();
  Edit(1);
  Store();
  clock.Advance(std::chrono::days(5));
  Edit(2);
  const auto edited = Store();
  EXPECT_TRUE(edited.delta);
  for (const auto& name : Names("packs/")) EXPECT_EQ(clock.Now(), store.Objects().at(name).lease);
  EXPECT_EQ(clock.Now(), store.Objects().at("trees/" + edited.tree.Hex()).lease);
  ExpectRoundTrip(edited.tree);
}

TEST_F(PreviousTreeTest, IgnoresAStaleTreeWithoutItsPack) {
  Store();
  clock.Advance(std::chrono::days(5));
  for (const auto& name : Names("packs/")) store.Drop(name);
  Edit(1);
  const auto edited = Store();
  EXPECT_FALSE(edited.delta);
  ExpectRoundTrip(edited.tree);
}

TEST_F(PreviousTreeTest, IgnoresADeferredTreeThatWasNotStored) {
  const Digest full = Store().tree;
  Edit(1);
  {
    ContentLease lease(store, ReferencesOf);
    lease.DeferTrees();
    auto tree = test::ListFolder(source.path());
    ASSERT_TRUE(WriteBundle(store, lease, {PosixFileSystem(), tree, cache}, options, {}));
  }
  ASSERT_TRUE(cache.Save(PosixFileSystem()));
  ResetCache();
  EXPECT_EQ(cache.previous_tree(), full);
  const auto same = Store();
  EXPECT_TRUE(same.delta);
  ExpectRoundTrip(same.tree);
  cache = NewCache();
  Edit(2);
  EXPECT_TRUE(Store().delta);
}

}  // namespace
}  // namespace kinetic::bundle
