#include "bundle/format/tree_codec.h"

#include "bundle/format/tree.h"
#include "unit/bundle/entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

using testing::HasSubstr;
using Type = BundleEntry::Type;

/// Returns a tree with every kind of entry and position.
Tree SampleTree() {
  Tree tree;
  tree.packs = {{Sha256::Of("p0"), {{0, 100, 1000}, {100, 50, 500}}},
                {Sha256::Of("p1"), {{0, 70, 700}}}};
  tree.inline_bytes = "inline content";
  tree.entries.push_back(FileEntry("a/b", std::string(10, 'x'), {0, 0, 0}));
  tree.entries.push_back(FileEntry("a/c", std::string(20, 'y'), {0, 0, 10}));
  tree.entries.push_back(FileEntry("b", std::string(500, 'z'), {0, 1, 0}));
  tree.entries.back().executable = true;
  tree.entries.push_back(FolderEntry("c/none"));
  TreeEntry chunked{.path = "d"};
  chunked.content = Sha256::Of("whole");
  chunked.size_bytes = 714;
  chunked.extents = {{1, 0, 0, 700, Sha256::Of("first")},
                     {Extent::kInline, 0, 0, 14, Sha256::Of("second")}};
  tree.entries.push_back(chunked);
  TreeEntry empty{.path = "e"};
  empty.content = Sha256::Of({});
  tree.entries.push_back(empty);
  tree.entries.push_back(LinkEntry("f", "a/b"));
  tree.entries.push_back(FileEntry("g", "inline", {Extent::kInline, 0, 0}));
  return tree;
}

void ExpectEqual(const Tree& a, const Tree& b) {
  EXPECT_EQ(a.entries, b.entries);
  EXPECT_EQ(a.packs, b.packs);
  EXPECT_EQ(a.inline_bytes, b.inline_bytes);
  EXPECT_EQ(a.base, b.base);
  EXPECT_EQ(a.base_packs, b.base_packs);
  EXPECT_EQ(a.base_inline_bytes, b.base_inline_bytes);
}

TEST(TreeCodecTest, RoundTrips) {
  const Tree tree = SampleTree();
  const auto object = EncodeTree(tree);
  ASSERT_TRUE(object);
  const auto read = DecodeTree(*object);
  ASSERT_TRUE(read) << read.error().message;
  ExpectEqual(*read, tree);
  const auto references = ReferencesOf(*object);
  ASSERT_TRUE(references);
  EXPECT_THAT(references->packs, testing::ElementsAre(tree.packs[0].digest, tree.packs[1].digest));
  EXPECT_FALSE(references->base);
}

TEST(TreeCodecTest, DecodesADeltaWithItsBase) {
  const Tree base = SampleTree();
  Tree tree = base;
  tree.base = TreeDigest(base.entries);
  tree.base_packs = base.packs.size();
  tree.base_inline_bytes = base.inline_bytes.size();
  tree.packs.push_back({Sha256::Of("p2"), {{0, 30, 300}}});
  tree.inline_bytes += "more";
  tree.entries.erase(tree.entries.begin());
  tree.entries[0] = FileEntry("a/c", "more", {Extent::kInline, 0, 14});
  tree.entries.insert(tree.entries.begin() + 1, FileEntry("a/d", std::string(300, 'q'), {2, 0, 0}));
  const auto object = EncodeTree(tree, &base);
  ASSERT_TRUE(object);
  const auto read = DecodeTree(*object, &base);
  ASSERT_TRUE(read) << read.error().message;
  ExpectEqual(*read, tree);
  EXPECT_EQ(ReferencesOf(*object)->base, tree.base);
  EXPECT_EQ(ReferencesOf(*object)->packs.size(), 3U);
  EXPECT_LT(object->size(), EncodeTree(tree)->size());
}

TEST(TreeCodecTest, RejectsADeltaWithAnotherBase) {
  const Tree base = SampleTree();
  Tree tree = base;
  tree.base = TreeDigest(base.entries);
  tree.base_packs = base.packs.size();
  tree.base_inline_bytes = base.inline_bytes.size();
  const auto object = EncodeTree(tree, &base);
  Tree other = base;
  other.packs.pop_back();
  EXPECT_THAT(DecodeTree(*object, &other).error().message,
              HasSubstr("do not begin with those of its base"));
  EXPECT_THAT(DecodeTree(*object, &tree).error().message, HasSubstr("also a delta"));
}

