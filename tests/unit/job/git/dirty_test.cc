#include "base/process/subprocess.h"
#include "base/strings.h"
#include "job/git/repository.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

constexpr const char* kSearchPath = "/usr/local/bin:/usr/bin:/bin";

/// What the state of the repository may be read as.
enum class Expected : std::uint8_t {
  kExact,      ///< as `git status`
  kOrUnknown,  ///< as `git status`, or unknown
};

struct Case {
  const char* name;
  const char* script;  ///< run in the repository
  Expected expected = Expected::kExact;
};

std::string Shell(const Path& folder, const std::string& script, const char* hash = "sha1") {
  std::string output;
  Subprocess shell;
  shell.argv = {"sh", "-euc", script};
  shell.working_directory = folder;
  shell.search_path = kSearchPath;
  shell.environment = {{"PATH", kSearchPath},         {"HOME", folder.parent_path().native()},
                       {"GIT_CONFIG_NOSYSTEM", "1"},  {"GIT_DEFAULT_HASH", hash},
                       {"GIT_AUTHOR_NAME", "Ana"},    {"GIT_AUTHOR_EMAIL", "ana@example.com"},
                       {"GIT_COMMITTER_NAME", "Ana"}, {"GIT_COMMITTER_EMAIL", "ana@example.com"}};
  shell.on_stdout = [&](std::string_view piece) { output += piece; };
  const auto exit = kinetic::Run(shell, {});
  EXPECT_TRUE(exit && exit->Succeeded()) << script;
  return output;
}

constexpr const char* kSetUp = R"(
  mkdir -p src/deep; printf one > a.txt; printf two > src/b.py; printf 3 > src/deep/c.py
  printf x > src.txt; printf y > src-2; ln -s a.txt link; printf '#!/bin/sh' > run.sh; chmod +x run.sh
  git add .; git commit -qm first
)";

/// Changes after the first commit, and forms in which git stores the same state.
constexpr std::array kCases{
    Case{"Unchanged", ":"},
    Case{"Touched", "touch -d 2001-02-03 a.txt"},
    Case{"SameSize", "printf eno > a.txt"},
    Case{"SameSizeAndTime", "touch -r a.txt ../t; printf eno > a.txt; touch -r ../t a.txt"},
    Case{"Longer", "printf more >> src/deep/c.py"},
    Case{"Removed", "rm src/b.py"},
    Case{"FolderRemoved", "rm -r src"},
    Case{"FolderReplacedByLink", "mv src ../moved; ln -s ../moved src"},
    Case{"FileReplacedByLink", "mv a.txt b.txt; ln -s b.txt a.txt"},
    Case{"FileReplacedByFolder", "rm a.txt; mkdir a.txt"},
    Case{"LinkChanged", "ln -sf src.txt link"},
    Case{"LinkReplacedByFile", "rm link; printf a.txt > link"},
    Case{"MadeExecutable", "chmod +x a.txt"},
    Case{"NotExecutable", "chmod -x run.sh"},
    Case{"WithoutFileMode", "git config core.fileMode false; chmod +x a.txt"},
    Case{"Untracked", "printf n > new.txt"},
    Case{"Staged", "printf eno > a.txt; git add a.txt"},
    Case{"StagedThenRevertedInFolder", "printf eno > a.txt; git add a.txt; printf one > a.txt"},
    Case{"StagedNew", "printf n > new.txt; git add new.txt"},
    Case{"StagedRemoval", "git rm -q --cached a.txt"},
    Case{"StagedAndUnstaged", "printf eno > a.txt; git add .; printf one > a.txt; git add ."},
    Case{"IntentToAdd", "printf n > new.txt; git add -N new.txt"},
    Case{"Conflict",
         "git checkout -qb o; printf 1 > a.txt; git commit -qam o; git checkout -q main;"
         "printf 2 > a.txt; git commit -qam m; git merge -q o >/dev/null || :"},
    Case{"AssumeUnchanged", "git update-index --assume-unchanged a.txt; printf eno > a.txt"},
    Case{"SkipWorktree", "git update-index --skip-worktree a.txt; rm a.txt"},
    Case{"CommittedAgain", "printf eno > a.txt; git commit -qam second"},
    Case{"OtherBranchCheckedOut",
         "git checkout -qb o; printf 1 > n; git add n; git commit -qm o;"
         "git checkout -q main"},
    Case{"ResetSoft", "printf eno > a.txt; git commit -qam second; git reset -q --soft HEAD^"},
    Case{"Packed", "git gc -q"},
    Case{"PackedAndStaged", "git gc -q; printf eno > a.txt; git add a.txt"},
    Case{"IndexVersion2", "git update-index --index-version 2; printf eno > a.txt"},
    Case{"IndexVersion4", "git update-index --index-version 4"},
    Case{"IndexVersion4Staged",
         "git update-index --index-version 4; printf e > src/deep/n; git add ."},
    Case{"IndexVersion3", "printf n > n; git add -N n; git commit -qm x n"},
    Case{"UntrackedCache", "git update-index --force-untracked-cache"},
    Case{
        "ManyPacks",
        "git gc -q; for i in 1 2 3; do printf $i > a.txt; git commit -qam $i; git repack -q; done"},
    Case{"SharedClone",
         "cd ..; git clone -qs repo shared; mv repo old; mv shared repo;"
         "printf '%s' ../../old/.git/objects > /dev/null; "
         "echo \"$PWD/old/.git/objects\" > repo/.git/objects/info/alternates"},
    Case{"EmptyCommit", "git commit -q --allow-empty -m second"},
    Case{"AllRemoved", "git rm -qr .; git commit -qm none"},
    Case{"CarriageReturns", "printf 'a\\r\\n' > a.txt", Expected::kOrUnknown},
    Case{"AutoCrlf",
         "git config core.autocrlf true; printf 'a\\n' > a.txt; git commit -qam n;"
         "printf 'a\\r\\n' > a.txt",
         Expected::kOrUnknown},
    Case{"Filter",
         "echo '*.txt filter=up' > .gitattributes; git config filter.up.clean 'tr a-z A-Z';"
         "touch a.txt; git add .; git commit -qm f; touch -d 2001-02-03 a.txt",
         Expected::kOrUnknown},
    Case{"FilterInInfo",
         "echo '*.txt filter=up' > .git/info/attributes; git config filter.up.clean 'tr a-z A-Z';"
         "touch a.txt; git add .; git commit -qm f; touch -d 2001-02-03 a.txt",
         Expected::kOrUnknown},
    Case{"TextAttributes",
         "echo '* text=auto' > .gitattributes; git add .; git commit -qm t;"
         "printf eno > a.txt"},
    Case{"SplitIndex", "git update-index --split-index; printf eno > a.txt; git add a.txt",
         Expected::kOrUnknown},
    Case{"SparseIndex",
         "git sparse-checkout init --cone --sparse-index; git sparse-checkout set src/deep",
         Expected::kOrUnknown},
    Case{"Submodule",
         "git init -q ../sub; git -C ../sub commit -q --allow-empty -m s;"
         "git -c protocol.file.allow=always submodule -q add ../sub sub; git commit -qm s",
         Expected::kOrUnknown},
};

class DirtyTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!FindExecutable("git", kSearchPath)) GTEST_SKIP() << "git is not installed";
  }
};

/// A new repository for each case, since each changes it.
TEST_P(DirtyTest, AgreesWithGitStatus) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const test::TempTree tree;
    const Path repo = tree.MakeFolder("repo");
    Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
    Shell(repo, one.script, GetParam());
    const auto state = ReadGitState(PosixFileSystem(), repo, {}, {});
    for (const Path& folder : {repo, repo / "src"}) {
      if (!is_directory(std::filesystem::symlink_status(folder))) continue;
      const auto walked = bundle::Walk(PosixFileSystem(),
                                       {.path = folder, .reason = "", .repository = repo}, {}, {});
      ASSERT_TRUE(walked) << walked.error().message;
      const auto same = ReadGitState(PosixFileSystem(), repo, [&] { return &*walked; }, {});
      ASSERT_TRUE(state && same);
      EXPECT_EQ(same->dirty, state->dirty) << folder;
    }
    const std::string status =
        Shell(repo, "git --no-optional-locks status --porcelain --untracked-files=no");
    ASSERT_TRUE(state);
    if (one.expected == Expected::kOrUnknown && !state->dirty) continue;
    ASSERT_TRUE(state->dirty.has_value());
    EXPECT_EQ(*state->dirty, !status.empty()) << status;
  }
}
INSTANTIATE_TEST_SUITE_P(Hashes, DirtyTest, ::testing::Values("sha1", "sha256"));

/// No byte of an index can make the reader fail in other ways than with an unknown answer.
TEST_P(DirtyTest, DamagedIndexIsUnknownOrRead) {
  const test::TempTree tree;
  const Path repo = tree.MakeFolder("repo");
  Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
  const std::string index = tree.Read("repo/.git/index");
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::string damaged = index;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xFF);
    tree.Write("repo/.git/index", damaged);
    EXPECT_TRUE(ReadGitState(PosixFileSystem(), repo, {}, {})) << i;
    tree.Write("repo/.git/index", index.substr(0, i));
    EXPECT_TRUE(ReadGitState(PosixFileSystem(), repo, {}, {})) << i;
  }
}

TEST_P(DirtyTest, UsesStatusOfWalkedFiles) {
  const test::TempTree tree;
  const Path repo = tree.MakeFolder("repo");
  Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
  Shell(repo, "touch -d 2001-02-03 a.txt; git add .");  // clearly older than the index
  auto walked =
      bundle::Walk(PosixFileSystem(), {.path = repo, .reason = "", .repository = repo}, {}, {});
  ASSERT_TRUE(walked);
  std::filesystem::remove(repo / "a.txt");
  const auto dirty = [&] {
    return ReadGitState(PosixFileSystem(), repo, [&] { return &*walked; }, {})->dirty;
  };
  EXPECT_EQ(dirty(), false) << "as of the walk";
  std::erase_if(walked->entries, [](const auto& entry) { return entry.path == "a.txt"; });
  EXPECT_EQ(dirty(), true);
}

/// As in git: a file that is not older than the index may have changed after it was recorded,
/// within the precision of its time, so that only its content tells.
TEST_P(DirtyTest, ReadsWalkedFilesThatAreNotOlderThanTheIndex) {
  const test::TempTree tree;
  const Path repo = tree.MakeFolder("repo");
  Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
  const auto walked =
      bundle::Walk(PosixFileSystem(), {.path = repo, .reason = "", .repository = repo}, {}, {});
  ASSERT_TRUE(walked);
  const auto dirty = [&] {
    return ReadGitState(PosixFileSystem(), repo, [&] { return &*walked; }, {})->dirty;
  };
  const auto recorded = std::filesystem::last_write_time(repo / "a.txt");
  std::filesystem::last_write_time(repo / ".git/index", recorded);
  EXPECT_EQ(dirty(), false) << "the content is the same";
  tree.Write("repo/a.txt", "eno");  // `walked` has the status that the index has
  EXPECT_EQ(dirty(), true);
  std::filesystem::last_write_time(repo / ".git/index", recorded + std::chrono::seconds(2));
  EXPECT_EQ(dirty(), false) << "the walk preceded the change";
}

TEST_P(DirtyTest, IgnoresWalkedFilesOfAnotherFolder) {
  const test::TempTree tree;
  const Path repo = tree.MakeFolder("repo");
  Shell(repo,
        "git init -q -b main; mkdir 2; printf one > 2/a.txt; touch -d 2001-02-03 2/a.txt;"
        "git add .; git commit -qm first; rm 2/a.txt",
        GetParam());
  tree.Write("repo2/a.txt", "one");
  const auto walked = bundle::Walk(
      PosixFileSystem(), {.path = tree / "repo2", .reason = "", .repository = {}}, {}, {});
  ASSERT_TRUE(walked);
  EXPECT_EQ(ReadGitState(PosixFileSystem(), repo, [&] { return &*walked; }, {})->dirty, true);
}

/// Nothing that a repository configures is executed.
TEST_P(DirtyTest, RunsNoProgramOfTheConfiguration) {
  const test::TempTree tree;
  const Path repo = tree.MakeFolder("repo");
  Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
  Shell(repo, R"(
    printf '#!/bin/sh\ntouch "%s"\ncat\n' "$PWD/../ran" > ../program; chmod +x ../program
    git config core.fsmonitor ../program; git config core.hooksPath ..
    git config filter.up.clean ../program; git config filter.up.process ../program
    git config diff.up.textconv ../program; cp ../program .git/hooks/post-index-change
    echo '*.txt filter=up diff=up' > .gitattributes; printf eno > a.txt
  )");
  EXPECT_TRUE(ReadGitState(PosixFileSystem(), repo, {}, {}));
  EXPECT_FALSE(std::filesystem::exists(tree / "ran"));
}

TEST_P(DirtyTest, PipesInRepositoryDoNotBlock) {
  for (const char* name : {"index", "HEAD", "config", "packed-refs", "info/attributes",
                           "objects/info/alternates", "commondir"}) {
    const test::TempTree tree;
    const Path repo = tree.MakeFolder("repo");
    Shell(repo, std::string("git init -q -b main;") + kSetUp, GetParam());
    Shell(repo, std::string("mkdir -p .git/info; rm -f .git/") + name + "; mkfifo .git/" + name);
    (void)ReadGitState(PosixFileSystem(), repo, {}, {});
  }
}

}  // namespace
}  // namespace kinetic::job
