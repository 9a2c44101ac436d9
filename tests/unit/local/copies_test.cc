#include "local/copies.h"

#include "store/folder_store.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::local {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class GrowingFileTest : public ::testing::Test {
 protected:
  std::string ReadAll(GrowingFile& file) {
    std::string all;
    for (;;) {
      const auto piece = file.Next();
      if (!piece || piece->empty()) return all;
      all += *piece;
    }
  }

  test::TempTree tree_;
  const Path path_ = tree_.Write("log", "first\n");
  std::uint64_t copied_ = 0;
};

TEST_F(GrowingFileTest, HasTheBytesFromWhenItWasOpened) {
  const auto file = *GrowingFile::Open(PosixFileSystem(), path_,
                                       [this](std::uint64_t bytes) { copied_ += bytes; });
  tree_.Write("log", "first\nsecond\n");
  EXPECT_EQ(file->size_bytes(), 6U);
  EXPECT_EQ(ReadAll(*file), "first\n");
  ASSERT_TRUE(file->Rewind());
  EXPECT_EQ(ReadAll(*file), "first\n");
  EXPECT_EQ(copied_, 6U) << "repeated reads do not count";
}

/// A file of several pieces, so that it can change between two of them.
class StoreCopiesTest : public GrowingFileTest {
 protected:
  Result<StoredCopies> Store(store::Store& store, bool is_folder, const OnCopied& on_copied) {
    std::vector<ScannedOutput> files;
    for (const char* name : {"log", "other"}) {
      files.push_back({.path = name, .status = status_, .destination = {}});
      if (!is_folder) break;
    }
    const Path& folder = tree_.path();
    return StoreCopies(store, {PosixFileSystem(), folder, files, is_folder}, {"files/", on_copied},
                       {});
  }

  const Path large_ = tree_.Write("log", std::string(1 << 20, 'x'));
  const Path other_ = tree_.Write("other", "y");
  const FileStatus status_ = *PosixFileSystem().Lstat(large_);
  test::FakeClock clock_;
};

TEST_F(StoreCopiesTest, FileThatShrinksIsOpenedAgain) {
  const Path folder = tree_.MakeFolder("store");
  store::FolderStore folder_store(folder, PosixFileSystem(), clock_);
  test::MemoryStore memory_store(clock_);
  for (store::Store* const store :
       {static_cast<store::Store*>(&folder_store), static_cast<store::Store*>(&memory_store)}) {
    tree_.Write("log", std::string(1 << 20, 'x'));
    const auto stored =
        Store(*store, false, [this](std::uint64_t) { tree_.Write("log", "short"); });
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->bytes, 5U);
  }
}

TEST_F(StoreCopiesTest, FileThatIsRemovedFailsOnlyAlone) {
  test::MemoryStore store(clock_);
  std::filesystem::remove(other_);
  const auto stored = Store(store, true, {});
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->files, 1U);
  EXPECT_THAT(stored->skipped, ElementsAre(::testing::StartsWith("other: ")));
  std::filesystem::remove(large_);
  const auto alone = Store(store, false, {});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(GrowingFileTest, OnlyFilesAreOpened) {
  const auto folder = GrowingFile::Open(PosixFileSystem(), tree_.path(), {});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kFailedPrecondition);
}

TEST(SelectLinksTest, LinksToCopiedFilesAndFoldersStayLinks) {
  const auto selected = SelectLinks({{"a", {}},
                                     {"copy", {.link = "gone"}},
                                     {"d/b", {}},
                                     {"empty", {.link = "none", .links_folder = true}},
                                     {"file", {.link = "a"}},
                                     {"folder", {.link = "d", .links_folder = true}},
                                     {"outside", {.link = "../../x", .links_folder = true}}});
  EXPECT_THAT(selected.links, ElementsAre(Pair("file", "a"), Pair("folder", "d")));
  EXPECT_THAT(selected.ignored, ElementsAre("empty", "outside"));
}

}  // namespace
}  // namespace kinetic::local
