#include "auth/pem.h"
#include "unit/kube/kubeconfig/fixture.h"

namespace kinetic::test {
namespace {

TEST(Certificates, HaveSubjectAndExpiry) {
  const Authority authority;
  const Certificate mine = authority.Issue({"ana", std::chrono::hours(-1), std::chrono::hours(5)});
  const auto facts = auth::ReadCertificates(mine.certificate_pem);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->subject, "ana");
  const auto left = facts->not_after - SystemClock().Now();
  EXPECT_LT(left, std::chrono::hours(5) + std::chrono::minutes(1));
  EXPECT_GT(left, std::chrono::hours(5) - std::chrono::minutes(10));
}

TEST(Certificates, DigestIsIndependentOfFormatting) {
  const Authority authority;
  std::string text = authority.Pem();
  const auto plain = auth::ReadCertificates(text);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  const auto other = auth::ReadCertificates("# our CA\r\n" + text + "\r\n");
  ASSERT_TRUE(plain && other);
  EXPECT_EQ(plain->digest, other->digest);
  EXPECT_NE(plain->digest, auth::ReadCertificates(Authority().Pem())->digest);
}

TEST(Certificates, ReportsTheNumberOfAnInvalidCertificate) {
  const Authority authority;
  std::string second = authority.Pem();
  second.replace(second.size() / 2, 8, "????????");
  ExpectError(auth::ReadCertificates(authority.Pem() + second), ErrorCode::kInvalidArgument,
              "certificate 2 is invalid");
  ExpectError(auth::ReadCertificates("nothing"), ErrorCode::kInvalidArgument,
              "it contains no PEM certificate");
  ExpectError(auth::ReadCertificates(""), ErrorCode::kInvalidArgument,
              "it contains no PEM certificate");
}

TEST(KeyPair, ReportsMismatch) {
  const Authority authority;
  const Certificate mine = authority.Issue({"ana"});
  const Certificate other = authority.Issue({"ben"});
  EXPECT_TRUE(auth::CheckKeyPair(mine.certificate_pem, mine.key_pem));
  ExpectError(auth::CheckKeyPair(mine.certificate_pem, other.key_pem), ErrorCode::kInvalidArgument,
              "does not belong to the certificate");
  ExpectError(auth::CheckKeyPair(mine.certificate_pem, "x"), ErrorCode::kInvalidArgument,
              "no PEM private key");
  ExpectError(auth::CheckKeyPair(mine.certificate_pem,
                                 "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n"
                                 "-----END ENCRYPTED PRIVATE KEY-----\n"),
              ErrorCode::kInvalidArgument, "encrypted with a password");
}

}  // namespace
}  // namespace kinetic::test
