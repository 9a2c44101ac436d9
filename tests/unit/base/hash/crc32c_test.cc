#include "base/hash/crc32c.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(Crc32c, KnownAnswers) {
  EXPECT_EQ(Crc32c().value(), 0U);
  EXPECT_EQ(Crc32c().Update("123456789").value(), 0xE3069283U);
  EXPECT_EQ(Crc32c().Update(std::string(32, '\0')).value(), 0x8A9136AAU);
  EXPECT_EQ(Crc32c().Update(std::string(32, '\xff')).value(), 0x62A8AB43U);
}

TEST(Crc32c, IsIndependentOfPieces) {
  EXPECT_EQ(Crc32c().Update("1234").Update("").Update("56789").value(), 0xE3069283U);
}

TEST(Crc32c, CombinesPieces) {
  const std::string text = "the quick brown fox jumps over the lazy dog, again and again and again";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const Crc32c first = Crc32c().Update(text.substr(0, at));
    const Crc32c second = Crc32c().Update(text.substr(at));
    EXPECT_EQ(first.Concat(second, text.size() - at), Crc32c().Update(text)) << at;
  }
}

TEST(Crc32c, CombinesLargePieces) {
  const std::string block(1U << 20, 'x');
  const Crc32c one = Crc32c().Update(block);
  Crc32c whole;
  Crc32c joined;
  for (int i = 0; i < 9; ++i) {
    whole.Update(block);
    joined = joined.Concat(one, block.size());
  }
  EXPECT_EQ(whole, joined);
}

TEST(Crc32c, EncodesAsCloudStorageDoes) { EXPECT_EQ(Crc32c(0xE3069283U).Base64(), "4waSgw=="); }

}  // namespace
}  // namespace kinetic
