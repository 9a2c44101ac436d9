#include "output/text.h"

#include <gtest/gtest.h>

namespace kinetic::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Format, WrapsBetweenWords) {
  EXPECT_EQ(Wrapped("one two three", 0, 7), "one two\nthree");
  EXPECT_EQ(Wrapped("one two\nthree", 2, 7), "one\n  two\n  three");
  EXPECT_EQ(Wrapped("one-long-word x", 0, 5), "one-long-word\nx");
}

TEST(Format, MessagesAreWrappedBelowTheirText) {
  EXPECT_EQ(WrappedMessage("error: one two three\nhint: four\n", 14),
            "error: one two\n       three\nhint: four\n");
  EXPECT_EQ(WrappedMessage("\x1b[31merror:\x1b[0m one two three", 14),
            "\x1b[31merror:\x1b[0m one two\n       three");
  EXPECT_EQ(WrappedMessage("  File \"a very long line\"", 10), "  File \"a very long line\"");
  EXPECT_EQ(WrappedMessage("one two three", 0), "one two three");
  EXPECT_EQ(WrappedMessage("https://a-long-address x", 8), "https://a-long-address\nx");
}

TEST(Format, Bytes) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1.0 KiB");
  EXPECT_EQ(FormatBytes(1258291), "1.2 MiB");
  EXPECT_EQ(FormatBytes(std::uint64_t{200} << 30), "200 GiB");
  EXPECT_EQ(FormatBytes(~std::uint64_t{0}), "16384 PiB");
}

TEST(Format, Durations) {
  EXPECT_EQ(FormatDuration(milliseconds(123)), "0.12s");
  EXPECT_EQ(FormatDuration(milliseconds(4'120)), "4.1s");
  EXPECT_EQ(FormatDuration(seconds(59)), "59s");
  EXPECT_EQ(FormatDuration(seconds(192)), "3m 12s");
  EXPECT_EQ(FormatDuration(seconds(7'500)), "2h 5m");
  EXPECT_EQ(FormatDuration(hours(76)), "3d 4h");
  EXPECT_EQ(FormatDuration(seconds(-5)), "0.00s");
}

TEST(Format, Ages) {
  EXPECT_EQ(FormatAge(seconds(12)), "12s");
  EXPECT_EQ(FormatAge(seconds(61)), "1m");
  EXPECT_EQ(FormatAge(hours(23)), "23h");
  EXPECT_EQ(FormatAge(hours(49)), "2d");
  EXPECT_EQ(FormatAge(seconds(-1)), "0s");
}

TEST(Format, Times) {
  EXPECT_EQ(FormatTime(Time(milliseconds(1'795'253'667'123))), "2026-11-21T09:34:27.123Z");
  EXPECT_EQ(FormatTime(Time(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(Format, WidthCountsLettersNotBytes) {
  EXPECT_EQ(DisplayWidth("über"), 4);
  EXPECT_EQ(DisplayWidth(""), 0);
  EXPECT_EQ(DisplayWidth("\xff\xc3"), 2);
}

TEST(Format, WidthCountsWhatATerminalDraws) {
  EXPECT_EQ(DisplayWidth("日本語"), 6);
  EXPECT_EQ(DisplayWidth("한글"), 4);
  EXPECT_EQ(DisplayWidth("🚀 go"), 5);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("✓ …━⠸"), 5);
  EXPECT_EQ(Shortened("日本語", 5, true), "日本…");
  EXPECT_EQ(Shortened("日本語", 4, true), "日…");
}

TEST(Format, ShortensToColumns) {
  EXPECT_EQ(Shortened("abcdef", 6, true), "abcdef");
  EXPECT_EQ(Shortened("abcdef", 4, true), "abc…");
  EXPECT_EQ(Shortened("üöäß", 3, true), "üö…");
  EXPECT_EQ(Shortened("abcdef", 5, false), "ab...");
  EXPECT_EQ(Shortened("abcdef", 2, false), "..");
  EXPECT_EQ(Shortened("abcdef", 0, true), "…");
}

TEST(Format, ALineCannotMoveTheCursor) {
  EXPECT_EQ(OneLine("a\x1b[2Jb\tc\r\n"), "a\\x1b[2Jb\\x09c");
  EXPECT_EQ(OneLine("a\nb"), "a\\x0ab");
}

}  // namespace
}  // namespace kinetic::cli
