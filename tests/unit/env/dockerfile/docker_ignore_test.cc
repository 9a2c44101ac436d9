#include "env/dockerfile/build_context.h"

#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

TEST(DockerIgnoreTest, ExcludesNothingWithoutRules) {
  EXPECT_FALSE(DockerIgnore().Excludes("a"));
  EXPECT_FALSE(DockerIgnore::Parse("# a\n\n  \n!\n/\n.\n").Excludes("a"));
}

TEST(DockerIgnoreTest, PatternsAreRelativeToContext) {
  const auto ignore = DockerIgnore::Parse("\xEF\xBB\xBFlog\n/tmp/\n./x/./y\n*.bin\n a*  \r\n");
  for (const char* path :
       {"log", "log/deep/file", "tmp", "tmp/f", "x/y", "x/y/z", "m.bin", "abc"}) {
    EXPECT_TRUE(ignore.Excludes(path)) << path;
  }
  for (const char* path : {"sub/log", "sub/tmp", "x", "x/z", "sub/m.bin", "logs", "b/a"}) {
    EXPECT_FALSE(ignore.Excludes(path)) << path;
  }
}

TEST(DockerIgnoreTest, DoubleStarMatchesAnyFolders) {
  const auto ignore = DockerIgnore::Parse("**/*.pyc\ndata/**\n**/cache\n");
  for (const char* path : {"a.pyc", "x/y/a.pyc", "data/a", "data/a/b", "cache", "x/cache/f"}) {
    EXPECT_TRUE(ignore.Excludes(path)) << path;
  }
  for (const char* path : {"a.py", "data", "mydata/x"}) {
    EXPECT_FALSE(ignore.Excludes(path)) << path;
  }
}

TEST(DockerIgnoreTest, LastMatchingRuleApplies) {
  const auto ignore = DockerIgnore::Parse("*\n!src\n!README.md\nsrc/secret\n");
  EXPECT_TRUE(ignore.HasExceptions());
  EXPECT_TRUE(ignore.Excludes("other"));
  EXPECT_FALSE(ignore.Excludes("src"));
  EXPECT_FALSE(ignore.Excludes("src/a/b"));
  EXPECT_TRUE(ignore.Excludes("src/secret"));
  EXPECT_TRUE(ignore.Excludes("src/secret/key"));
  EXPECT_FALSE(ignore.Excludes("README.md"));
  EXPECT_FALSE(DockerIgnore::Parse("*\n").HasExceptions());
}

TEST(DockerIgnoreTest, InvalidLinesMatchNothing) {
  const auto ignore = DockerIgnore::Parse("[\nb\n");
  EXPECT_FALSE(ignore.Excludes("["));
  EXPECT_TRUE(ignore.Excludes("b"));
}

}  // namespace
}  // namespace kinetic::env
