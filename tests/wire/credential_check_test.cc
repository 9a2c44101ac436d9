#include "kinetic/value.h"

#include "base/strings.h"
#include "connect/cloud_options.h"
#include "support/curl_transport.h"
#include "support/raw_server.h"
#include "support/temp_tree.h"
#include "support/token_server.h"

namespace kinetic::test {
namespace {

class CredentialCheck : public testing::Test {
 protected:
  Result<CredentialStatus> Check(CloudOptions options) {
    options.allow_loopback = true;
    const connect::Dependencies deps{.fs = PosixFileSystem(), .clock = SystemClock()};
    return connect::CheckCredentialAt(options, deps, info_.Url() + "/tokeninfo", {});
  }
  CloudOptions File(const std::string& text) {
    CloudOptions options;
    options.credential_file = tree_.Write("key.json", text);
    return options;
  }
  static CloudOptions Token(std::string token) {
    CloudOptions options;
    options.access_token = std::move(token);
    return options;
  }
  static std::string Jwt(std::int64_t expiry) {
    const std::string claims = "{\"exp\":" + std::to_string(expiry) + "}";
    return "e30." + Base64UrlEncode(claims) + ".c2ln";
  }

  TokenServer tokens_;
  TempTree tree_;
  RawServer info_{[](Connection& connection, int) {
    const std::string head = connection.ReadHead();
    const std::size_t at = head.find("Content-Length: ");
    const std::string body = connection.ReadBytes(std::stoul(head.substr(at + 16)));
    const bool known = body == "access_token=good";
    connection.Send(AnswerText(
        known ? 200 : 400, known ? R"({"email":"ana@example.org","scope":"a b","exp":"4102444800"})"
                                 : R"({"error":"invalid_token"})"));
  }};
};

TEST_F(CredentialCheck, ReportsUserAndExpiry) {
  const auto status = Check(File(tokens_.UserJson()));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->kind, "authorized_user");
  EXPECT_NE(status->origin.find("key.json"), std::string::npos);
  EXPECT_EQ(status->account, "ana@example.org");
  EXPECT_EQ(status->scopes.size(), 2U);
  EXPECT_EQ(status->quota_project, "billed");
  EXPECT_TRUE(status->renewable);
  EXPECT_GT(*status->expiry, SystemClock().Now() + std::chrono::minutes(55));
}

TEST_F(CredentialCheck, VerifiesServiceAccountKey) {
  const auto status = Check(File(tokens_.ServiceAccountJson()));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->account, "robot@p.iam.gserviceaccount.com");
  EXPECT_EQ(status->project, "proj");
  ASSERT_EQ(status->scopes.size(), 1U);
  EXPECT_EQ(tokens_.tokens(), 1);
  TokenServer other(TokenServer::Key::kOther);  // which does not know the key of this one
  Value json = *Value::FromJson(tokens_.ServiceAccountJson());
  json.Set("token_uri", other.Url() + "/token");
  const auto refused = Check(File(json.ToJson()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthenticated);
}

TEST_F(CredentialCheck, LooksUpOwnerOfToken) {
  const auto status = Check(Token("good"));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->kind, "token");
  EXPECT_EQ(status->account, "ana@example.org");
  EXPECT_EQ(status->scopes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*status->expiry, WallTime(std::chrono::seconds(4'102'444'800)));
  EXPECT_FALSE(status->renewable);

  const auto ended = Check(Token("bad"));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(ended.error().message.find("bad"), std::string::npos);
}

TEST_F(CredentialCheck, ReadsExpiryOfSignedToken) {
  const auto status = Check(Token(Jwt(4'102'444'800)));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status->expiry, WallTime(std::chrono::seconds(4'102'444'800)));
  const auto ended = Check(Token(Jwt(1'000'000'000)));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(info_.connections(), 0);
}

TEST_F(CredentialCheck, NamesTokenFile) {
  CloudOptions options;
  options.token_file = tree_.Write("token", "good\n");
  const auto status = Check(options);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->kind, "token_file");
  EXPECT_NE(status->origin.find("/token"), std::string::npos);
  options.token_file = tree_.path() / "absent";
  EXPECT_EQ(Check(options).error().code, ErrorCode::kUnauthenticated);
}

TEST_F(CredentialCheck, ReadsAccountFromMetadataServer) {
  CloudOptions options;
  options.metadata_url = tokens_.Url();
  const auto status = Check(options);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->kind, "metadata");
  EXPECT_EQ(status->account, "robot@p.iam.gserviceaccount.com");
}

TEST_F(CredentialCheck, ListsSearchedLocationsWithoutCredential) {
  CloudOptions options;
  options.well_known_file = tree_.path() / "absent.json";
  const auto none = Check(options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnauthenticated);
  EXPECT_NE(none.error().message.find("absent.json"), std::string::npos);
  options.storage_endpoint = "http://127.0.0.1:1";
  EXPECT_EQ(Check(options)->kind, "none");
}

}  // namespace
}  // namespace kinetic::test
