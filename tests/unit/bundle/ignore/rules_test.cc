#include "bundle/ignore/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

using namespace std::string_literals;

bool Excludes(std::string_view text, std::string_view path, bool is_folder = false) {
  return IgnoreRules::Parse(text).Match(path, is_folder) == RuleMatch::kExclude;
}

TEST(IgnoreRulesTest, MatchesNamesInEveryFolder) {
  EXPECT_TRUE(Excludes("foo", "foo"));
  EXPECT_TRUE(Excludes("foo", "a/b/foo"));
  EXPECT_FALSE(Excludes("foo", "foobar"));
  EXPECT_TRUE(Excludes("*.o", "a/x.o"));
  EXPECT_TRUE(Excludes("*.tar.gz", "a/x.tar.gz"));
  EXPECT_FALSE(Excludes("*.tar.gz", "a/x.gz"));
}

TEST(IgnoreRulesTest, AnchorsPatternsWithASlash) {
  EXPECT_TRUE(Excludes("/foo", "foo"));
  EXPECT_FALSE(Excludes("/foo", "a/foo"));
  EXPECT_TRUE(Excludes("a/foo", "a/foo"));
  EXPECT_FALSE(Excludes("a/foo", "b/a/foo"));
  EXPECT_TRUE(Excludes("/*.c", "x.c"));
  EXPECT_FALSE(Excludes("/*.c", "a/x.c"));
}

TEST(IgnoreRulesTest, MatchesOnlyFoldersWithATrailingSlash) {
  EXPECT_TRUE(Excludes("foo/", "a/foo", true));
  EXPECT_FALSE(Excludes("foo/", "a/foo", false));
  EXPECT_TRUE(Excludes("*.d/", "x.d", true));
  EXPECT_FALSE(Excludes("*.d/", "x.d"));
  EXPECT_FALSE(Excludes("a[b]/", "ab"));
  EXPECT_FALSE(Excludes("foo//", "foo", true));
}

TEST(IgnoreRulesTest, AppliesTheLastMatchingRule) {
  const auto rules = IgnoreRules::Parse("*.c\n!keep.c\n/a/**\n!/a/b/\nx/y\n!*\n*.z\n");
  EXPECT_EQ(rules.Match("x.c", false), RuleMatch::kInclude);  // "!*" comes later
  EXPECT_EQ(rules.Match("q.z", false), RuleMatch::kExclude);
  const auto fewer = IgnoreRules::Parse("*.c\n!keep.c\nk*\n");
  EXPECT_EQ(fewer.Match("keep.c", false), RuleMatch::kExclude);
  EXPECT_EQ(fewer.Match("a.h", false), RuleMatch::kNone);
  const auto folder_last = IgnoreRules::Parse("foo\n!foo/\n");
  EXPECT_EQ(folder_last.Match("foo", true), RuleMatch::kInclude);
  EXPECT_EQ(folder_last.Match("foo", false), RuleMatch::kExclude);
}

TEST(IgnoreRulesTest, KeepsOnlyEscapedTrailingSpaces) {
  EXPECT_TRUE(Excludes("foo   ", "foo"));
  EXPECT_TRUE(Excludes("foo\\ ", "foo "));
  EXPECT_FALSE(Excludes("foo\\ ", "foo"));
  EXPECT_TRUE(Excludes("foo\\  ", "foo "));
  EXPECT_TRUE(Excludes("foo\t", "foo\t"));
  EXPECT_TRUE(Excludes("a b", "a b"));
  EXPECT_TRUE(Excludes(" foo", " foo"));
}

TEST(IgnoreRulesTest, SupportsCommentsAndEscapes) {
  EXPECT_TRUE(IgnoreRules::Parse("# a\n#\n\n   \n!\n/\n").empty());
  EXPECT_TRUE(Excludes("\\#a", "#a"));
  EXPECT_TRUE(Excludes("\\!a", "!a"));
  EXPECT_TRUE(Excludes("a#b", "a#b"));
  EXPECT_TRUE(Excludes(" # a", " # a"));
}

TEST(IgnoreRulesTest, SupportsLineEndingsAndByteOrderMarks) {
  EXPECT_TRUE(Excludes("foo\r\nbar\r\n", "foo"));
  EXPECT_TRUE(Excludes("foo\r\nbar", "bar"));
  EXPECT_TRUE(Excludes("foo  \r\n", "foo"));
  EXPECT_TRUE(
      Excludes("\xEF\xBB\xBF"
               "foo\n",
               "foo"));
  EXPECT_FALSE(
      Excludes("\n\xEF\xBB\xBF"
               "foo\n",
               "foo"));
}

TEST(IgnoreRulesTest, AcceptsAnyBytes) {
  EXPECT_TRUE(Excludes("\xff\xfe*", "\xff\xfe\x01"));
  EXPECT_TRUE(Excludes("foo\0bar\nx"s, "foo"));
  EXPECT_TRUE(Excludes("[a\nx", "x"));
  EXPECT_FALSE(Excludes("[a\nx", "[a"));
}

TEST(IgnoreRulesTest, ParsesLinesOfAJobFile) {
  const std::vector<std::string> lines = {"*.ckpt", "/data/", "!best.ckpt"};
  const auto rules = IgnoreRules::FromLines(lines);
  EXPECT_EQ(rules.Match("a/x.ckpt", false), RuleMatch::kExclude);
  EXPECT_EQ(rules.Match("a/best.ckpt", false), RuleMatch::kInclude);
  EXPECT_EQ(rules.Match("data", true), RuleMatch::kExclude);
  EXPECT_EQ(rules.Match("a/data", true), RuleMatch::kNone);
}

}  // namespace
}  // namespace kinetic::bundle
