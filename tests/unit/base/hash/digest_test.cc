#include "base/hash/digest.h"

#include "base/hash/concurrent_sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace kinetic {
namespace {

// FIPS 180-4, examples of SHA-256.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256::Of("").Hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256::Of("abc").Hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, DigestIsIndependentOfPiecesAndFinishResets) {
  Sha256 hash;
  EXPECT_EQ(hash.Update("a").Update("").Update("bc").Finish(), Sha256::Of("abc"));
  EXPECT_EQ(hash.Finish(), Sha256::Of(""));
}

TEST(Digest, HexRoundTrip) {
  const Digest digest = Sha256::Of("x");
  EXPECT_EQ(Digest::FromHex(digest.Hex()), digest);
  EXPECT_EQ(Digest::FromBytes(digest.View()), digest);
}

TEST(Digest, RejectsInvalidText) {
  EXPECT_FALSE(Digest::FromHex("12"));
  EXPECT_FALSE(Digest::FromHex(std::string(64, 'g')));
  EXPECT_FALSE(Digest::FromHex(std::string(66, 'a')));
  EXPECT_FALSE(Digest::FromBytes("short"));
}

std::string Bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

/// Hashes pieces of these sizes.
void Expect(const std::vector<std::size_t>& sizes) {
  const std::string all = Bytes(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  PiecewiseSha256 sha;
  std::string_view left = all;
  for (const std::size_t size : sizes) {
    const std::string_view piece = left.substr(0, size);
    EXPECT_EQ(sha.Add(piece).Hex(), Sha256::Of(piece).Hex()) << size;
    left.remove_prefix(size);
  }
  EXPECT_EQ(sha.Finish().Hex(), Sha256::Of(all).Hex()) << all.size();
}

TEST(PiecewiseSha256, MatchesSha256ForOnePiece) {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 300U}) Expect({size});
}

TEST(PiecewiseSha256, MatchesSha256ForSmallPieces) {
  Expect({640, 64, 0, 1024, 64});
  Expect({3, 61, 200, 1, 129, 4096, 55});
}

TEST(PiecewiseSha256, MatchesSha256ForPiecesThatAreHashedInParallel) {
  Expect({1 << 20, 1 << 20, (2 << 20) + 1, 5, 1 << 20});
}

TEST(ConcurrentSha256, MatchesSha256) {
  const std::string all = Bytes((3U << 20) + 7);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, all.size()}) {
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{256U << 10}, all.size()}) {
      ConcurrentSha256 hash;
      std::string_view left = std::string_view(all).substr(0, size);
      for (; !left.empty(); left.remove_prefix(std::min(piece, left.size())))
        hash.Update(left.substr(0, piece));
      EXPECT_EQ(hash.Finish().Hex(), Sha256::Of(std::string_view(all).substr(0, size)).Hex())
          << size << " in pieces of " << piece;
    }
  }
}

TEST(ConcurrentSha256, CanBeAbandoned) { ConcurrentSha256().Update(Bytes(2U << 20)).Update("x"); }

TEST(PiecewiseSha256, MatchesSha256ForEmptyInput) { Expect({}); }

}  // namespace
}  // namespace kinetic
