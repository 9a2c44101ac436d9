#include "settings/duration.h"

#include "base/strings.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinetic::settings {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Duration, ReadsUnits) {
  EXPECT_EQ(ParseDuration("90s"), seconds(90));
  EXPECT_EQ(ParseDuration("1h30m"), seconds(5400));
  EXPECT_EQ(ParseDuration("7d"), seconds(7 * 86'400));
  EXPECT_EQ(ParseDuration("0s"), seconds(0));
  EXPECT_EQ(ParseDuration("0"), seconds(0));
  EXPECT_EQ(ParseDuration("36500d"), milliseconds(std::chrono::days(36'500)));
  for (const char* text : {"", "m", "2", "-5m", "5 m", "5y", "1h30", "999999999999d", "36501d",
                           "9223372036854775807d", "5m\n", "1e3", "+1", ".", "1.2.3", "nan", "inf"})
    EXPECT_FALSE(ParseDuration(text)) << text;
}

/// Options take what a job file takes.
TEST(Duration, IsThatOfAJobFile) {
  for (const char* text :
       {"90m", "1.5h", ".5s", "1.s", "250ms", "1h30m20s", "2d12h", "m", "5", "5y", "1hh"})
    EXPECT_EQ(ParseDuration(text), kinetic::ParseDuration(text)) << text;
}

TEST(Duration, NamesTheOption) {
  EXPECT_EQ(ParseDurationOf("--timeout", "x").error().message,
            "--timeout: expected a duration such as 90s, 30m, 1h30m or 7d, found 'x'");
}

}  // namespace
}  // namespace kinetic::settings
