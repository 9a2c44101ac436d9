#include "env/dockerfile/build_context.h"

#include "base/time/clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BuildContextTest : public ::testing::Test {
 protected:
  BuildContextTest() {
    Write("src/a.py", "a");
    Write("src/deep/b.py", "b");
    Write("notes.txt", "n");
    std::filesystem::create_symlink("/nowhere", root() / "link");
  }

  Path root() { return files_ / "context"; }
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }
  std::vector<std::string> Names(const Path& ignore_file = {}) {
    const auto listed = ListContext(PosixFileSystem(), root(), ignore_file, {});
    EXPECT_TRUE(listed) << listed.error().message;
    std::vector<std::string> names;
    for (const auto& entry : *listed) names.push_back(entry.path);
    return names;
  }
  Digest Hash() {
    const auto listed = ListContext(PosixFileSystem(), root(), {}, {});
    EXPECT_TRUE(listed) << listed.error().message;
    const auto digest = HashContext(PosixFileSystem(), SystemClock(), root(), *listed,
                                    files_ / "cache/context", {});
    EXPECT_TRUE(digest) << digest.error().message;
    return *digest;
  }

  test::TempTree files_;
};

TEST_F(BuildContextTest, ListsEntriesInOrder) {
  EXPECT_THAT(Names(),
              ElementsAre("link", "notes.txt", "src", "src/a.py", "src/deep", "src/deep/b.py"));
}

TEST_F(BuildContextTest, OmitsIgnoredEntries) {
  Write(".dockerignore", "*\n!src/deep\n");
  EXPECT_THAT(Names(root() / ".dockerignore"), ElementsAre("src/deep", "src/deep/b.py"));
  Write(".dockerignore", "src\nlink\n.dockerignore\n");
  EXPECT_THAT(Names(root() / ".dockerignore"), ElementsAre("notes.txt"));
}

TEST_F(BuildContextTest, PrefersIgnoreFileOfDockerfile) {
  FileSystem& fs = PosixFileSystem();
  EXPECT_EQ(FindIgnoreFile(fs, root(), root() / "src/Dockerfile"), "");
  Write(".dockerignore", "x\n");
  EXPECT_EQ(FindIgnoreFile(fs, root(), root() / "src/Dockerfile"), root() / ".dockerignore");
  Write("src/Dockerfile.dockerignore", "y\n");
  EXPECT_EQ(FindIgnoreFile(fs, root(), root() / "src/Dockerfile"),
            root() / "src/Dockerfile.dockerignore");
}

TEST_F(BuildContextTest, RejectsSpecialFilesUnlessIgnored) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  const auto refused = ListContext(PosixFileSystem(), root(), {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("context/pipe"));
  Write(".dockerignore", "pipe\n");
  EXPECT_TRUE(ListContext(PosixFileSystem(), root(), root() / ".dockerignore", {}));
}

TEST_F(BuildContextTest, HashDependsOnContentLinksAndExecutableBit) {
  std::vector<Digest> seen{Hash()};
  EXPECT_EQ(Hash(), seen.front());
  const auto is_new = [&] {
    seen.push_back(Hash());
    return std::count(seen.begin(), seen.end(), seen.back()) == 1;
  };
  Write("src/a.py", "A");
  EXPECT_TRUE(is_new());
  std::filesystem::permissions(root() / "src/a.py", std::filesystem::perms(0755));
  EXPECT_TRUE(is_new());
  std::filesystem::remove(root() / "link");
  EXPECT_TRUE(is_new());
  std::filesystem::create_symlink("/elsewhere", root() / "link");
  EXPECT_TRUE(is_new());
  std::filesystem::create_directory(root() / "empty");
  EXPECT_TRUE(is_new());
  std::filesystem::rename(root() / "notes.txt", root() / "note.txt");
  EXPECT_TRUE(is_new());
  const Digest last = seen.back();
  std::filesystem::permissions(root() / "note.txt", std::filesystem::perms(0600));
  std::filesystem::remove_all(files_ / "cache");
  EXPECT_EQ(Hash(), last);
}

}  // namespace
}  // namespace kinetic::env
