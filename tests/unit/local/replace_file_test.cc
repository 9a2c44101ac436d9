#include "local/replace_file.h"

#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace kinetic::local {
namespace {

/// A disk that is full while `full` is set. Removing a reserve frees enough for one write.
class FullDisk {
 public:
  bool full = false;
  test::FaultyFileSystem fs{
      [this](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        if (!full) return std::nullopt;
        if (path.extension() == ".reserve" && operation == "removing") ++free_writes_;
        if (operation != "writing") return std::nullopt;
        if (free_writes_ == 0) return ENOSPC;
        --free_writes_;
        return std::nullopt;
      }};

 private:
  int free_writes_ = 0;
};

TEST(ReplaceFile, UsesReservedSpaceOnAFullDisk) {
  const test::TempTree tree;
  FullDisk disk;
  ASSERT_TRUE(ReplaceFile(disk.fs, tree / "a", "old", 0600));
  ASSERT_TRUE(ReserveSpace(disk.fs, tree / "a"));
  disk.full = true;
  EXPECT_TRUE(ReplaceFile(disk.fs, tree / "a", "new", 0600));
  EXPECT_EQ(tree.Read("a"), "new");
}

TEST(ReplaceFile, KeepsTheFileOnAFullDiskWithoutAReserve) {
  const test::TempTree tree;
  FullDisk disk;
  ASSERT_TRUE(ReplaceFile(disk.fs, tree / "a", "old", 0600));
  disk.full = true;
  const auto replaced = ReplaceFile(disk.fs, tree / "a", "new", 0600);
  ASSERT_FALSE(replaced);
  EXPECT_TRUE(IsDiskFull(replaced.error()));
  EXPECT_EQ(tree.Read("a"), "old");
  EXPECT_EQ(PosixFileSystem().ReadDirectory(tree.path())->size(), 1U) << "the draft is removed";
}

}  // namespace
}  // namespace kinetic::local
