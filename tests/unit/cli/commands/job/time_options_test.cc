#include "commands/job/time_options.h"

#include "output/text.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::cli {
namespace {

using std::chrono::seconds;

TEST(TimeOptions, ParsesDurations) {
  EXPECT_EQ(*ParseDuration("--x", "90s"), seconds(90));
  EXPECT_EQ(*ParseDuration("--x", "1h30m"), seconds(5400));
  EXPECT_EQ(*ParseDuration("--x", "7d"), seconds(7 * 86'400));
  EXPECT_EQ(*ParseDuration("--x", "0s"), seconds(0));
  for (const char* text : {"", "5", "m", "-5m", "5 m", "5y", "1h30", "999999999999d", "36501d",
                           "9223372036854775807d", "5m\n"})
    EXPECT_FALSE(ParseDuration("--x", text)) << text;
}

TEST(TimeOptions, ParsesMoments) {
  const auto shown = [](const std::string& text) {
    const auto moment = ParseMoment("--since", text);
    return moment ? FormatTime(*moment) : moment.error().message;
  };
  EXPECT_EQ(shown("2026-11-21T09:41:07.123Z"), "2026-11-21T09:41:07.123Z");
  EXPECT_EQ(shown("2026-11-21T10:41:07+01:00"), "2026-11-21T09:41:07.000Z");
  EXPECT_EQ(shown("2026-11-21T09:41:07.1239Z"), "2026-11-21T09:41:07.123Z");
  EXPECT_EQ(shown("2026-11-21T04:11:07-05:30"), "2026-11-21T09:41:07.000Z");
  for (const char* text : {"2026-11-21T09:41:07.123", "2026-11-21 09:41", "2026-11-21", "5m"})
    EXPECT_TRUE(ParseMoment("--since", text)) << text;
  for (const char* text : {"", "noon", "2026-11-21T09:41:07+1", "2026-11-21T09:41:07.Z",
                           "2026-11-21T09:41:07 x", "2026-13-21"})
    EXPECT_FALSE(ParseMoment("--since", text)) << text;
}

TEST(TimeOptions, NamesTheOption) {
  EXPECT_EQ(ParseDuration("--timeout", "x").error().message,
            "--timeout: expected a duration such as 90s, 30m, 1h30m or 7d, found 'x'");
}

}  // namespace
}  // namespace kinetic::cli
