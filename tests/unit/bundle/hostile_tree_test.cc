// Malicious trees with valid digests: nothing is written outside the folder, limits are enforced,
// and errors name the cause.

#include "bundle/format/pack.h"
#include "bundle/format/tree.h"
#include "bundle/format/wire.h"
#include "record/object_names.h"
#include "support/damage.h"
#include "unit/bundle/entries.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace kinetic::bundle {
namespace {

namespace fs = std::filesystem;
using test::BundleFixture;
using testing::HasSubstr;
using Type = BundleEntry::Type;

TreeEntry InlineFile(std::string path, std::uint64_t offset, std::string_view content) {
  return FileEntry(std::move(path), content, {Extent::kInline, 0, offset});
}

class HostileTreeTest : public ::testing::Test, public BundleFixture {
 protected:
  void SetUp() override {
    outside_ = out / "outside";
    fs::create_directories(outside_);
    out.Write("outside/keep", "kept");
    fs::permissions(outside_ / "keep", fs::perms::owner_read | fs::perms::owner_write);
    base_ = out / "jail";
    fs::create_directories(base_);
  }

  /// Stores a tree object and unpacks it.
  Result<UnpackReport> UnpackObject(const Digest& name, std::string_view object) {
    SetBytes(record::TreeName(name), object);
    const Path folder = base_ / std::to_string(count_++);
    auto report = bundle::Unpack(store, {PosixFileSystem(), folder}, name, {.threads = 1}, {});
    CheckNothingOutside(folder);
    return report;
  }
  Result<UnpackReport> UnpackEntries(std::vector<TreeEntry> entries) {
    Tree tree;
    tree.inline_bytes = "content";
    tree.entries = std::move(entries);
    return UnpackObject(TreeDigest(tree.entries), *EncodeTree(tree));
  }
  void ExpectRefused(std::vector<TreeEntry> entries, const std::string& why) {
    const Digest name = TreeDigest(entries);
    const auto report = UnpackEntries(std::move(entries));
    ASSERT_FALSE(report) << why;
    EXPECT_EQ(report.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(report.error().message, HasSubstr(name.Hex()));
    EXPECT_THAT(report.error().message, HasSubstr(why));
  }

  /// Expects only files, folders and links with the modes of a bundle, all below `folder`.
  void CheckNothingOutside(const Path& folder) {
    for (const auto& item : fs::directory_iterator(base_)) EXPECT_EQ(item.path(), folder);
    EXPECT_EQ(std::distance(fs::directory_iterator(outside_), fs::directory_iterator()), 1);
    EXPECT_EQ(out.Read("outside/keep"), "kept");
    EXPECT_EQ(PosixFileSystem().Lstat(outside_ / "keep")->mode, 0600U);
    if (!fs::exists(folder)) return;
    for (const auto& item : fs::recursive_directory_iterator(folder)) {
      struct stat status{};
      ASSERT_EQ(::lstat(item.path().c_str(), &status), 0);
      EXPECT_TRUE(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode));
      if (!S_ISLNK(status.st_mode)) {
        EXPECT_EQ(status.st_mode & 07022U, 0U) << item.path();
      }
    }
    fs::remove_all(folder);
  }

