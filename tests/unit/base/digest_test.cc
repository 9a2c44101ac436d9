#include "base/digest.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

// FIPS 180-4, examples of SHA-256.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256::Of("").Hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256::Of("abc").Hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWholeAndTheObjectStartsAnew) {
  Sha256 hash;
  EXPECT_EQ(hash.Update("a").Update("").Update("bc").Finish(), Sha256::Of("abc"));
  EXPECT_EQ(hash.Finish(), Sha256::Of(""));
}

TEST(Digest, HexRoundTrip) {
  const Digest digest = Sha256::Of("x");
  EXPECT_EQ(Digest::FromHex(digest.Hex()), digest);
  EXPECT_EQ(Digest::FromBytes(digest.View()), digest);
}

TEST(Digest, RefusesWhatIsNoDigest) {
  EXPECT_FALSE(Digest::FromHex("12"));
  EXPECT_FALSE(Digest::FromHex(std::string(64, 'g')));
  EXPECT_FALSE(Digest::FromHex(std::string(66, 'a')));
  EXPECT_FALSE(Digest::FromBytes("short"));
}

TEST(ToHex, WritesHighBytes) { EXPECT_EQ(ToHex(std::string_view("\x00\xff\x10", 3)), "00ff10"); }

}  // namespace
}  // namespace kinetic
