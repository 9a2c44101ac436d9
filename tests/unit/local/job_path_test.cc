#include "local/job_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace kinetic::local {
namespace {

using ::testing::HasSubstr;

const Runtime kRuntime{"/state/jobs/k-1"};

/// Returns the absolute path that a path in a job means, or the error message.
std::string Resolve(std::string_view text, std::string_view workdir = {}) {
  const auto parsed = ParseJobPath(text);
  if (!parsed) return parsed.error().message;
  const auto located = Locate(*parsed, kRuntime, workdir);
  if (!located) return located.error().message;
  return located->path.empty() ? located->root.native() : (located->root / located->path).native();
}

TEST(JobPathTest, RelativePathsBeginInTheWorkingFolder) {
  EXPECT_EQ(Resolve("train.log"), "/state/jobs/k-1/work/train.log");
  EXPECT_EQ(Resolve("train.log", "sub/dir"), "/state/jobs/k-1/work/sub/dir/train.log");
  EXPECT_EQ(Resolve(""), "/state/jobs/k-1/work");
  EXPECT_EQ(Resolve(".", "sub"), "/state/jobs/k-1/work/sub");
  EXPECT_EQ(Resolve("a//./b/"), "/state/jobs/k-1/work/a/b");
}

TEST(JobPathTest, OutputsAndCheckpointsAreFoldersOfTheJob) {
  EXPECT_EQ(Resolve("outputs/a", "sub"), "/state/jobs/k-1/output/a");
  EXPECT_EQ(Resolve("outputs"), "/state/jobs/k-1/output");
  EXPECT_EQ(Resolve("checkpoints/7/w"), "/state/jobs/k-1/checkpoints/7/w");
  EXPECT_EQ(Resolve("outputs2"), "/state/jobs/k-1/work/outputs2");
  EXPECT_EQ(Resolve("./outputs/a"), "/state/jobs/k-1/work/outputs/a");
}

TEST(JobPathTest, AbsolutePathsAreOnlyBelowTheJobsFolders) {
  for (const std::string folder : {"work", "output", "checkpoints", "home", "tmp"}) {
    const std::string path = "/state/jobs/k-1/" + folder;
    EXPECT_EQ(Resolve(path), path);
    EXPECT_EQ(Resolve(path + "/a/b"), path + "/a/b");
  }
  for (const std::string path : {"/etc/passwd", "/state/jobs/k-1/spool/0", "/state/jobs/k-1",
                                 "/state/jobs/k-1/workshop/a", "/"}) {
    EXPECT_THAT(Resolve(path), HasSubstr("is in none of the job's own folders")) << path;
  }
}

TEST(JobPathTest, ParentFoldersAreRejected) {
  for (const std::string path : {"..", "../a", "a/../b", "outputs/..", "/state/../etc/passwd"}) {
    EXPECT_THAT(Resolve(path), HasSubstr("contains '..'")) << path;
  }
  EXPECT_EQ(Resolve("..a/b.."), "/state/jobs/k-1/work/..a/b..");
}

TEST(JobPathTest, ClosingSlashNamesAFolder) {
  EXPECT_TRUE(ParseJobPath("a/")->names_folder);
  EXPECT_TRUE(ParseJobPath("")->names_folder);
  EXPECT_FALSE(ParseJobPath("a")->names_folder);
  EXPECT_EQ(ParseJobPath("a/b/")->name(), "b");
  EXPECT_EQ(ParseJobPath("outputs/")->name(), "");
}

}  // namespace
}  // namespace kinetic::local
