#include "base/process/subprocess.h"
#include "base/strings.h"
#include "bundle/source/walk.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

using test::TempTree;

/// Names that are difficult for ignore rules: short colliding ones, and special bytes.
constexpr std::array<std::string_view, 24> kNames = {
    "a",  "b",  "c",   "ab", "abc",  "A",    "x.c",      "x.o",  "y.c", ".h", "a b", "a ",
    "#h", "!n", "[x]", "a*", "q\\r", "\xff", "\xc3\xa4", "a\nb", "-",   "]",  "a]",  "z1"};

constexpr std::array<std::string_view, 52> kPieces = {"a",
                                                      "b",
                                                      "c",
                                                      "ab",
                                                      "abc",
                                                      "x",
                                                      ".c",
                                                      ".",
                                                      "*",
                                                      "*",
                                                      "*",
                                                      "**",
                                                      "**",
                                                      "***",
                                                      "?",
                                                      "?",
                                                      "/",
                                                      "/",
                                                      "/",
                                                      "/",
                                                      "**/",
                                                      "/**",
                                                      "/**/",
                                                      "*/",
                                                      "[ab]",
                                                      "[!a]",
                                                      "[^b]",
                                                      "[a-c]",
                                                      "[]a]",
                                                      "[!]a]",
                                                      "[a-]",
                                                      "[-a]",
                                                      "[c-a]",
                                                      "[\\]a]",
                                                      "[\\a-c]",
                                                      "[[:alpha:]]",
                                                      "[[:digit:]a]",
                                                      "[![:upper:]]",
                                                      "[[:foo:]]",
                                                      "[[:alpha]",
                                                      "[a",
                                                      "\\a",
                                                      "\\*",
                                                      "\\?",
                                                      "\\ ",
                                                      "\\\\",
                                                      " ",
                                                      "#",
                                                      "!",
                                                      "\\/",
                                                      "\xff",
                                                      "-"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t bound) { return random_() % bound; }
  bool OneIn(std::size_t count) { return Below(count) == 0; }

  std::string Pattern() {
    std::string pattern;
    if (OneIn(4)) pattern += '!';
    if (OneIn(3)) pattern += '/';
    if (OneIn(4)) {
      pattern += kNames[Below(kNames.size())];
    } else {
      for (auto count = 1 + Below(5); count > 0; --count) pattern += kPieces[Below(kPieces.size())];
    }
    if (OneIn(4)) pattern += '/';
    if (OneIn(8)) pattern += "  ";
    if (OneIn(20)) pattern += '\\';
    return pattern;
  }

  std::string IgnoreFile() {
    std::string text = OneIn(10) ? "\xEF\xBB\xBF" : "";
    for (auto count = 1 + Below(6); count > 0; --count) {
      text += Pattern();
      text += OneIn(6) ? "\r\n" : "\n";
    }
    if (OneIn(5)) text.pop_back();
    return text;
  }

  std::string Name() { return std::string(kNames[Below(kNames.size())]); }

  /// Fills a folder with files, links, folders and ignore files.
  void Fill(const TempTree& tree, const std::string& folder, int depth) {
    for (auto count = 2 + Below(4); count > 0; --count) {
      const std::string path = folder + '/' + Name();
      if (std::filesystem::exists(std::filesystem::symlink_status(tree / path))) continue;
      if (depth > 0 && OneIn(2)) {
        (void)tree.MakeFolder(path);
        Fill(tree, path, depth - 1);
      } else if (OneIn(8)) {
        (void)tree.MakeLink(path, ".");
      } else {
        (void)tree.Write(path, "");
      }
    }
    if (OneIn(3)) (void)tree.Write(folder + "/.gitignore", IgnoreFile());
  }

 private:
  std::mt19937_64 random_;
};

class Git {
 public:
  explicit Git(const Path& worktree) : worktree_(worktree) { Call("git init -q ."); }

