#include "base/files/temp_dir.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(TempDir, IsPrivateAndRemovedByTheDestructor) {
  const test::TempTree tree;
  Path path;
  {
    auto folder = TempDir::Make(PosixFileSystem(), tree / "parent", "x-");
    ASSERT_TRUE(folder);
    path = folder->path();
    EXPECT_EQ(PosixFileSystem().Lstat(path)->mode, 0700U);
    ASSERT_TRUE(MakeDirectories(PosixFileSystem(), path / "deep/er"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDir, IsKeptWhenReleased) {
  const test::TempTree tree;
  Path path;
  {
    auto folder = TempDir::Make(PosixFileSystem(), tree.path(), "x-");
    ASSERT_TRUE(folder);
    path = folder->Release();
  }
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

}  // namespace
}  // namespace kinetic