  Path outside_;
  Path base_;
  int count_ = 0;
};

TEST_F(HostileTreeTest, RejectsPathsOutsideTheFolder) {
  ExpectRefused({InlineFile("../outside/new", 0, "content")}, "'..' part");
  ExpectRefused({InlineFile("a/../../outside/keep", 0, "content")}, "'..' part");
  ExpectRefused({InlineFile((outside_ / "new").native(), 0, "content")}, "is absolute");
  ExpectRefused({InlineFile("..", 0, "content")}, "'..' part");
  ExpectRefused({InlineFile(".", 0, "content")}, "'.'");
  ExpectRefused({InlineFile("a/./b", 0, "content")}, "'.'");
  ExpectRefused({InlineFile("a//b", 0, "content")}, "an empty");
  ExpectRefused({InlineFile(std::string("a\0/../../x", 10), 0, "content")}, "NUL");
}

TEST_F(HostileTreeTest, DoesNotWriteThroughLinks) {
  ExpectRefused({LinkEntry("a", "b"), InlineFile("a/new", 0, "content")}, "parent of another");
  ExpectRefused({LinkEntry("a", outside_.native())}, "absolute");
  ExpectRefused({LinkEntry("a", "../outside")}, "outside the tree");
  ExpectRefused({LinkEntry("a/b", "../../outside/keep")}, "outside the tree");
  ExpectRefused({LinkEntry("a", "."), LinkEntry("b", "a/a/a/../x")}, "outside the tree");
  ExpectRefused({LinkEntry("a", "b"), InlineFile("a", 0, "content")}, "out of order");
  ExpectRefused({LinkEntry("a", std::string("b\0/../..", 8))}, "usable target");
  ExpectRefused({LinkEntry("a", std::string(4097, 'x'))}, "link length is 4097");
  ExpectRefused({LinkEntry("l", "x/../../outside"), FolderEntry("x/y")}, "outside the tree");
  EXPECT_TRUE(UnpackEntries({LinkEntry("a", "b"), LinkEntry("b", "a")}));
}

TEST_F(HostileTreeTest, AcceptsNamesOfAnyBytesWithinLimits) {
  ExpectRefused({InlineFile(std::string(300, 'n'), 0, "content")}, "longer than 255");
  std::string deep(200, 'd');
  while (deep.size() <= 4096) deep += "/" + std::string(200, 'd');
  ExpectRefused({InlineFile(deep, 0, "content")}, "path length");
  std::string many = "d";
  for (int i = 0; i < 256; ++i) many += "/d";
  ExpectRefused({InlineFile(many, 0, "content")}, "too many parts");
  // Valid in a tree, but too long for the system below this folder.
  std::string longest(255, 'd');
  while (longest.size() + 256 <= 4096) longest += "/" + std::string(255, 'd');
  const auto report = UnpackEntries({InlineFile(longest, 0, "content")});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("cannot unpack tree "));
  const auto odd =
      UnpackEntries({InlineFile("\n", 0, "content"), InlineFile("\x1b[31m", 0, "content"),
                     InlineFile("-rf", 0, "content"), InlineFile("A", 0, "content"),
                     InlineFile("a", 0, "content"), InlineFile("\xff\xfe", 0, "content")});
  ASSERT_TRUE(odd) << odd.error().message;
  EXPECT_EQ(odd->files, 6U);
}

