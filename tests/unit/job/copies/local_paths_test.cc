#include "job/copies/local_paths.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class LocalPathsTest : public ::testing::Test {
 protected:
  LocalPathsTest() {
    tree_.MakeFolder("folder");
    tree_.Write("file", "content", 0755);
    tree_.MakeLink("link", "file");
  }

  std::string Destination(std::string_view path, const std::string& name) const {
    const auto destination = DestinationFor(tree_ / path, name);
    if (!destination) return destination.error().message;
    return destination->lexically_relative(tree_.path()).native();
  }

  test::TempTree tree_;
};

TEST_F(LocalPathsTest, ExistingFolderGetsTheSourceAsAnEntry) {
  EXPECT_EQ(Destination("folder", "a"), "folder/a");
  EXPECT_EQ(Destination("folder", ""), "folder");
  EXPECT_EQ(Destination("file", "a"), "file");
  EXPECT_EQ(Destination("new", "a"), "new");
  EXPECT_EQ(Destination("new/", "a"), "new");
  EXPECT_THAT(Destination("missing/new", "a"), HasSubstr("missing does not exist"));
  EXPECT_THAT(Destination("file/", "a"), HasSubstr("file is not a folder"));
  EXPECT_THAT(Destination("file/a", "a"), HasSubstr("file is not a folder"));
  EXPECT_FALSE(DestinationFor("", "a"));
}

TEST_F(LocalPathsTest, FilesAndFoldersDoNotReplaceEachOther) {
  const auto check = [&](std::string_view path, bool is_folder) {
    const auto checked = CheckDestination(tree_ / path, tree_ / path, is_folder);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(check("file", false), "");
  EXPECT_EQ(check("new", false), "");
  EXPECT_EQ(check("folder", true), "");
  EXPECT_EQ(check("new", true), "");
  EXPECT_THAT(check("folder", false), HasSubstr("with a file"));
  EXPECT_THAT(check("file", true), HasSubstr("with a folder"));
  EXPECT_THAT(check("new/", false), HasSubstr("does not exist"));
}

TEST_F(LocalPathsTest, OnlyRegularFilesAreReplaced) {
  ASSERT_EQ(::mkfifo((tree_ / "pipe").c_str(), 0600), 0);
  tree_.MakeLink("dangling", "missing");
  const auto check = [&](const char* path) {
    return CheckDestination(tree_ / path, tree_ / path, false);
  };
  EXPECT_THAT(check("pipe").error().message, HasSubstr("pipe is not a regular file"));
  EXPECT_THAT(check("dangling").error().message, HasSubstr("is a link to a missing file"));
  EXPECT_THAT(CheckDestination("/dev/null", "/dev/null", false).error().message,
              HasSubstr("/dev/null is not a regular file"));
  // As with cp, a link to a file is followed.
  EXPECT_EQ(*check("link"), std::filesystem::canonical(tree_ / "file"));
}

TEST_F(LocalPathsTest, SourceMayBeALink) {
  const auto source = ScanSource(PosixFileSystem(), tree_ / "link", {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_FALSE(source->is_folder);
  EXPECT_EQ(source->name, "link");
  EXPECT_EQ(source->bytes, 7U);
}

TEST_F(LocalPathsTest, FolderSkipsLinksThatLeaveIt) {
  tree_.Write("folder/a", "1");
  tree_.MakeLink("folder/out", "../file");
  const auto source = ScanSource(PosixFileSystem(), tree_ / "folder/", {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(source->name, "folder");
  EXPECT_THAT(source->files, SizeIs(1));
  EXPECT_THAT(source->skipped, SizeIs(1));
}

TEST_F(LocalPathsTest, MissingSourceNamesTheNearest) {
  const auto source = ScanSource(PosixFileSystem(), tree_ / "flie", {});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(source.error().hint, "did you mean 'file'?");
  EXPECT_EQ(ScanSource(PosixFileSystem(), "/dev/null", {}).error().code,
            ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace kinetic::job
