#include "env/virtualenv/seal.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "env/install/wheel_layout.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::env {
namespace {

class SealTest : public ::testing::Test {
 protected:
  SealTest() {
    tree_.MakeFolder("e/bin");
    Write("sample.py", "value = 1\n");
    Write("deep/more.py", "");
    Write("a,b.txt", "");
    const auto sum = HashAndSize(fs_, PackagePath("sample.py"));
    Write("sample-1.dist-info/RECORD", "sample.py," + *sum +
                                           "\ndeep/more.py,,\n\"a,b.txt\",,\n"
                                           "sample-1.dist-info/RECORD,,\n");
    Write("deep/unlisted.txt", "");
    EXPECT_TRUE(SealEnvironment(fs_, environment_.root));
  }

  Path PackagePath(const std::string& name) const {
    return environment_.root / "lib/python3.12/site-packages" / name;
  }
  void Write(const std::string& name, const std::string& text) {
    tree_.Write(PackagePath(name).lexically_relative(tree_.path()).native(), text);
  }
  bool Sealed() { return IsSealed(fs_, environment_.root, "3.12"); }
  std::string Damage() { return FindDamage(fs_, environment_); }

  FileSystem& fs_ = PosixFileSystem();
  test::TempTree tree_;
  CachedEnvironment environment_{.root = tree_ / "e", .python = "3.12.4"};
};

TEST_F(SealTest, AcceptsIntactEnvironment) {
  EXPECT_TRUE(Sealed());
  EXPECT_EQ(Damage(), "");
}

TEST_F(SealTest, DetectsAddedAndRemovedFiles) {
  ASSERT_TRUE(fs_.SetMode(PackagePath("").parent_path(), 0755));
  Write("toml.py", "");
  EXPECT_FALSE(Sealed());
  ASSERT_TRUE(fs_.Unlink(PackagePath("toml.py")));
  EXPECT_FALSE(Sealed());
}

TEST_F(SealTest, DetectsChangedContentByHash) {
  ASSERT_TRUE(fs_.SetMode(PackagePath("sample.py"), 0644));
  Write("sample.py", "value = 2\n");
  EXPECT_TRUE(Sealed());
  EXPECT_EQ(Damage(), PackagePath("sample.py").native() + " was changed");
}

TEST_F(SealTest, AcceptsFileOfEitherPackage) {
  ASSERT_TRUE(fs_.SetMode(PackagePath(""), 0755));
  const std::string record = "other-1.dist-info/RECORD";
  Write(record, "sample.py,sha256=other,5\n" + record + ",,\n");
  ASSERT_TRUE(SealEnvironment(fs_, environment_.root));
  EXPECT_EQ(Damage(), "");
}

TEST_F(SealTest, EnvironmentWithDamagedMarkerIsNotSealed) {
  ASSERT_TRUE(fs_.SetMode(environment_.root, 0755));
  tree_.Write("e/kinetic.json", R"({"package_sets": "x"})");
  ASSERT_TRUE(SealEnvironment(fs_, environment_.root));
  EXPECT_FALSE(Sealed());
}

TEST_F(SealTest, DetectsChangesInSubfolders) {
  ASSERT_TRUE(fs_.SetMode(PackagePath("deep"), 0755));
  Write("deep/__pycache__/more.pyc", "");
  EXPECT_EQ(Damage(), "") << "Python compiles modules";
  ASSERT_TRUE(fs_.Unlink(PackagePath("deep/unlisted.txt")));
  EXPECT_EQ(Damage(), "") << "no package lists it";
  Write("deep/added.txt", "");
  EXPECT_EQ(Damage(), PackagePath("deep/added.txt").native() + " was added");
  ASSERT_TRUE(fs_.Unlink(PackagePath("deep/added.txt")));
  ASSERT_TRUE(fs_.Unlink(PackagePath("deep/more.py")));
  EXPECT_EQ(Damage(), PackagePath("deep/more.py").native() + " was removed");
}

TEST_F(SealTest, DetectsMissingOrUnreadableRecord) {
  const Path record = PackagePath("sample-1.dist-info/RECORD");
  ASSERT_TRUE(fs_.SetMode(record.parent_path(), 0755));
  ASSERT_TRUE(fs_.Unlink(record));
  EXPECT_EQ(Damage(), record.native() + " was removed");
  ASSERT_TRUE(fs_.MakeDirectory(record, 0755));
  EXPECT_THAT(Damage(), ::testing::HasSubstr(record.native()));
}

TEST_F(SealTest, UnsealMarksEnvironmentAsChanged) {
  environment_.package_sets = {tree_ / "missing"};
  ASSERT_TRUE(Unseal(fs_, environment_, WallTime(std::chrono::hours(500'000))));
  EXPECT_FALSE(Sealed());
  EXPECT_EQ(Damage(), environment_.root.native() + " was changed");
}

TEST_F(SealTest, KeepsModeOfHardLinkedFiles) {
  const Path other = tree_ / "other";
  tree_.Write("n/bin/linked", "", 0644);
  ASSERT_TRUE(fs_.Link(tree_ / "n/bin/linked", other));
  ASSERT_TRUE(SealEnvironment(fs_, tree_ / "n"));
  EXPECT_EQ(fs_.Lstat(other)->mode, 0644U);
  EXPECT_EQ(fs_.Lstat(tree_ / "n/bin")->mode, 0555U);
}

}  // namespace
}  // namespace kinetic::env
