#include "env/virtualenv/compiled_modules.h"

#include "env/virtualenv/seal.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kCompiled = "__pycache__/one.cpython-312.pyc";

class CompiledModulesTest : public ::testing::Test {
 protected:
  /// Creates and seals an environment whose `deep/one.py` is a link to `source`.
  Path Environment(char id, const std::string& source) {
    const std::string name = "cache/environments/" + std::string(64, id);
    tree_.Write(name + "/kinetic.json", "{}");
    tree_.MakeFolder(name + "/bin");
    tree_.MakeFolder(name + "/lib/python3.12/site-packages/deep");
    Path deep = tree_ / name / "lib/python3.12/site-packages/deep";
    EXPECT_TRUE(fs_.Link(tree_ / source, deep / "one.py"));
    const auto others = RecentEnvironments(fs_, tree_ / "cache", std::string(64, id));
    EXPECT_TRUE(SealEnvironment(fs_, tree_ / name, others));
    return deep;
  }

  FileSystem& fs_ = PosixFileSystem();
  test::TempTree tree_;
};

TEST_F(CompiledModulesTest, AreSharedBetweenEnvironmentsWithSameFile) {
  tree_.Write("source", "value = 1\n");
  tree_.Write("newer", "value = 2\n");
  const Path first = Environment('a', "source");
  tree_.Write((first / kCompiled).lexically_relative(tree_.path()).native(), "code");
  EXPECT_FALSE(fs_.Lstat(Environment('b', "newer") / kCompiled));
  EXPECT_EQ(fs_.Lstat(Environment('c', "source") / kCompiled)->inode,
            fs_.Lstat(first / kCompiled)->inode);
}

TEST_F(CompiledModulesTest, OfDamagedEnvironmentsAreNotUsed) {
  tree_.Write("source", "");
  Environment('a', "source");
  Environment('b', "source");
  const Path root = tree_ / "cache/environments";
  const std::string a(64, 'a');
  const std::string b(64, 'b');
  EXPECT_THAT(RecentEnvironments(fs_, tree_ / "cache", b), ElementsAre(root / a));
  ASSERT_TRUE(Unseal(fs_, {.root = root / a}, WallTime(std::chrono::hours(500'000))));
  EXPECT_THAT(RecentEnvironments(fs_, tree_ / "cache", b), IsEmpty());
  EXPECT_THAT(RecentEnvironments(fs_, tree_ / "cache", a), ElementsAre(root / b));
}

TEST_F(CompiledModulesTest, CanBeAddedToSealedEnvironment) {
  tree_.Write("source", "value = 1\n");
  const Path deep = Environment('a', "source");
  const Path root = deep.parent_path().parent_path().parent_path().parent_path();
  EXPECT_EQ(fs_.Lstat(deep)->mode, 0555U);
  EXPECT_EQ(fs_.Lstat(deep / "__pycache__")->mode, 0755U);
  tree_.Write((deep / kCompiled).lexically_relative(tree_.path()).native(), "code");
  EXPECT_TRUE(IsSealed(fs_, root, "3.12"));
  EXPECT_EQ(FindDamage(fs_, {.root = root, .python = "3.12.4"}), "");
}

TEST_F(CompiledModulesTest, FromWheelMayBeReplaced) {
  tree_.Write("source", "value = 1\n");
  const std::string root = "cache/environments/" + std::string(64, 'a');
  const std::string packages = root + "/lib/python3.12/site-packages/";
  tree_.Write(packages + "deep/" + kCompiled, "code");
  tree_.Write(packages + "deep-1.dist-info/RECORD",
              "deep/one.py,,\ndeep/" + std::string(kCompiled) + ",sha256=other,5\n");
  EXPECT_TRUE(fs_.Lstat(Environment('a', "source") / kCompiled));
  EXPECT_EQ(FindDamage(fs_, {.root = tree_ / root, .python = "3.12.4"}), "");
}

}  // namespace
}  // namespace kinetic::env
