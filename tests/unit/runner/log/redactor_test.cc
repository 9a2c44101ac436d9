#include "runner/log/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

/// Feeds `text` in pieces of `size` bytes.
std::string InPieces(std::string_view text, std::size_t size,
                     const std::vector<std::string>& secrets) {
  Redactor redactor(secrets);
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    redactor.Feed(text.substr(0, size), out);
  }
  redactor.Flush(out);
  return out;
}

TEST(Redactor, ReplacesSecretsAcrossPieces) {
  const std::vector<std::string> secrets{"hunter2", "hunt3r-hunter2", "token\nof two lines"};
  const std::string text =
      "a hunter2 b hunt3r-hunter2 c token\nof two lines d hunter hunt3r-hunter3 hunter2hunter2";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(InPieces(text, size, secrets), "a *** b *** c *** d hunter hunt3r-hunter3 ******")
        << size;
  }
}

TEST(Redactor, ReplacesOverlappingSecretsAsOne) {
  const std::vector<std::string> secrets{"abcdXY", "XYZW"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("-abcdXYZW-", size, secrets), "-***-") << size;
    EXPECT_EQ(InPieces("-abcdXYq", size, secrets), "-***q") << size;
    EXPECT_EQ(InPieces("XYZabcdXY", size, secrets), "XYZ***") << size;
  }
}

TEST(Redactor, ReplacesRepetitiveSecretAsOne) {
  const std::vector<std::string> secrets{"aaaa"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("baaaaaaaab", size, secrets), "b***b") << size;
  }
}

TEST(Redactor, HoldsBackOnlyPossibleSecrets) {
  const std::vector<std::string> secrets{"secret"};
  Redactor redactor(secrets);
  std::string out;
  redactor.Feed("no s-word, sec", out);
  EXPECT_EQ(out, "no s-word, ");
  redactor.Feed("ond\n", out);
  EXPECT_EQ(out, "no s-word, second\n");
}

TEST(Redactor, IgnoresWhiteSpaceAroundSecrets) {
  const auto secrets = RedactableSecrets({"hunter22\n"});
  EXPECT_EQ(Redact("token=hunter22.", secrets), "token=***.");
  EXPECT_EQ(Redact("token=hunter22\n", secrets), "token=***");
}

TEST(Redactor, ReplacesEachLineOfASecret) {
  const auto secrets = RedactableSecrets({"first line\r\nsecond line\n}\n"});
  EXPECT_EQ(Redact("1: first line\n2: second line\n}\n", secrets), "1: ***\n2: ***\n}\n");
}

TEST(Redactor, KeepsShortSecrets) {
  EXPECT_THAT(RedactableSecrets({"abc", "", "long enough", "long enough"}),
              ElementsAre("long enough"));
  EXPECT_EQ(Redact("abc", {}), "abc");
}

}  // namespace
}  // namespace kinetic::runner
