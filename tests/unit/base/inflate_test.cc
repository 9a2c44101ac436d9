#include "base/inflate.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

/// What zlib makes of 64 letters "a".
constexpr std::string_view kCompressed("\x78\x9c\x4b\x4c\xa4\x0c\x00\x00\x14\x8d\x18\x41", 12);

TEST(InflateStart, ReturnsUpToTheLimit) {
  EXPECT_EQ(InflateStart(kCompressed, 100), std::string(64, 'a'));
  EXPECT_EQ(InflateStart(kCompressed, 64), std::string(64, 'a'));
  EXPECT_EQ(InflateStart(kCompressed, 10), std::string(10, 'a'));
  EXPECT_EQ(InflateStart(std::string(kCompressed) + "more", 100), std::string(64, 'a'));
}

TEST(InflateStart, RejectsDamage) {
  for (std::size_t size = 0; size < kCompressed.size(); ++size) {
    EXPECT_FALSE(InflateStart(kCompressed.substr(0, size), 100)) << size;
  }
  for (const std::size_t i : {0U, 1U, 8U, 11U}) {
    std::string damaged(kCompressed);
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_FALSE(InflateStart(damaged, 100)) << i;
  }
}

}  // namespace
}  // namespace kinetic
