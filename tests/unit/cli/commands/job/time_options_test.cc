#include "commands/job/time_options.h"

#include "output/text.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::cli {
namespace {

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

}  // namespace
}  // namespace kinetic::cli
