#include "base/time/clock.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(Time, RoundTrip) {
  for (const std::int64_t micros : {0L, 1'700'000'000'123'456L, -1L, 4'102'444'800'000'000L}) {
    const auto parsed = ParseTime(FormatTime(FromMicros(micros)));
    ASSERT_TRUE(parsed) << micros;
    EXPECT_EQ(ToMicros(*parsed), micros);
  }
}

TEST(Time, FormatsAsRfc3339) {
  EXPECT_EQ(FormatTime(FromMicros(1'000'000'000'000'001)), "2001-09-09T01:46:40.000001Z");
}

TEST(Time, ParsesOffsetsAndFractions) {
  EXPECT_EQ(ParseTime("2001-09-09T03:46:40.5+02:00"), FromMicros(1'000'000'000'500'000));
  EXPECT_EQ(ParseTime("2001-09-09 01:46:40Z"), FromMicros(1'000'000'000'000'000));
  EXPECT_EQ(ParseTime("2001-09-09T01:46:40.123456789Z"), FromMicros(1'000'000'000'123'456));
}

TEST(Time, RejectsInvalidText) {
  for (const char* text :
       {"", "2001-09-09", "2001-13-09T00:00:00Z", "2001-09-09T01:46:40", "2001-09-09T25:00:00Z",
        "2001-09-09T01:46:40.Z", "x",
        // No such day, and years that nanoseconds in 64 bits do not reach.
        "2001-02-30T00:00:00Z", "2001-00-09T00:00:00Z", "1015-01-01T00:00:00Z",
        "1677-09-21T00:00:00Z", "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic
