#include "local/private_mounts.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kinetic::local {
namespace {

using ::testing::HasSubstr;

TEST(PrivateMounts, RejectMissingMountPoint) {
  const Status checked = CheckMounts(PosixFileSystem(), {"/usr/no-such-folder"});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(checked.error().message, HasSubstr("this machine has no /usr/no-such-folder"));
  EXPECT_FALSE(CheckMounts(PosixFileSystem(), {"/"}));
}

TEST(PrivateMounts, AreVisibleOnlyToTheChild) {
  if (!CheckMounts(PosixFileSystem(), {"/srv"})) GTEST_SKIP() << "not allowed on this machine";
  const test::TempTree tree;
  tree.Write("data/a.txt", "folder");
  tree.Write("one.txt", "file");
  tree.MakeFolder("root");
  const auto made = PrivateMounts::Make(PosixFileSystem(), {},
                                        {{tree / "data", "/kinetic-unit-test/deep"},
                                         {tree / "one.txt", "/kinetic-unit-test/one.txt"},
                                         {tree / "data", "/srv"}},
                                        tree / "root");
  ASSERT_TRUE(made) << made.error().message;
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (made->Enter() != 0) ::_exit(1);
    const bool seen = ::access("/kinetic-unit-test/deep/a.txt", R_OK) == 0 &&
                      ::access("/kinetic-unit-test/one.txt", R_OK) == 0 &&
                      ::access("/srv/a.txt", R_OK) == 0 && ::access("/usr/bin", R_OK) == 0;
    ::_exit(seen ? 0 : 2);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists("/kinetic-unit-test"));
  EXPECT_FALSE(std::filesystem::exists("/srv/a.txt"));
}

}  // namespace
}  // namespace kinetic::local
