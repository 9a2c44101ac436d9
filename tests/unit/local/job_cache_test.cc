#include "local/job_cache.h"

#include "base/files/temp_dir.h"
#include "support/fake_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kinetic::local {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JobCacheTest : public testing::Test {
 protected:
  const TempDir temp_ = *TempDir::Make(PosixFileSystem(), fs::temp_directory_path(), "jobs-");
  const Path folder_ = JobCacheFolder(temp_.path());
  test::FakeClock clock_;
};

TEST_F(JobCacheTest, ListsFilesOfLibraries) {
  EXPECT_THAT(ListJobCache(PosixFileSystem(), folder_).value(), IsEmpty());
  ASSERT_TRUE(PrepareJobCache(PosixFileSystem(), clock_, folder_));
  EXPECT_TRUE(fs::is_directory(folder_ / "nltk_data"));
  fs::create_directories(folder_ / "torch/hub");
  EXPECT_THAT(ListJobCache(PosixFileSystem(), folder_).value(), IsEmpty());
  std::ofstream(folder_ / "torch/hub/model") << "weights";
  fs::create_symlink("hub/model", folder_ / "torch/link");
  const auto parts = ListJobCache(PosixFileSystem(), folder_);
  ASSERT_TRUE(parts);
  ASSERT_THAT(*parts, SizeIs(1));
  EXPECT_EQ(parts->front().path, folder_ / "torch");
  EXPECT_EQ(parts->front().size_bytes, 7U);
}

TEST_F(JobCacheTest, KeepsLinksOfUsers) {
  fs::create_directories(temp_.path() / "mine");
  std::ofstream(temp_.path() / "mine/model") << "weights";
  fs::create_directories(folder_);
  fs::create_directory_symlink(temp_.path() / "mine", folder_ / "huggingface");
  fs::create_directory_symlink(temp_.path() / "unmounted", folder_ / "nltk_data");
  ASSERT_TRUE(PrepareJobCache(PosixFileSystem(), clock_, folder_));
  EXPECT_THAT(ListJobCache(PosixFileSystem(), folder_).value(), IsEmpty());
}

TEST_F(JobCacheTest, RecordsTheLastUse) {
  EXPECT_EQ(LastUseOfJobCache(PosixFileSystem(), folder_).value(), std::nullopt);
  ASSERT_TRUE(PrepareJobCache(PosixFileSystem(), clock_, folder_));
  clock_.Advance(std::chrono::hours(24));
  ASSERT_TRUE(PrepareJobCache(PosixFileSystem(), clock_, folder_));
  EXPECT_EQ(LastUseOfJobCache(PosixFileSystem(), folder_).value(), clock_.Now());
}

}  // namespace
}  // namespace kinetic::local
