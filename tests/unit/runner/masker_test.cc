#include "runner/masker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

/// Feeds `text` in pieces of `size` bytes.
std::string InPieces(std::string_view text, std::size_t size,
                     const std::vector<std::string>& secrets) {
  Masker masker(secrets);
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    masker.Feed(text.substr(0, size), out);
  }
  masker.Flush(out);
  return out;
}

TEST(Masker, ReplacesSecretsWhereverTheyAreCut) {
  const std::vector<std::string> secrets{"hunter2", "hunt3r-hunter2", "token\nof two lines"};
  const std::string text =
      "a hunter2 b hunt3r-hunter2 c token\nof two lines d hunter hunt3r-hunter3 hunter2hunter2";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(InPieces(text, size, secrets), "a *** b *** c *** d hunter hunt3r-hunter3 ******")
        << size;
  }
}

TEST(Masker, OverlappingSecretsLeaveNoRest) {
  const std::vector<std::string> secrets{"abcdXY", "XYZW"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("-abcdXYZW-", size, secrets), "-***-") << size;
    EXPECT_EQ(InPieces("-abcdXYq", size, secrets), "-***q") << size;
    EXPECT_EQ(InPieces("XYZabcdXY", size, secrets), "XYZ***") << size;
  }
}

TEST(Masker, ASecretThatRepeatsItselfIsOneStretch) {
  const std::vector<std::string> secrets{"aaaa"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("baaaaaaaab", size, secrets), "b***b") << size;
  }
}

TEST(Masker, HoldsBackOnlyWhatMayBecomeASecret) {
  const std::vector<std::string> secrets{"secret"};
  Masker masker(secrets);
  std::string out;
  masker.Feed("no s-word, sec", out);
  EXPECT_EQ(out, "no s-word, ");
  EXPECT_TRUE(masker.HoldsBack());
  masker.Feed("ond\n", out);
  EXPECT_EQ(out, "no s-word, second\n");
  EXPECT_FALSE(masker.HoldsBack());
}

TEST(Masker, TheWhiteSpaceAroundASecretIsNoPartOfIt) {
  const auto secrets = MaskableSecrets({"hunter22\n"});
  EXPECT_EQ(Masked("token=hunter22.", secrets), "token=***.");
  EXPECT_EQ(Masked("token=hunter22\n", secrets), "token=***");
}

TEST(Masker, TheLinesOfASecretAreMaskedOneByOne) {
  const auto secrets = MaskableSecrets({"first line\r\nsecond line\n}\n"});
  EXPECT_EQ(Masked("1: first line\n2: second line\n}\n", secrets), "1: ***\n2: ***\n}\n");
}

TEST(Masker, ShortSecretsAreNotMasked) {
  EXPECT_THAT(MaskableSecrets({"abc", "", "long enough", "long enough"}),
              ElementsAre("long enough"));
  EXPECT_EQ(Masked("abc", {}), "abc");
}

}  // namespace
}  // namespace kinetic::runner
