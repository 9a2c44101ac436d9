#include "local/copies.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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

TEST_F(GrowingFileTest, OneThatShrinksIsOpenedAgain) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  ScannedOutput scanned{
      .path = "log", .status = *PosixFileSystem().Lstat(path_), .destination = {}};
  const auto stored =
      StoreCopies(store, PosixFileSystem(), tree_.path(), {scanned},
                  {"files/", [this](std::uint64_t) { tree_.Write("log", "f"); }}, {});
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->files, 1U);
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
