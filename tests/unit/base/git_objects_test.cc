#include "base/git_objects.h"

#include "base/strings.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

/// IDs that `git hash-object` prints for "hello\n".
TEST(GitHash, ComputesIdsOfGit) {
  const auto id_of = [](std::size_t bytes) {
    GitHash hash(bytes);
    return ToHex(hash.Update(std::string_view("blob 6\0", 7)).Update("hello\n").Finish());
  };
  EXPECT_EQ(id_of(20), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(id_of(32), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
}

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
