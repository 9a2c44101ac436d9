#include "base/files/copy_content.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

namespace kinetic {
namespace {

class CopyContentTest : public ::testing::Test {
 protected:
  Status Copy(std::uint64_t size_bytes, std::stop_token stop = {}) {
    FileSystem& fs = PosixFileSystem();
    const auto from = fs.Open(tree_ / "from", OpenMode::kRead, 0);
    const auto to = fs.Open(tree_ / "to", OpenMode::kTruncate, 0644);
    return CopyContent(fs, from->get(), to->get(), size_bytes, stop);
  }

  const test::TempTree tree_;
};

TEST_F(CopyContentTest, CopiesTheWholeFile) {
  for (const std::size_t size : {0U, 1U, 5'000U, 40'000'000U}) {
    const std::string content(size, 'x');
    tree_.Write("from", content);
    ASSERT_TRUE(Copy(size));
    EXPECT_EQ(tree_.Read("to"), content) << size;
  }
}

TEST_F(CopyContentTest, KeepsHoles) {
  constexpr std::uint64_t kSize = 64 << 20;
  tree_.Write("from", "");
  FileSystem& fs = PosixFileSystem();
  {
    const auto file = fs.Open(tree_ / "from", OpenMode::kReadWrite, 0644);
    ASSERT_TRUE(fs.WriteAt(file->get(), "middle", 20 << 20));
    ASSERT_TRUE(fs.Truncate(file->get(), kSize));
  }
  ASSERT_TRUE(Copy(kSize));
  EXPECT_EQ(tree_.Read("to"), tree_.Read("from"));
  struct stat from{};
  struct stat to{};
  ASSERT_EQ(::stat((tree_ / "from").c_str(), &from), 0);
  ASSERT_EQ(::stat((tree_ / "to").c_str(), &to), 0);
  EXPECT_EQ(to.st_size, from.st_size);
  EXPECT_LE(to.st_blocks, from.st_blocks + 64);
}

TEST_F(CopyContentTest, EndsWhenStopped) {
  tree_.Write("from", "content");
  std::stop_source stop;
  stop.request_stop();
  const Status copied = Copy(7, stop.get_token());
  // A file system with reflinks needs no time.
  EXPECT_TRUE(copied || copied.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic
