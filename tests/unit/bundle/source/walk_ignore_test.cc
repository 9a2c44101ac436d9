#include "unit/bundle/walk_fixture.h"

namespace kinetic::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using WalkIgnoreTest = WalkFixture;

TEST_F(WalkIgnoreTest, NestedIgnoreFilesTakePrecedence) {
  WriteAll({"a.log", "sub/b.log", "sub/c.log", "sub/deep/b.log"});
  (void)tree_.Write(".gitignore", "*.log\n.gitignore\n");
  (void)tree_.Write("sub/.gitignore", "!b.log\n");
  (void)tree_.Write("sub/deep/.gitignore", "b.log\n!keep\n");
  EXPECT_THAT(Paths(), ElementsAre("sub/b.log", "sub/deep"));
}

TEST_F(WalkIgnoreTest, CannotReincludeFilesInExcludedFolders) {
  WriteAll({"out/keep.txt", "out/.gitignore", "in/keep.txt", "in/drop.txt"});
  (void)tree_.Write(".kineticignore", ".*ignore\nout/\n!out/keep.txt\nin/*\n!in/keep.txt\n");
  EXPECT_THAT(Paths(), ElementsAre("in/keep.txt"));
}

TEST_F(WalkIgnoreTest, KineticignoreOverridesGitignore) {
  WriteAll({"sub/data.csv", "sub/x.bin", "sub/y.txt"});
  (void)tree_.Write("sub/.gitignore", "*.csv\n!x.bin\n.gitignore\n");
  (void)tree_.Write(".kineticignore", "!*.csv\n*.bin\n.*ignore\n");
  EXPECT_THAT(Paths(), ElementsAre("sub/data.csv", "sub/y.txt"));
}

TEST_F(WalkIgnoreTest, NestedKineticignoreTakesPrecedence) {
  WriteAll({"a.bin", "sub/a.bin"});
  (void)tree_.Write(".kineticignore", "*.bin\n.*ignore\n");
  (void)tree_.Write("sub/.kineticignore", "!a.bin\n");
  EXPECT_THAT(Paths(), ElementsAre("sub/a.bin"));
}

TEST_F(WalkIgnoreTest, ExcludeOverridesIgnoreFiles) {
  WriteAll({"a.ckpt", "sub/b.ckpt", "sub/best.ckpt", "data/x", "sub/data/y", "z"});
  (void)tree_.Write(".kineticignore", "!*.ckpt\nz\n.kineticignore\n");
  EXPECT_THAT(Paths({.exclude = {"*.ckpt", "!best.ckpt", "/data/", "!z"}}),
              ElementsAre("sub/best.ckpt", "sub/data/y", "z"));
}

TEST_F(WalkIgnoreTest, DefaultExcludesCanBeDisabledExceptGit) {
  WriteAll({".git/HEAD", "sub/.git", ".venv/x", "venv/x", "node_modules/x", "p/__pycache__/x",
            "p/a.py", "p/a.pyc", ".DS_Store", ".mypy_cache/x", ".ipynb_checkpoints/x", "a.py"});
  EXPECT_THAT(Paths(), ElementsAre("a.py", "p/a.py", "sub"));
  EXPECT_THAT(
      Paths({.default_excludes = false}),
      ElementsAre(".DS_Store", ".ipynb_checkpoints/x", ".mypy_cache/x", ".venv/x", "a.py",
                  "node_modules/x", "p/__pycache__/x", "p/a.py", "p/a.pyc", "sub", "venv/x"));
}

TEST_F(WalkIgnoreTest, DefaultExcludesCanBeNegated) {
  WriteAll({"venv/x", "node_modules/x"});
  (void)tree_.Write(".kineticignore", "!venv/\n.kineticignore\n");
  EXPECT_THAT(Paths(), ElementsAre("venv/x"));
  EXPECT_THAT(Paths({.exclude = {"!node_modules"}}), ElementsAre("node_modules/x", "venv/x"));
}

TEST_F(WalkIgnoreTest, GitFolderCannotBeIncluded) {
  WriteAll({".git/HEAD", "a"});
  EXPECT_THAT(Paths({.exclude = {"!.git"}, .default_excludes = false}), ElementsAre("a"));
}

TEST_F(WalkIgnoreTest, AppliesInfoExclude) {
  WriteAll({"a.tmp", "b.txt"});
  (void)tree_.Write(".git/info/exclude", "*.tmp\n");
  repository_ = tree_.path();
  EXPECT_THAT(Paths(), ElementsAre("b.txt"));
}

TEST_F(WalkIgnoreTest, AppliesInfoExcludeInAWorktree) {
  const test::TempTree main;
  (void)main.Write(".git/info/exclude", "*.tmp\n");
  (void)main.Write(".git/worktrees/w/commondir", "../..\n");
  (void)tree_.Write(".git", "gitdir: " + (main / ".git/worktrees/w").native() + "\n");
  WriteAll({"a.tmp", "b.txt"});
  repository_ = tree_.path();
  EXPECT_THAT(Paths(), ElementsAre("b.txt"));
}

TEST_F(WalkIgnoreTest, AppliesInfoExcludeOfNestedRepositories) {
  WriteAll({"lib/a.tmp", "lib/deep/a.tmp", "lib/deep/kept.tmp", "sub/a.tmp", "sub/b.txt", "c.tmp"});
  (void)tree_.Write("lib/.git/info/exclude", "*.tmp\n");
  (void)tree_.Write("lib/deep/.gitignore", "!kept.tmp\n.gitignore\n");
  (void)tree_.Write("modules/sub/info/exclude", "/a.tmp\n");
  (void)tree_.Write("sub/.git", "gitdir: ../modules/sub\n");
  const std::vector<std::string> expected = {"c.tmp", "lib/deep/kept.tmp",
                                             "modules/sub/info/exclude", "sub/b.txt"};
  EXPECT_EQ(Paths(), expected);  // also where the root is in no repository
  repository_ = tree_.path();
  EXPECT_EQ(Paths(), expected);
}

TEST_F(WalkIgnoreTest, FindsOneFile) {
  WriteAll({"a/b/c.py", "a/b/d.py", "a/build/e.py", "a/.venv/f.py", "g/h.py"});
  (void)tree_.Write("a/.gitignore", "d.py\n/build/\n");
  (void)tree_.MakeLink("a/link", "../g");
  const Root root{.path = tree_.path(), .reason = "has a test", .repository = {}};
  const auto is_listed = [&](const std::string& file, const WalkOptions& options = {}) {
    return IsListed(PosixFileSystem(), root, options, file).value_or(false);
  };
  EXPECT_TRUE(is_listed("a/b/c.py"));
  EXPECT_TRUE(is_listed("a/link/h.py"));
  EXPECT_TRUE(is_listed("a/.venv/f.py", {.default_excludes = false}));
  for (const char* file : {"a/b/d.py", "a/build/e.py", "a/.venv/f.py", "a/b/missing.py", "a/b"})
    EXPECT_FALSE(is_listed(file)) << file;
  EXPECT_FALSE(is_listed("g/h.py", {.exclude = {"g"}}));
}

TEST_F(WalkIgnoreTest, AppliesIgnoreFilesAboveTheRoot) {
  WriteAll({"p/q/a.tmp", "p/q/b.txt", "p/q/c.txt", "p/q/d.txt"});
  (void)tree_.Write(".gitignore", "*.tmp\n/c.txt\n/p/q/d.txt\n/p/q/");
  (void)tree_.Write("p/.gitignore", "/c.txt\n");
  const auto walked = Walk(
      PosixFileSystem(), {.path = tree_ / "p/q", .reason = "", .repository = tree_.path()}, {}, {});
  ASSERT_TRUE(walked);
  ASSERT_EQ(walked->entries.size(), 2U);
  EXPECT_EQ(walked->entries[0].path, "b.txt");
  EXPECT_EQ(walked->entries[1].path, "c.txt");
}

TEST_F(WalkIgnoreTest, IgnoreFilesCanBeDisabled) {
  WriteAll({"a.tmp", "b.tmp", "venv/x"});
  (void)tree_.Write(".gitignore", "*.tmp\n");
  (void)tree_.Write(".kineticignore", "*\n");
  EXPECT_THAT(Paths({.exclude = {"/b.tmp"}, .default_excludes = false, .ignore_files = false}),
              ElementsAre(".gitignore", ".kineticignore", "a.tmp", "venv/x"));
}

TEST_F(WalkIgnoreTest, SkipsIgnoreFilesThatAreLinksOrFolders) {
  WriteAll({"a", "rules"});
  (void)tree_.Write("rules", "a\n");
  (void)tree_.MakeLink(".gitignore", "rules");
  (void)tree_.MakeFolder(".kineticignore");
  EXPECT_THAT(Paths(), ElementsAre(".gitignore", ".kineticignore", "a", "rules"));
}

TEST_F(WalkIgnoreTest, ExcludesTrackedFiles) {
  WriteAll({"tracked.log", "a"});
  (void)tree_.Write(".git/index", "whatever it says");
  (void)tree_.Write(".gitignore", "*.log\n.gitignore\n");
  repository_ = tree_.path();
  EXPECT_THAT(Paths(), ElementsAre("a"));
}

TEST_F(WalkIgnoreTest, WarnsAboutAnEmptyBundle) {
  WriteAll({"a"});
  const auto walked = Walked({.exclude = {"*"}});
  EXPECT_THAT(walked.entries, IsEmpty());
  EXPECT_THAT(walked.warnings, ElementsAre(testing::StartsWith("the bundle is empty: ")));
}

TEST_F(WalkIgnoreTest, SkipsGivenPaths) {
  WriteAll({"store/packs/x", "a", "sub/store/y"});
  EXPECT_THAT(Paths({.skip_absolute = {(tree_ / "store").native(), "gs://bucket"}}),
              ElementsAre("a", "sub/store/y"));
  const test::TempTree elsewhere;
  const Path alias = elsewhere.MakeLink("alias", tree_.path().native());
  EXPECT_THAT(Paths({.skip_absolute = {(alias / "store/").native()}}),
              ElementsAre("a", "sub/store/y"));
}

}  // namespace
}  // namespace kinetic::bundle
