#include "bundle/read/tree_loader.h"
#include "support/temp_tree.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;
using test::CompressibleText;
using test::ExpectSameFolders;
using test::RandomBytes;
using testing::ElementsAre;
using testing::IsEmpty;

class MergeTest : public ::testing::Test, public BundleFixture {
 protected:
  /// Stores the files that `fill` creates, and adds them to `all_`.
  Tree Stored(const std::function<void(const test::TempTree&)>& fill) {
    std::filesystem::remove_all(source.path());
    std::filesystem::create_directory(source.path());
    fill(source);
    fill(all_);
    ResetCache();
    const auto report = Write();
    EXPECT_TRUE(report) << report.error().message;
    auto tree = LoadTree(store, report->tree, {});
    EXPECT_TRUE(tree) << tree.error().message;
    return *std::move(tree);
  }

  void ExpectUnpacksAsAll(const MergedTree& merged) {
    const Digest digest = TreeDigest(merged.tree.entries);
    const auto object = EncodeTree(merged.tree);
    ASSERT_TRUE(object) << object.error().message;
    ContentLease lease(store, &ReferencesOf);
    const auto put = lease.PutTree(digest, *object, {});
    ASSERT_TRUE(put) << put.error().message;
    const Path folder = NewFolder();
    const auto laid = Unpack(digest, folder);
    ASSERT_TRUE(laid) << laid.error().message;
    ExpectSameFolders(all_.path(), folder);
  }

  test::TempTree all_;
};

TEST_F(MergeTest, MergesTrees) {
  const std::vector<Tree> parts{Stored([](const auto& folder) {
                                  folder.Write("lib/a/__init__.py", "a = 1\n");
                                  folder.Write("lib/a/large.so", RandomBytes(3 << 20, 1));
                                  folder.Write("bin/a", "#!/bin/sh\n", 0755);
                                }),
                                Stored([](const auto& folder) {
                                  folder.Write("lib/b/__init__.py", CompressibleText(100'000, 2));
                                  folder.Write("lib/b/large.so", RandomBytes(9 << 20, 3));
                                  folder.MakeLink("lib/b/link", "large.so");
                                }),
                                Stored([](const auto& folder) {
                                  folder.Write("lib/c.py", "c = 3\n");
                                  folder.Write("lib/c.pth", "");
                                })};
  const auto merged = MergeTrees(parts);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_THAT(merged->replaced, IsEmpty());
  ExpectUnpacksAsAll(*merged);
}

TEST_F(MergeTest, ReadsNoContent) {
  const std::vector<Tree> parts{
      Stored([](const auto& folder) { folder.Write("a", RandomBytes(1 << 20, 1)); }),
      Stored([](const auto& folder) { folder.Write("b", RandomBytes(1 << 20, 2)); })};
  const auto before = requests;
  const auto merged = MergeTrees(parts);
  ASSERT_TRUE(merged);
  EXPECT_EQ(requests, before);
  EXPECT_EQ(merged->tree.packs.size(), parts[0].packs.size() + parts[1].packs.size());
}

TEST_F(MergeTest, SharesPacks) {
  const std::string shared = RandomBytes(1 << 20, 1);
  const auto fill = [&](const auto& folder) { folder.Write("shared", shared); };
  const Tree one = Stored(fill);
  const std::vector<Tree> parts{one, one};
  const auto merged = MergeTrees(parts);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->tree.packs.size(), one.packs.size());
  EXPECT_THAT(merged->replaced, IsEmpty());
  ExpectUnpacksAsAll(*merged);
}

TEST_F(MergeTest, KeepsAndReportsTheLastContent) {
  const std::vector<Tree> parts{Stored([](const auto& folder) {
                                  folder.Write("lib/ns/__init__.py", "first\n");
                                  folder.Write("lib/ns/one.py", "1\n");
                                }),
                                Stored([](const auto& folder) {
                                  folder.Write("lib/ns/__init__.py", "second\n");
                                  folder.Write("lib/ns/two.py", "2\n");
                                })};
  const auto merged = MergeTrees(parts);
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->replaced, ElementsAre("lib/ns/__init__.py"));
  ExpectUnpacksAsAll(*merged);
}

TEST_F(MergeTest, DropsEmptyFoldersThatAnotherTreeFills) {
  const std::vector<Tree> parts{
      Stored([](const auto& folder) { folder.MakeFolder("plugins"); }),
      Stored([](const auto& folder) { folder.Write("plugins/one.py", "1\n"); })};
  const auto merged = MergeTrees(parts);
  ASSERT_TRUE(merged) << merged.error().message;
  ExpectUnpacksAsAll(*merged);
}

TEST_F(MergeTest, RejectsAFileThatIsAFolder) {
  std::vector<Tree> parts(2);
  parts[0] = Stored([](const auto& folder) { folder.Write("six", "a file\n"); });
  std::filesystem::remove(all_ / "six");
  parts[1] = Stored([](const auto& folder) { folder.Write("six/moves.py", "1\n"); });
  const auto merged = MergeTrees(parts);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(merged.error().message, testing::HasSubstr("six"));
}

TEST_F(MergeTest, ReturnsAnEmptyTreeForNoTrees) {
  const auto merged = MergeTrees({});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->tree.entries, IsEmpty());
}

}  // namespace
}  // namespace kinetic::bundle
