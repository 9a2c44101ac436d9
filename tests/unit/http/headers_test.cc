#include "http/headers.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

TEST(Headers, AreFoundWhateverTheirCase) {
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

TEST(Headers, OfOneNameAreJoined) {
  const Headers headers{{"x-goog-hash", "crc32c=AAAAAA=="}, {"X-Goog-Hash", "md5=xx"}};
  EXPECT_EQ(headers.Joined("x-goog-hash"), "crc32c=AAAAAA==, md5=xx");
  EXPECT_EQ(headers.Joined("none"), "");
}

}  // namespace
}  // namespace kinetic::http
