#include "bundle/ignore/wildcard.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::bundle {
namespace {

bool Matches(std::string_view pattern, std::string_view text) {
  const auto wildcard = Wildcard::Compile(pattern);
  return wildcard && wildcard->Matches(text);
}

TEST(WildcardTest, StarDoesNotMatchSlashes) {
  EXPECT_TRUE(Matches("*.c", "x.c"));
  EXPECT_TRUE(Matches("*.c", ".c"));
  EXPECT_FALSE(Matches("*.c", "a/x.c"));
  EXPECT_TRUE(Matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(Matches("a*", "a/b"));
  EXPECT_TRUE(Matches("*", ""));
}

TEST(WildcardTest, DoubleStarMatchesFolders) {
  EXPECT_TRUE(Matches("**/x", "x"));
  EXPECT_TRUE(Matches("**/x", "a/b/x"));
  EXPECT_FALSE(Matches("**/x", "ax"));
  EXPECT_TRUE(Matches("a/**/x", "a/x"));
  EXPECT_TRUE(Matches("a/**/x", "a/b/c/x"));
  EXPECT_FALSE(Matches("a/**/x", "ab/x"));
  EXPECT_TRUE(Matches("a/**", "a/b/c"));
  EXPECT_FALSE(Matches("a/**", "a"));
  EXPECT_TRUE(Matches("**", "a/b"));
  EXPECT_TRUE(Matches("**/a/**/b/**", "x/a/y/b/z/w"));
}

TEST(WildcardTest, DoubleStarElsewhereEqualsStar) {
  EXPECT_TRUE(Matches("a**b", "axxb"));
  EXPECT_FALSE(Matches("a**b", "a/b"));
  EXPECT_FALSE(Matches("x/a**", "x/a/b"));
}

TEST(WildcardTest, QuestionMarkMatchesOneByteExceptSlash) {
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_FALSE(Matches("a?c", "a/c"));
  EXPECT_FALSE(Matches("a?", "a"));
  EXPECT_FALSE(Matches("?", "\xc3\xa4"));  // two bytes
  EXPECT_TRUE(Matches("?", "\xff"));
}

TEST(WildcardTest, SetsSupportRangesNegationAndClasses) {
  EXPECT_TRUE(Matches("[a-c]", "b"));
  EXPECT_FALSE(Matches("[a-c]", "d"));
  EXPECT_TRUE(Matches("[!a]", "b"));
  EXPECT_FALSE(Matches("[^a]", "a"));
  EXPECT_FALSE(Matches("[!a]", "/"));
  EXPECT_TRUE(Matches("[]]", "]"));
  EXPECT_TRUE(Matches("[!]]", "x"));
  EXPECT_TRUE(Matches("[a-]", "-"));
  EXPECT_TRUE(Matches("[-a]", "-"));
  EXPECT_TRUE(Matches("[\\]]", "]"));
  EXPECT_TRUE(Matches("[\\a-c]", "b"));
  EXPECT_TRUE(Matches("[\x80-\xff]", "\xc3"));
}

TEST(WildcardTest, ClassesMatchAscii) {
  const std::pair<std::string_view, std::string_view> members[] = {
      {"alnum", "a0Z"}, {"alpha", "aZ"},  {"blank", " \t"}, {"cntrl", "\x01\x7f"},
      {"digit", "09"},  {"graph", "a!~"}, {"lower", "az"},  {"print", "a ~"},
      {"punct", "!~_"}, {"space", " \n"}, {"upper", "AZ"},  {"xdigit", "aF9"}};
  for (const auto& [name, bytes] : members) {
    const std::string set = "[[:" + std::string(name) + ":]]";
    for (const char byte : bytes) {
      EXPECT_TRUE(Matches(set, std::string(1, byte))) << set << static_cast<int>(byte);
    }
    EXPECT_FALSE(Matches(set, "\xe4")) << set;
  }
  EXPECT_TRUE(Matches("[[:digit:]a-c]", "b"));
  EXPECT_TRUE(Matches("[[:alpha]", ":"));  // no class: an ordinary set
}

TEST(WildcardTest, BackslashEscapesTheNextByte) {
  EXPECT_TRUE(Matches("\\*", "*"));
  EXPECT_FALSE(Matches("\\*", "x"));
  EXPECT_TRUE(Matches("a\\b", "ab"));
  EXPECT_TRUE(Matches("\\\\", "\\"));
}

TEST(WildcardTest, MalformedPatternsMatchNothing) {
  for (const auto* pattern : {"[a", "[", "[!", "[a\\", "a\\", "[[:nonsense:]]", "[[:alpha:]"}) {
    EXPECT_FALSE(Wildcard::Compile(pattern)) << pattern;
  }
}

TEST(WildcardTest, IsCaseSensitive) {
  EXPECT_FALSE(Matches("A*", "ab"));
  EXPECT_FALSE(Matches("[a-z]", "Q"));
}

}  // namespace
}  // namespace kinetic::bundle