  /// Returns which paths, relative to the worktree, git ignores.
  std::set<std::string> Ignored(const TempTree& scratch, const std::set<std::string>& paths) const {
    std::string input;
    for (const std::string& path : paths) input += path + '\0';
    const Path file = scratch.Write("paths", input);
    const std::string output =
        Call("git check-ignore --no-index --stdin -z < " + ShellQuote(file.native()));
    std::set<std::string> ignored;
    for (const auto path : Split(output, '\0')) {
      if (!path.empty()) ignored.emplace(path);
    }
    return ignored;
  }

 private:
  std::string Call(const std::string& command) const {
    std::string output;
    const Subprocess call{.argv = {"/bin/sh", "-c", command},
                          .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                          {"HOME", worktree_.native()},
                                          {"GIT_CONFIG_NOSYSTEM", "1"},
                                          {"GIT_CONFIG_GLOBAL", "/dev/null"}},
                          .working_directory = worktree_,
                          .search_path = {},
                          .on_stdout = [&](std::string_view piece) { output += piece; },
                          .on_stderr = [](std::string_view text) { ADD_FAILURE() << text; }};
    const auto exit = Run(call, {});
    // 1: no path is ignored
    if (!exit || exit->signal != 0 || exit->code > 1) ADD_FAILURE() << command;
    return output;
  }

  Path worktree_;
};

struct Content {
  std::set<std::string> folders;
  std::set<std::string> others;
};

Content ContentOf(const Path& root, const Path& below) {
  Content content;
  for (auto each = std::filesystem::recursive_directory_iterator(below);
       each != std::filesystem::recursive_directory_iterator(); ++each) {
    if (each->path().filename() == ".git") {
      each.disable_recursion_pending();
      continue;
    }
    const bool is_folder = each->symlink_status().type() == std::filesystem::file_type::directory;
    (is_folder ? content.folders : content.others)
        .insert(each->path().native().substr(root.native().size() + 1));
  }
  return content;
}

std::string ParentOf(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Returns the expected files: those not ignored by git, and folders without remaining files.
std::set<std::string> Expected(const Content& content, const std::set<std::string>& ignored) {
  std::set<std::string> expected;
  std::set<std::string> parents;
  for (const auto& path : content.others) {
    if (ignored.contains(path)) continue;
    expected.insert(path);
    parents.insert(ParentOf(path));
  }
  for (const auto& path : content.folders) {
    if (!ignored.contains(path)) parents.insert(ParentOf(path));
  }
  for (const auto& path : content.folders) {
    if (!ignored.contains(path) && !parents.contains(path)) expected.insert(path);
  }
  return expected;
}

std::string IgnoreFilesOf(const TempTree& tree, std::string folder) {
  std::string shown = "info/exclude: " + Printable(tree.Read(".git/info/exclude")) + "\n";
  for (;; folder = ParentOf(folder)) {
    const std::string file = folder.empty() ? ".gitignore" : folder + "/.gitignore";
    if (std::filesystem::is_regular_file(tree / file)) {
      shown += Printable(file) + ": " + Printable(tree.Read(file)) + "\n";
    }
    if (folder.empty()) return shown;
  }
}

void ExpectSame(const TempTree& tree, const std::set<std::string>& expected,
                const std::set<std::string>& walked) {
  std::vector<std::string> differences;
  std::ranges::set_symmetric_difference(expected, walked, std::back_inserter(differences));
  for (const auto& path : differences) {
    RC_FAIL(Printable(path) + (walked.contains(path) ? " is included" : " is excluded") +
            ", unlike in git\n" + IgnoreFilesOf(tree, ParentOf(path)));
  }
}

std::set<std::string> WalkedPaths(const Root& root, const std::string& prefix) {
  const auto tree = Walk(PosixFileSystem(), root, {.default_excludes = false, .threads = 2}, {});
  if (!tree) RC_FAIL(tree.error().message);
  std::set<std::string> paths;
  for (const auto& entry : tree->entries) paths.insert(prefix + entry.path);
  RC_ASSERT(std::ranges::is_sorted(tree->entries, {}, &SourceEntry::path));
  return paths;
}

void MakeRepository(const TempTree& tree, Generator& generate, std::size_t cases) {
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string folder = "case" + std::to_string(i);
    (void)tree.MakeFolder(folder);
    generate.Fill(tree, folder, 3);
    (void)tree.Write(folder + "/.gitignore", generate.IgnoreFile());
  }
  (void)tree.Write(".git/info/exclude", generate.IgnoreFile());
  if (generate.OneIn(2)) (void)tree.Write(".gitignore", generate.IgnoreFile());
}

