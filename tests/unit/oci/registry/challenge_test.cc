#include "oci/registry/authorized_transport.h"

#include <gtest/gtest.h>

namespace kinetic::oci {
namespace {

TEST(ParseChallenge, ReadsBearerAndBasic) {
  const auto bearer = ParseChallenge(
      R"(Bearer realm="https://auth.example/token",service="reg",scope="repository:a/b:pull,push")");
  ASSERT_TRUE(bearer);
  EXPECT_EQ(bearer->scheme, Challenge::Scheme::kBearer);
  EXPECT_EQ(bearer->realm, "https://auth.example/token");
  EXPECT_EQ(bearer->service, "reg");
  EXPECT_EQ(bearer->scope, "repository:a/b:pull,push");
  EXPECT_EQ(bearer->error, "");

  const auto basic = ParseChallenge(R"(Basic realm="a \"quoted\" realm")");
  ASSERT_TRUE(basic);
  EXPECT_EQ(basic->scheme, Challenge::Scheme::kBasic);
  EXPECT_EQ(basic->realm, R"(a "quoted" realm)");
}

TEST(ParseChallenge, IgnoresCaseAndSpace) {
  const auto loose = ParseChallenge("  bEaReR  REALM=https://h/t ,\tError=\"insufficient_scope\"");
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->scheme, Challenge::Scheme::kBearer);
  EXPECT_EQ(loose->realm, "https://h/t");
  EXPECT_EQ(loose->error, "insufficient_scope");
  EXPECT_TRUE(ParseChallenge("Basic"));
}

TEST(ParseChallenge, PrefersBearer) {
  for (const char* field :
       {R"(Basic realm="r", Bearer realm="https://h/t",service="s")",
        R"(Bearer realm="https://h/t",service="s", Basic realm="r")",
        R"(Negotiate, Basic realm="r", Bearer realm="https://h/t",service="s")"}) {
    const auto challenge = ParseChallenge(field);
    ASSERT_TRUE(challenge) << field;
    EXPECT_EQ(challenge->scheme, Challenge::Scheme::kBearer) << field;
    EXPECT_EQ(challenge->realm, "https://h/t") << field;
    EXPECT_EQ(challenge->service, "s") << field;
  }
}

TEST(ParseChallenge, IgnoresOtherSchemes) {
  for (const char* field :
       {"", "Negotiate", "Digest realm=\"r\"", "=", "\"", ", ,", "realm=\"r\""}) {
    EXPECT_FALSE(ParseChallenge(field)) << field;
  }
}

TEST(ParseChallenge, AcceptsMalformedInput) {
  for (const char* field :
       {"Basic realm=\"open", "Bearer realm=\"x\\", "Basic realm=", "Bearer =,=,"}) {
    EXPECT_TRUE(ParseChallenge(field)) << field;
  }
}

}  // namespace
}  // namespace kinetic::oci