TEST_F(HostileTreeTest, RejectsNonEmptyFolders) {
  Tree tree;
  tree.inline_bytes = "content";
  tree.entries = {InlineFile("a/b", 0, "content"), InlineFile("c", 0, "content")};
  const Digest name = TreeDigest(tree.entries);
  SetBytes(record::TreeName(name), *EncodeTree(tree));
  for (const char* planted : {"a", "c", "unrelated"}) {
    const Path folder = NewFolder();
    fs::create_directories(folder);
    fs::create_symlink(outside_, folder / planted);
    const auto report = Unpack(name, folder);
    ASSERT_FALSE(report) << planted;
    EXPECT_EQ(report.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_EQ(std::distance(fs::directory_iterator(outside_), fs::directory_iterator()), 1);
  }
}

/// Returns an object with an uncompressed body.
std::string ObjectAround(std::string_view body,
                         std::string_view packs = std::string_view("\0", 1)) {
  std::string object(kTreeMagic);
  object += '\0';
  object += packs;
  const std::string frame = EncodeRawFrame(body);
  PutVarint(object, body.size());
  PutVarint(object, frame.size());
  object += frame;
  return object.append(Sha256::Of(object).View());
}

/// Returns a body with a file, an executable, a link and a folder.
std::string Body() {
  std::string body;
  PutVarint(body, 7);  // inline bytes
  PutVarint(body, 4);  // rows
  body += std::string("\0\3a/b\0\7\3\0", 9);
  body += std::string("\2\1c\1\7\3\0", 7);
  body += std::string("\0\1l\2\3a/b", 8);
  body += std::string("\0\1n\3", 4);
  body.append(Sha256::Of("content").View()).append(Sha256::Of("content").View());
  return body += "content";
}

/// Forges the body of a tree.
class ForgedTreeTest : public HostileTreeTest {
 protected:
  /// Checks that a changed body is rejected under the tree's name, and harmless under its own.
  void Check(const std::string& changed, const std::string& how) {
    const auto tree = DecodeTree(ObjectAround(changed));
    if (!tree) {
      EXPECT_EQ(tree.error().code, ErrorCode::kDataLoss) << how;
      return;
    }
    const Digest now = TreeDigest(tree->entries);
    if (now == name_) return;  // another encoding of the same tree
    const auto former = UnpackObject(name_, ObjectAround(changed));
    ASSERT_FALSE(former) << how;
    EXPECT_THAT(former.error().message, HasSubstr(name_.Hex())) << how;
    const auto own = UnpackObject(now, ObjectAround(changed));
    if (!own) {
      EXPECT_THAT(own.error().message, HasSubstr(now.Hex())) << how;
    }
  }

  const std::string body_ = Body();
  const Digest name_ = TreeDigest(DecodeTree(ObjectAround(body_)).value().entries);
};

TEST_F(ForgedTreeTest, SurvivesDamage) {
  ASSERT_TRUE(UnpackObject(name_, ObjectAround(body_)));
  test::ForEachDamage(
      body_, [this](const std::string& changed, const std::string& how) { Check(changed, how); });
}

TEST_F(ForgedTreeTest, SurvivesEveryValueOfEveryByte) {
  for (std::size_t i = 0; i < body_.size() - 64 - 7; ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = body_;
      changed[i] = static_cast<char>(value);
      Check(changed, "byte " + std::to_string(i) + " is " + std::to_string(value));
    }
  }
}

TEST_F(HostileTreeTest, DecompressionBombsNeedLittleMemory) {
  const auto bomb = [](std::size_t size) {
    std::string frame(ZSTD_compressBound(size), '\0');
    const std::string zeros(size, '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), size, 19));
    return frame;
  };
  const auto object = [](std::uint64_t raw_bytes, std::string_view frame) {
    std::string bytes(kTreeMagic);
    bytes += std::string("\0\0", 2);
    PutVarint(bytes, raw_bytes);
    PutVarint(bytes, frame.size());
    bytes += frame;
    return bytes.append(Sha256::Of(bytes).View());
  };
  std::string endless = EncodeRawFrame("x").substr(0, 4);  // a header with a size of 2^60 bytes
  endless += '\xE0';
  endless += std::string("\0\0\0\0\0\0\0\x10", 8) + std::string("\1\0\0", 3);
  std::string rows;  // claims 4 Mi rows in an empty body
  PutVarint(rows, 0);
  PutVarint(rows, 340'000);
  rows += std::string(1'040'000, '\0');
  const std::string small = bomb(1 << 20);
  const std::string large = bomb(200U << 20);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {object(200U << 20, large), "too large for its stored size"},
      {object(1U << 20, large), "209715200 bytes of content, expected 1048576"},
      {object(1ULL << 60, endless), "expected at most 268435456"},
      {object(1U << 20, endless), "1152921504606846976 bytes of content, expected 1048576"},
      {object(1U << 20, small + small), "has a wrong length"},
      {object(1U << 20, small), "extra bytes after"},
      {ObjectAround(rows), "body: byte "}};
  for (const auto& [bytes, why] : cases) {
    const long grown = test::PeakMemoryOf([&] {
      const auto tree = DecodeTree(bytes);
      return !tree && tree.error().code == ErrorCode::kDataLoss &&
             tree.error().message.find(why) != std::string::npos;
    });
    EXPECT_GE(grown, 0) << why << ": "
                        << (DecodeTree(bytes) ? "" : DecodeTree(bytes).error().message);
    if (test::MemoryIsMeasurable()) {
      EXPECT_LE(grown, 16) << why;
    }
  }
}

}  // namespace
}  // namespace kinetic::bundle