std::uint64_t AnySeed() { return *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()); }

TEST(IgnoreRulesProperty, WalkMatchesGit) {
  EXPECT_TRUE(rc::check("walk against git check-ignore", [] {
    Generator generate(AnySeed());
    const TempTree tree;
    const TempTree scratch;
    const Git git(tree.path());
    MakeRepository(tree, generate, 24);
    const Content content = ContentOf(tree.path(), tree.path());
    std::set<std::string> all = content.folders;
    all.insert(content.others.begin(), content.others.end());
    const auto expected = Expected(content, git.Ignored(scratch, all));
    RC_TAG(std::to_string(expected.size() * 10 / all.size()) + "0 % travel");
    const Root root{.path = tree.path(), .reason = "test", .repository = tree.path()};
    ExpectSame(tree, expected, WalkedPaths(root, ""));
  }));
}

TEST(IgnoreRulesProperty, RootInsideRepositoryAppliesParentRules) {
  EXPECT_TRUE(rc::check("walk of a subfolder against git check-ignore", [] {
    Generator generate(AnySeed());
    const TempTree tree;
    const TempTree scratch;
    const Git git(tree.path());
    MakeRepository(tree, generate, 3);
    const std::string folder = "case" + std::to_string(generate.Below(3));
    const Content content = ContentOf(tree.path(), tree / folder);
    std::set<std::string> all = content.folders;
    all.insert(content.others.begin(), content.others.end());
    all.insert(folder);
    const auto ignored = git.Ignored(scratch, all);
    if (ignored.contains(folder)) return;  // a root is included regardless
    const auto expected = Expected(content, ignored);
    const Root root{.path = tree / folder, .reason = "test", .repository = tree.path()};
    ExpectSame(tree, expected, WalkedPaths(root, folder + '/'));
  }));
}

/// The info/exclude of a nested repository applies below it like a .gitignore in its place.
TEST(IgnoreRulesProperty, NestedInfoExcludeAppliesLikeAnIgnoreFile) {
  EXPECT_TRUE(rc::check("walk of nested repositories against git check-ignore", [] {
    Generator generate(AnySeed());
    const TempTree tree;
    const TempTree scratch;
    const Git git(tree.path());
    constexpr std::size_t kCases = 12;
    MakeRepository(tree, generate, kCases);
    Content content = ContentOf(tree.path(), tree.path());
    std::set<std::string> all = content.folders;
    all.insert(content.others.begin(), content.others.end());
    const auto ignored = git.Ignored(scratch, all);
    for (std::size_t i = 0; i < kCases; ++i) {
      const std::string folder = "case" + std::to_string(i);
      const std::string internal = generate.OneIn(2) ? folder + "/.git" : ".git/modules/" + folder;
      (void)tree.Write(internal + "/info/exclude", tree.Read(folder + "/.gitignore"));
      if (internal.starts_with('.')) {
        (void)tree.Write(folder + "/.git", "gitdir: ../" + internal + "\n");
      }
      std::filesystem::remove(tree / folder / ".gitignore");
      content.others.erase(folder + "/.gitignore");
    }
    const Root root{.path = tree.path(), .reason = "test", .repository = tree.path()};
    ExpectSame(tree, Expected(content, ignored), WalkedPaths(root, ""));
  }));
}

}  // namespace
}  // namespace kinetic::bundle
