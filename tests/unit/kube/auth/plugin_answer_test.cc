#include "base/time/clock.h"
#include "kube/auth/plugin.h"
#include "unit/kube/kubeconfig/fixture.h"

namespace kinetic::test {
namespace {

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

std::string Answer(const Value& status) {
  return Value(Value::Map{{"kind", "ExecCredential"}, {"apiVersion", kVersion}, {"status", status}})
      .ToJson();
}

Result<kube::PluginOutput> ReadAnswer(std::string_view text) {
  return kube::ParsePluginOutput(text, kVersion, "the credential plugin p");
}

TEST(PluginOutput, AcceptsAToken) {
  const auto read = ReadAnswer("\n" + Answer(Value::Map{{"token", "abc"}}) + "\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->credential.authorization, "Bearer abc");
  EXPECT_EQ(read->credential.expiry, WallTime::max());
  EXPECT_FALSE(read->has_expiry);
}

TEST(PluginOutput, ReadsTheExpiry) {
  const auto read = ReadAnswer(
      Answer(Value::Map{{"token", "abc"}, {"expirationTimestamp", "2030-01-02T03:04:05+01:00"}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->has_expiry);
  EXPECT_EQ(FormatTime(read->credential.expiry), "2030-01-02T02:04:05.000000Z");
}

TEST(PluginOutput, AcceptsACertificateWithItsKey) {
  const Authority authority;
  const Certificate mine = authority.Issue({"ana"});
  const auto read = ReadAnswer(Answer(Value::Map{{"clientCertificateData", mine.certificate_pem},
                                                 {"clientKeyData", mine.key_pem}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->credential.certificate_pem, mine.certificate_pem);
  EXPECT_EQ(read->credential.key_pem, mine.key_pem);
  EXPECT_EQ(read->credential.authorization, "");
  EXPECT_LT(read->credential.expiry, WallTime::max()) << "it ends with the certificate";
  EXPECT_FALSE(read->has_expiry);
}

TEST(PluginOutput, ErrorsOmitTheOutput) {
  const Authority authority;
  const Certificate mine = authority.Issue({"ana"});
  const std::string other = authority.Issue({"ben"}).key_pem;
  const Value::Map token{{"token", "s3cret"}};
  const std::pair<std::string, const char*> cases[] = {
      {"", "printed nothing"},
      {" \n", "printed nothing"},
      {"s3cret", "did not print JSON"},
      {"[1]", "did not print JSON"},
      {R"({"token":"s3cret"})", "not an ExecCredential"},
      {R"({"kind":"Pod","apiVersion":"v1","status":{"token":"s3cret"}})", "not an ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "uses client.authentication.k8s.io/v1beta1, but the kubeconfig requires "
       "client.authentication.k8s.io/v1"},
      {Answer({}), "returned no status"},
      {Answer(Value::Map{}), "returned neither a token nor a certificate"},
      {Answer(Value::Map{{"token", 7}}), "fields that are not strings"},
      {Answer(Value::Map{{"token", "s3cret\nX: y"}}), "spaces or line breaks"},
      {Answer(Value::Map{{"token", "s3cret"}, {"expirationTimestamp", "tomorrow"}}),
       "invalid expirationTimestamp"},
      {Answer(Value::Map{{"clientCertificateData", mine.certificate_pem}}),
       "returned a certificate without its private key"},
      {Answer(Value::Map{{"clientKeyData", mine.key_pem}}),
       "returned a private key without a certificate"},
      {Answer(Value::Map{{"clientCertificateData", "s3cret"}, {"clientKeyData", mine.key_pem}}),
       "returned an invalid certificate"},
      {Answer(
           Value::Map{{"clientCertificateData", mine.certificate_pem}, {"clientKeyData", other}}),
       "the private key does not belong to the certificate"}};
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    const auto read = ReadAnswer(text);
    ExpectError(read, ErrorCode::kUnauthenticated, message);
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().message.starts_with("the credential plugin p "));
    EXPECT_FALSE(read.error().hint.empty());
    EXPECT_THAT(read.error().message + read.error().hint,
                testing::Not(testing::HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace kinetic::test
