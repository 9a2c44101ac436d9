#include "base/time.h"

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

TEST(Time, ReadsOffsetsAndFractions) {
  EXPECT_EQ(ParseTime("2001-09-09T03:46:40.5+02:00"), FromMicros(1'000'000'000'500'000));
  EXPECT_EQ(ParseTime("2001-09-09 01:46:40Z"), FromMicros(1'000'000'000'000'000));
  EXPECT_EQ(ParseTime("2001-09-09T01:46:40.123456789Z"), FromMicros(1'000'000'000'123'456));
}

TEST(Time, RefusesTheRest) {
  for (const char* text : {"", "2001-09-09", "2001-13-09T00:00:00Z", "2001-09-09T01:46:40",
                           "2001-09-09T25:00:00Z", "2001-09-09T01:46:40.Z", "x"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic
