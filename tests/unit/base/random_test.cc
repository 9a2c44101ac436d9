#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace kinetic {
namespace {

TEST(RandomId, HasSixteenCharactersAndDoesNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = RandomId();
    ASSERT_EQ(id.size(), 16U);
    ASSERT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567"), std::string::npos);
    ASSERT_TRUE(seen.insert(id).second);
  }
}

TEST(RandomBelow, ReturnsAllValuesBelowTheBound) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(RandomBelow(4));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace kinetic
