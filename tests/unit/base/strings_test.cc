#include "base/strings.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(Trim, RemovesWhiteSpaceAtBothEnds) {
  EXPECT_EQ(Trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(Split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(Split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Join, InsertsSeparators) {
  const std::vector<std::string> pieces = {"a", "", "b"};
  EXPECT_EQ(Join(pieces, "-"), "a--b");
  EXPECT_EQ(Join({}, "-"), "");
}

TEST(ParseInt, RequiresTheWholeText) {
  EXPECT_EQ(ParseInt("-42"), -42);
  EXPECT_EQ(ParseInt("42x"), std::nullopt);
  EXPECT_EQ(ParseInt(""), std::nullopt);
  EXPECT_EQ(ParseInt("99999999999999999999"), std::nullopt);
}

TEST(IsUtf8, ChecksBoundaryValues) {
  EXPECT_TRUE(IsUtf8("a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_FALSE(IsUtf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(IsUtf8("\xE0\x80\xAF"));      // overlong
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsUtf8("\xE2\x82"));          // cut off
  EXPECT_FALSE(IsUtf8("\xFF"));
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[31m\n\xff\xC3\xBC"), "a\\x1b[31m\\x0a\\xff\xC3\xBC");
  EXPECT_EQ(Printable("\x9b\xC2\x9b\x7f\xC2\xA0\xE2\x80\xAE\xE2\x81\xA9\xE2\x80\xA8\xE2\x80\xA6"),
            "\\x9b\\u009b\\x7f\xC2\xA0\\u202e\\u2069\\u2028\xE2\x80\xA6");
}

TEST(Nearest, FindsTypingMistakesOnly) {
  const std::vector<std::string> keys = {"accelerator", "args", "array", "timeouts"};
  EXPECT_EQ(Nearest("acelerator", keys), "accelerator");
  EXPECT_EQ(Nearest("Timeout", keys), "timeouts");
  EXPECT_EQ(Nearest("x", std::vector<std::string>{"", "a"}), std::nullopt);
  EXPECT_EQ(Nearest("colour", keys), std::nullopt);
  EXPECT_EQ(Nearest("nmae", std::vector<std::string>{"name", "args"}), "name");
}

TEST(MatchesWildcard, StarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesWildcard("WANDB_KEY", "WANDB_*"));
  EXPECT_TRUE(MatchesWildcard("WANDB_", "WANDB_*"));
  EXPECT_TRUE(MatchesWildcard("abcabc", "a*c"));
  EXPECT_TRUE(MatchesWildcard("x", "?"));
  EXPECT_FALSE(MatchesWildcard("", "?"));
  EXPECT_FALSE(MatchesWildcard("WAND", "WANDB_*"));
  EXPECT_TRUE(MatchesWildcard("a*b", "a*b"));
  EXPECT_FALSE(MatchesWildcard("ab", "a"));
}

TEST(ShellQuote, QuotesSpecialCharacters) {
  EXPECT_EQ(ShellQuote("plain-word_1.txt"), "plain-word_1.txt");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(ToHex, WritesHighBytes) { EXPECT_EQ(ToHex(std::string_view("\x00\xff\x10", 3)), "00ff10"); }

TEST(Base64, EncodesTheTestVectors) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, RoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(Base64Decode(Base64Encode(bytes)), bytes);
  }
}

TEST(Base64, RejectsInvalidText) {
  for (const char* text : {"Z", "Zg=", "Zg", "Z===", "Zg==\n", "Z=g=", "Zm8 "}) {
    EXPECT_FALSE(Base64Decode(text)) << text;
  }
}

TEST(Base64, ConvertsLongTextInParts) {
  std::string bytes((std::size_t{48} << 20) + 5, 'a');
  bytes[(std::size_t{48} << 20) - 1] = 'b';
  bytes.back() = 'c';
  const std::string text = Base64Encode(bytes);
  EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
  EXPECT_EQ(Base64Decode(text), bytes);
}

TEST(Base64, HasAUrlSafeForm) { EXPECT_EQ(Base64UrlEncode("\xfb\xff\xfe?"), "-__-Pw"); }

}  // namespace
}  // namespace kinetic
