#include "http/headers.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

TEST(Headers, AreCaseInsensitive) {
  const Headers headers{{"Content-Range", "bytes 0-1/2"}};
  EXPECT_EQ(headers.Get("content-range"), "bytes 0-1/2");
  EXPECT_FALSE(headers.Get("content-rang"));
}

TEST(Headers, SetReplacesEveryFieldOfTheName) {
  Headers headers{{"A", "1"}, {"b", "2"}, {"a", "3"}};
  headers.Set("a", "4");
  EXPECT_EQ(headers.Joined("A"), "4");
  EXPECT_EQ(headers.Get("b"), "2");
}

TEST(Headers, JoinsFieldsOfTheSameName) {
  const Headers headers{{"x-goog-hash", "crc32c=AAAAAA=="}, {"X-Goog-Hash", "md5=xx"}};
  EXPECT_EQ(headers.Joined("x-goog-hash"), "crc32c=AAAAAA==, md5=xx");
  EXPECT_EQ(headers.Joined("none"), "");
}

TEST(HttpDate, ParsesThePreferredFormat) {
  const auto date = ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_TRUE(date);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*date), 784111777);
}

TEST(HttpDate, RejectsOtherFormats) {
  for (const char* text : {"", "soon", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                           "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
                           "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT"}) {
    EXPECT_FALSE(ParseHttpDate(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic::http
