#include "http/date.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

TEST(HttpDate, IsReadInItsPreferredForm) {
  const auto date = ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_TRUE(date);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*date), 784111777);
}

TEST(HttpDate, IsNothingInAnyOther) {
  for (const char* text : {"", "soon", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                           "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
                           "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT"}) {
    EXPECT_FALSE(ParseHttpDate(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic::http
