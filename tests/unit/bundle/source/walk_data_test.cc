#include "support/temp_tree.h"
#include "unit/bundle/walk_fixture.h"

#include <filesystem>
#include <map>
#include <set>

namespace kinetic::bundle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Walks data sources, whose links may lead to folders beside them.
class WalkDataTest : public WalkFixture {
 protected:
  static WalkOptions DataOptions(bool follow_links = false) {
    WalkOptions options;
    options.default_excludes = false;
    options.ignore_files = false;
    options.is_data = true;
    options.follow_links = follow_links;
    return options;
  }

  /// Returns the entries with what they are: "file 3", "link target", "folder".
  std::map<std::string, std::string> Entries(const WalkOptions& options) {
    std::map<std::string, std::string> found;
    for (const auto& entry : Walked(options).entries) {
      using EntryType = BundleEntry::Type;
      found[entry.path] = entry.type == EntryType::kFile
                              ? "file " + std::to_string(entry.status.size_bytes)
                          : entry.type == EntryType::kSymlink ? "link " + entry.link_target
                                                              : "folder";
    }
    return found;
  }

  test::TempTree other_;
};

/// Whatever a folder contains, a walk of data finds the same names as the file system does.
TEST_F(WalkDataTest, TakesTheWholeFolder) {
  WriteAll({".git/HEAD", ".git/objects/ab/cd", "sub/.git/config", ".gitignore", ".kineticignore",
            "ignored.log", ".venv/bin/python", "__pycache__/a.pyc", "node_modules/x/.git",
            ".DS_Store", ".env", ".hg/store", "a~", ".idea/x"});
  (void)tree_.Write(".gitignore", "*\n");
  (void)tree_.MakeFolder("empty");
  std::set<std::string> expected;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_.path())) {
    if (entry.is_directory() && !std::filesystem::is_empty(entry.path())) continue;
    expected.insert(entry.path().lexically_relative(tree_.path()));
  }
  for (const bool follow : {false, true}) {
    const auto paths = Paths(DataOptions(follow));
    EXPECT_EQ((std::set<std::string>(paths.begin(), paths.end())), expected);
  }
}

TEST_F(WalkDataTest, KeepsLinksWithinTheFolder) {
  WriteAll({"a", "sub/b"});
  (void)tree_.MakeLink("relative", "sub/b");
  (void)tree_.MakeLink("sub/up", "../a");
  (void)tree_.MakeLink("absolute", (tree_ / "a").native());
  (void)tree_.MakeLink("folder", "sub");
  (void)tree_.MakeLink("dangling", "nowhere");
  const std::map<std::string, std::string> expected{{"a", "file 1"},
                                                    {"sub/b", "file 5"},
                                                    {"relative", "link sub/b"},
                                                    {"sub/up", "link ../a"},
                                                    {"absolute", "link a"},
                                                    {"folder", "link sub"},
                                                    {"dangling", "link nowhere"}};
  EXPECT_EQ(Entries(DataOptions()), expected);
  EXPECT_EQ(Entries(DataOptions(true)), expected);
}

/// The cache of Hugging Face: snapshots/{revision}/{file} -> ../../blobs/{digest}.
TEST_F(WalkDataTest, FollowsLinksOutOfTheFolder) {
  (void)other_.Write("blobs/1a", "weights");
  (void)other_.Write("blobs/2b", "config", 0755);
  (void)other_.Write("more/deep/c", "123");
  (void)other_.MakeLink("more/again", "deep/c");
  (void)other_.MakeLink("more/twice", "../blobs/1a");
  (void)tree_.MakeLink("model.safetensors", (other_ / "blobs/1a").native());
  (void)tree_.MakeLink("onnx", (other_ / "more").native());
  (void)tree_.Write("here", "x");
  (void)tree_.MakeLink("inside", "here");
  (void)tree_.MakeLink("sub/config.json", (other_ / "blobs/2b").native());
  EXPECT_EQ(Entries(DataOptions(true)),
            (std::map<std::string, std::string>{{"model.safetensors", "file 7"},
                                                {"onnx/deep/c", "file 3"},
                                                {"onnx/again", "file 3"},
                                                {"onnx/twice", "file 7"},
                                                {"here", "file 1"},
                                                {"inside", "link here"},
                                                {"sub/config.json", "file 6"}}));
}

TEST_F(WalkDataTest, FollowedLoopsAreErrors) {
  (void)tree_.Write("a", "x");
  (void)tree_.MakeLink("up", tree_.path().parent_path().native());
  const auto parent = TryWalk(DataOptions(true));
  ASSERT_FALSE(parent);
  EXPECT_THAT(parent.error().message, HasSubstr("which contains the link"));
  std::filesystem::remove(tree_ / "up");
  (void)other_.Write("x/a", "1");
  (void)other_.Write("y/b", "2");
  (void)other_.MakeLink("x/to-y", "../y");
  (void)other_.MakeLink("y/to-x", "../x");
  (void)tree_.MakeLink("out", (other_ / "x").native());
  EXPECT_FALSE(TryWalk(DataOptions(true)));
}

/// Hints of data sources name no rule that does not apply to them.
TEST_F(WalkDataTest, MessagesNameWhatAppliesToData) {
  (void)tree_.MakeLink("out", (other_ / "absent").native());
  (void)tree_.MakeLink("out2", "/etc/passwd");
  (void)tree_.Write(".env", "x");
  for (const bool follow : {false, true}) {
    const auto failed = TryWalk(DataOptions(follow));
    ASSERT_FALSE(failed);
    for (const char* word : {"kineticignore", "exclude", "bundle"}) {
      EXPECT_THAT(failed.error().hint, Not(HasSubstr(word)));
      EXPECT_THAT(failed.error().message, Not(HasSubstr(word)));
    }
    EXPECT_EQ(failed.error().hint.find("follow_links: true") != std::string::npos, !follow);
  }
  std::filesystem::remove(tree_ / "out");
  std::filesystem::remove(tree_ / "out2");
  const auto warnings = Walked(DataOptions()).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], Not(HasSubstr("kineticignore")));
  EXPECT_THAT(warnings[0], Not(HasSubstr("bundled")));
}

}  // namespace
}  // namespace kinetic::bundle