TEST(TreeCodecTest, DetectsEveryDamagedByte) {
  const std::string object = *EncodeTree(SampleTree());
  for (std::size_t i = 0; i < object.size(); ++i) {
    std::string damaged = object;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const auto read = DecodeTree(damaged);
    ASSERT_FALSE(read) << i;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss) << i;
    EXPECT_FALSE(ReferencesOf(damaged)) << i;
  }
  for (std::size_t size = 0; size < object.size(); ++size) {
    ASSERT_FALSE(DecodeTree(object.substr(0, size))) << size;
  }
}

/// Appends a valid checksum.
std::string Seal(const std::string& content) {
  return content + std::string(Sha256::Of(content).View());
}

TEST(TreeCodecTest, SurvivesEveryForgedByte) {
  const std::string object = *EncodeTree(SampleTree());
  const std::string content = object.substr(0, object.size() - 32);
  for (std::size_t i = 0; i < content.size(); ++i) {
    for (const int flip : {0x01, 0x10, 0x80, 0xFF}) {
      std::string forged = content;
      forged[i] = static_cast<char>(forged[i] ^ flip);
      const auto read = DecodeTree(Seal(forged));
      if (read) continue;  // another pack or digest, which is detected when it is fetched
      EXPECT_TRUE(read.error().code == ErrorCode::kDataLoss ||
                  read.error().code == ErrorCode::kFailedPrecondition ||
                  read.error().code == ErrorCode::kInternal)
          << i << ' ' << read.error().message;
    }
  }
}

TEST(TreeCodecTest, ReportsANewerFormat) {
  std::string object = *EncodeTree(SampleTree());
  object.resize(object.size() - 32);
  object[3] = '2';
  EXPECT_EQ(DecodeTree(Seal(object)).error().code, ErrorCode::kFailedPrecondition);
}

TEST(TreeCodecTest, RejectsABodyWithATooLargeSize) {
  Tree tree;
  for (int i = 0; i < 200'000; ++i) {
    TreeEntry entry{.path = "f" + std::to_string(1'000'000 + i)};
    entry.content = Sha256::Of({});
    tree.entries.push_back(entry);
  }
  const auto object = EncodeTree(tree);
  ASSERT_TRUE(object);
  const auto read = DecodeTree(*object);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->entries.size(), tree.entries.size());
}

Status Encoded(const Tree& tree) {
  auto read = DecodeTree(*EncodeTree(tree));
  if (!read) return Failure(read.error());
  return {};
}

TEST(TreeCodecTest, RejectsExtentsOutsideTheirFrames) {
  const auto refused = [](const Extent& extent, std::string_view why) {
    Tree tree = SampleTree();
    tree.entries[0] = FileEntry("a/b", std::string(100, 'x'), extent);
    const auto status = Encoded(tree);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr(std::string(why)));
    EXPECT_THAT(status.error().message, HasSubstr("body: byte "));
  };
  refused({0, 0, 901}, "extent out of range");
  refused({0, 2, 0}, "unknown frame");
  refused({7, 0, 0}, "unknown pack");
  refused({Extent::kInline, 0, 0}, "extent out of range");
  refused({0, 1, ~std::uint64_t{0} - 50}, "at most");
}

TEST(TreeCodecTest, RejectsChunksOfAnotherTotalSize) {
  Tree tree = SampleTree();
  tree.entries[4].size_bytes = 715;
  EXPECT_THAT(Encoded(tree).error().message, HasSubstr("do not add up to the file size"));
}

TEST(TreeDigest, IsIndependentOfLocations) {
  Tree tree = SampleTree();
  const Digest digest = TreeDigest(tree.entries);
  tree.entries[0].extents[0] = {1, 0, 5, 10, tree.entries[0].content};
  EXPECT_EQ(TreeDigest(tree.entries), digest);
  tree.entries[0].executable = true;
  EXPECT_NE(TreeDigest(tree.entries), digest);
}

