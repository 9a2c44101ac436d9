#include "job/git_state.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

namespace kinetic::job {
namespace {

constexpr const char* kGitPath = "/usr/local/bin:/usr/bin:/bin";

/// A repository created by git.
class GitStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FindExecutable("git", kGitPath)) GTEST_SKIP() << "git is not installed";
    Git({"init", "-q", "-b", "main"});
    tree_.Write("repo/a.txt", "one");
    Git({"add", "."});
    Git({"commit", "-qm", "first"});
  }

  std::string Git(std::vector<std::string> words, const std::string& folder = "repo") {
    tree_.MakeFolder("repo");
    std::string output;
    Subprocess git;
    git.argv = {"git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com"};
    git.argv.insert(git.argv.end(), words.begin(), words.end());
    git.working_directory = tree_ / folder;
    git.search_path = kGitPath;
    git.environment = {{"PATH", kGitPath}, {"HOME", tree_.path().native()}};
    git.on_stdout = [&](std::string_view piece) { output += piece; };
    const auto exit = kinetic::Run(git, {});
    EXPECT_TRUE(exit && exit->Succeeded()) << words.at(0);
    return std::string(Trim(output));
  }
  std::string Head(const std::string& folder = "repo") {
    return Git({"rev-parse", "HEAD"}, folder);
  }

  std::optional<record::GitState> Read(const std::string& folder = "repo") {
    return ReadGitState(PosixFileSystem(), tree_ / folder);
  }

  test::TempTree tree_;
};

TEST_F(GitStateTest, ReadsCommitAndBranch) {
  auto state = Read();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->commit, Head());
  EXPECT_EQ(state->branch, "main");
}

TEST_F(GitStateTest, FindsRepositoryFromSubfolder) {
  tree_.MakeFolder("repo/deep/er");
  EXPECT_EQ(Read("repo/deep/er")->commit, Head());
}

TEST_F(GitStateTest, ReadsPackedReferences) {
  Git({"pack-refs", "--all"});
  EXPECT_EQ(Read()->commit, Head());
}

TEST_F(GitStateTest, DetachedHeadHasNoBranch) {
  Git({"checkout", "-q", "--detach"});
  EXPECT_EQ(Read()->commit, Head());
  EXPECT_EQ(Read()->branch, "");
}

TEST_F(GitStateTest, ReadsBranchWithSlashes) {
  Git({"checkout", "-qb", "feature/x"});
  EXPECT_EQ(Read()->branch, "feature/x");
  EXPECT_EQ(Read()->commit, Head());
}

TEST_F(GitStateTest, ReadsHeadOfLinkedWorktree) {
  Git({"worktree", "add", "-q", "-b", "side", (tree_ / "side").native()});
  tree_.Write("side/b.txt", "b");
  Git({"add", "."}, "side");
  Git({"commit", "-qm", "second"}, "side");
  const auto state = Read("side");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->commit, Head("side"));
  EXPECT_NE(state->commit, Head());
  EXPECT_EQ(state->branch, "side");
}

TEST_F(GitStateTest, RepositoryWithoutCommitHasNoState) {
  tree_.MakeFolder("empty");
  Git({"init", "-q"}, "empty");
  EXPECT_FALSE(Read("empty"));
}

TEST_F(GitStateTest, FolderOutsideRepositoryHasNoState) {
  tree_.MakeFolder("plain");
  EXPECT_FALSE(Read("plain"));
}

TEST_F(GitStateTest, RejectsReferencesOutsideRepository) {
  tree_.Write("repo/.git/HEAD", "ref: ../../secret\n");
  tree_.Write("secret", std::string(40, 'a') + "\n");
  EXPECT_FALSE(Read());
}

}  // namespace
}  // namespace kinetic::job
