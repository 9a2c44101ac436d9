#include "bundle/source/root.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::bundle {
namespace {

using test::TempTree;
using ::testing::HasSubstr;

class RootTest : public testing::Test {
 protected:
  Result<Root> Find(const Path& start, const std::optional<Path>& explicit_root = {}) {
    return FindRoot(PosixFileSystem(), start, explicit_root, tree_ / "home");
  }

  TempTree tree_;
  Path home_ = tree_.MakeFolder("home");
};

TEST_F(RootTest, UsesTheNearestFolderWithAMarker) {
  (void)tree_.Write("home/p/.git/HEAD", "");
  (void)tree_.Write("home/p/sub/requirements.txt", "");
  const auto start = tree_.MakeFolder("home/p/sub/pkg/deep");
  const auto root = Find(start);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->path, tree_ / "home/p/sub");
  EXPECT_EQ(root->reason, "has requirements.txt");
  EXPECT_EQ(root->repository, tree_ / "home/p");
}

TEST_F(RootTest, ReportsTheMarkerWithTheHighestPrecedence) {
  std::string last;
  for (const std::string marker : {".git/HEAD", "setup.cfg", "setup.py", "requirements.txt",
                                   "pylock.toml", "uv.lock", "pyproject.toml", ".kineticignore"}) {
    (void)tree_.Write("home/p/" + marker, "");
    const auto root = Find(home_ / "p");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->reason, "has " + marker.substr(0, marker.find('/')));
  }
}

TEST_F(RootTest, IgnoresFoldersNamedLikeMarkers) {
  (void)tree_.Write("home/p/setup.py", "");
  const auto start = tree_.MakeFolder("home/p/q/requirements.txt").parent_path();
  EXPECT_EQ(Find(start)->path, tree_ / "home/p");
}

TEST_F(RootTest, NeverUsesTheHomeFolder) {
  (void)tree_.Write("home/.git/HEAD", "");
  (void)tree_.Write("home/pyproject.toml", "");
  (void)tree_.Write("pyproject.toml", "");
  const auto root = Find(tree_.MakeFolder("home/p/q"));
  ASSERT_TRUE(root);
  EXPECT_EQ(root->path, tree_ / "home/p/q");
  EXPECT_EQ(root->reason, "no project marker in this or a parent folder");
  EXPECT_EQ(root->repository, "");
}

TEST_F(RootTest, UsesTheParentOfAPackageWithoutMarkers) {
  (void)tree_.Write("home/p/pkg/__init__.py", "");
  (void)tree_.Write("home/p/pkg/sub/__init__.py", "");
  EXPECT_EQ(Find(home_ / "p/pkg/sub")->path, tree_ / "home/p");
}

TEST_F(RootTest, RejectsTooWideFolders) {
  for (const Path& folder : {home_, tree_.path(), Path("/")}) {
    const auto root = Find(folder);
    ASSERT_FALSE(root) << folder;
    EXPECT_EQ(root.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(root.error().hint, HasSubstr("bundle.root"));
    EXPECT_FALSE(Find(tree_.MakeFolder("home/p"), folder)) << folder;
  }
  EXPECT_THAT(Find(home_).error().message, HasSubstr("is the home directory"));
  EXPECT_THAT(Find(tree_.path()).error().message, HasSubstr("contains the home directory"));
  EXPECT_THAT(Find("/").error().message, HasSubstr("is the root of the file system"));
}

TEST_F(RootTest, ResolvesAnExplicitRootRelativeToTheStart) {
  (void)tree_.Write("home/p/pyproject.toml", "");
  const auto start = tree_.MakeFolder("home/p/jobs");
  const auto root = Find(start, "../src/..");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->path, tree_ / "home/p");
  EXPECT_EQ(root->reason, "bundle.root");
  EXPECT_EQ(Find(start, "../..").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RootTest, RejectsAnExplicitRootThatIsNotAFolder) {
  (void)tree_.Write("home/p/file", "");
  EXPECT_EQ(Find(home_ / "p", "absent").error().code, ErrorCode::kNotFound);
  const auto root = Find(home_ / "p", "file");
  EXPECT_EQ(root.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(root.error().message, HasSubstr("it is not a folder"));
}

TEST_F(RootTest, ResolvesLinks) {
  (void)tree_.Write("data/p/pyproject.toml", "");
  (void)tree_.MakeLink("home/p", "../data/p");
  (void)tree_.MakeLink("home/all", "..");
  EXPECT_EQ(Find(home_ / "p")->path, tree_ / "data/p");
  EXPECT_EQ(Find(tree_.MakeFolder("home/q"), home_ / "p")->path, tree_ / "data/p");
  EXPECT_FALSE(Find(home_ / "q", home_ / "all"));
  (void)tree_.MakeLink("home/loop", "loop");
  EXPECT_THAT(Find(home_ / "loop").error().message, HasSubstr("too many symbolic links"));
}

TEST_F(RootTest, SearchesUpToTheFileSystemRootWithoutAHome) {
  (void)tree_.Write("home/pyproject.toml", "");
  const auto root = FindRoot(PosixFileSystem(), home_, std::nullopt, "");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->path, home_);
}

}  // namespace
}  // namespace kinetic::bundle