TEST(TreeDigest, HashesTheCanonicalList) {
  const std::vector<TreeEntry> entries = {FileEntry("a", "1", {}), FolderEntry("d"),
                                          LinkEntry("l", "a")};
  const std::string list = std::string("kinetic tree 1\n") +
                           "f\x01"
                           "a" +
                           std::string(Sha256::Of("1").View()) +
                           "d\x01"
                           "d" +
                           std::string(Sha256::Of("").View()) +
                           "l\x01"
                           "l" +
                           std::string(Sha256::Of("a").View());
  EXPECT_EQ(TreeDigest(entries), Sha256::Of(list));
}

void ExpectRefused(std::vector<TreeEntry> entries, const std::string& why) {
  const auto status = CheckEntries(entries);
  ASSERT_FALSE(status) << why;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr(why));
  Tree tree;
  tree.entries = std::move(entries);
  const auto read = DecodeTree(*EncodeTree(tree));
  ASSERT_FALSE(read) << why;
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
}

TEST(CheckEntries, RejectsPathsOutsideTheFolder) {
  ExpectRefused({FolderEntry("/etc")}, "is absolute");
  ExpectRefused({FolderEntry("../x")}, "'..'");
  ExpectRefused({FolderEntry("a/../../x")}, "'..'");
  ExpectRefused({FolderEntry("a/./x")}, "'.'");
  ExpectRefused({FolderEntry("a//x")}, "an empty");
  ExpectRefused({FolderEntry("a/")}, "an empty");
  ExpectRefused({FolderEntry(std::string("a\0b", 3))}, "NUL");
  ExpectRefused({FolderEntry("..")}, "'..'");
  ExpectRefused({FolderEntry("a\n/..")}, "path 'a\\x0a/..'");
}

TEST(CheckEntries, RejectsTooLongPaths) {
  ExpectRefused({FolderEntry(std::string(256, 'n'))}, "longer than 255");
  std::string deep = "d";
  for (int i = 0; i < 256; ++i) deep += "/d";
  ExpectRefused({FolderEntry(deep)}, "too many parts");
}

TEST(CheckEntries, RejectsUnsortedEntries) {
  ExpectRefused({FolderEntry("b"), FolderEntry("a")}, "out of order");
  ExpectRefused({FolderEntry("a"), FolderEntry("a")}, "out of order");
}

TEST(CheckEntries, RejectsAnEntryThatIsAParent) {
  ExpectRefused({FileEntry("a", "1", {}), FolderEntry("a/b")}, "parent of another");
  ExpectRefused({LinkEntry("a", "c"), FolderEntry("a-b"), FolderEntry("a/b/c")},
                "parent of another");
  ExpectRefused({FolderEntry("x/a"), FolderEntry("x/a-"), FolderEntry("x/a/b")},
                "parent of another");
}

TEST(CheckEntries, RejectsLinksOutsideTheFolder) {
  ExpectRefused({LinkEntry("l", "/etc/passwd")}, "absolute");
  ExpectRefused({LinkEntry("l", "..")}, "outside the tree");
  ExpectRefused({LinkEntry("a/l", "../../x")}, "outside the tree");
  ExpectRefused({LinkEntry("l", "")}, "usable target");
  ExpectRefused({LinkEntry("a/b/up", "../.."), LinkEntry("m", "a/b/up/../x")}, "outside the tree");
  ExpectRefused({LinkEntry("d", "sub/deep"), LinkEntry("e", "d/../../../x")}, "outside the tree");
}

TEST(CheckEntries, AcceptsLinksInsideTheFolder) {
  const std::vector<TreeEntry> entries = {LinkEntry("a/b/up", "../.."), LinkEntry("a/l", "../c/d"),
                                          LinkEntry("loop", "loop"), LinkEntry("m", "a/b/up/x"),
                                          LinkEntry("n", "nowhere/..")};
  const auto status = CheckEntries(entries);
  EXPECT_TRUE(status) << status.error().message;
}

}  // namespace
}  // namespace kinetic::bundle
