#include "oci/registry/authorized_transport.h"

#include "base/strings.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::FakeClock;
using kinetic::test::ScriptedTransport;

constexpr const char* kScope = "repository:team/app:pull,push";

class SingleLoginSource final : public LoginSource {
 public:
  Result<std::optional<Login>> Find(const std::string& registry, std::stop_token) override {
    ++calls;
    EXPECT_EQ(registry, "registry.example");
    return login;
  }
  std::string Locations() const override { return "/home/ana/.docker/config.json"; }

  std::optional<Login> login;
  int calls = 0;
};

class AuthorizedTransportTest : public testing::Test {
 protected:
  Result<http::Response> Get(const std::string& url = "https://registry.example/v2/team/app/x") {
    http::Request request;
    request.url = url;
    return transport_.Send(request, {});
  }

  void Challenge(const std::string& field, const std::string& status_body = {}) {
    script_.Answer(401, status_body, {{"WWW-Authenticate", field}});
  }
  void ChallengeForToken(const std::string& realm = "https://auth.example/token",
                         const std::string& more = {}) {
    Challenge("Bearer realm=\"" + realm + "\",service=\"reg\"" + more);
  }

  /// Returns the Authorization header of a request, or an empty string.
  std::string AuthorizationOf(std::size_t index) {
    return std::string(script_.sent().at(index).headers.Get("authorization").value_or(""));
  }
  void LogIn() {
    logins_.login = Login{.username = "ana",
                          .password = "s3cret",
                          .identity_token = {},
                          .origin = "the file config.json"};
  }
  Error Refusal() {
    const auto response = Get();
    EXPECT_FALSE(response);
    return response ? Error{} : response.error();
  }

  ScriptedTransport script_;
  FakeClock clock_;
  SingleLoginSource logins_;
  AuthorizedTransport transport_{
      script_, clock_, logins_, {ResolveRegistry("registry.example", false), {kScope}}};
};

TEST_F(AuthorizedTransportTest, SendsNoCredentialsUnlessChallenged) {
  script_.Answer(200);
  EXPECT_EQ(Get()->status, 200);
  EXPECT_EQ(AuthorizationOf(0), "");
  EXPECT_EQ(logins_.calls, 0);
}

TEST_F(AuthorizedTransportTest, SendsBasicAfterAChallenge) {
  LogIn();
  Challenge("Basic realm=\"r\"");
  script_.Answer(200).Answer(404);
  EXPECT_EQ(Get()->status, 200);
  EXPECT_EQ(Get()->status, 404);
  const std::string basic = "Basic " + Base64Encode("ana:s3cret");
  EXPECT_EQ(AuthorizationOf(0), "");
  EXPECT_EQ(AuthorizationOf(1), basic);
  EXPECT_EQ(AuthorizationOf(2), basic);
  EXPECT_EQ(logins_.calls, 1);
}

TEST_F(AuthorizedTransportTest, ExchangesALoginForAToken) {
  LogIn();
  ChallengeForToken("https://auth.example/token", ",scope=\"repository:team/app:pull\"");
  script_.Answer(200, R"({"token":"t1","expires_in":300})").Answer(200).Answer(202);
  EXPECT_EQ(Get()->status, 200);
  EXPECT_EQ(Get()->status, 202);
  EXPECT_EQ(script_.sent().at(1).url,
            "https://auth.example/token?service=reg&scope=repository%3Ateam%2Fapp%3Apull%2Cpush"
            "&account=ana");
  EXPECT_EQ(AuthorizationOf(1), "Basic " + Base64Encode("ana:s3cret"));
  EXPECT_EQ(AuthorizationOf(2), "Bearer t1");
  EXPECT_EQ(AuthorizationOf(3), "Bearer t1");
}

TEST_F(AuthorizedTransportTest, RenewsATokenBeforeExpiry) {
  ChallengeForToken();
  script_.Answer(200, R"({"access_token":"t1"})").Answer(200);
  EXPECT_EQ(Get()->status, 200);
  clock_.Advance(std::chrono::seconds(55));
  script_.Answer(200, R"({"token":"t2","expires_in":300})").Answer(200);
  EXPECT_EQ(Get()->status, 200);
  EXPECT_EQ(AuthorizationOf(4), "Bearer t2");
}

TEST_F(AuthorizedTransportTest, AddsTheChallengeScope) {
  ChallengeForToken("https://auth.example/token", ",scope=\"repository:other/base:pull\"");
  script_.Answer(200, R"({"token":"t1"})").Answer(201);
  EXPECT_EQ(Get()->status, 201);
  EXPECT_EQ(script_.sent().at(1).url,
            "https://auth.example/token?service=reg&scope=repository%3Ateam%2Fapp%3Apull%2Cpush"
            "&scope=repository%3Aother%2Fbase%3Apull");
  EXPECT_EQ(AuthorizationOf(1), "");
}

TEST_F(AuthorizedTransportTest, AddsSeveralChallengeScopes) {
  ChallengeForToken("https://auth.example/token",
                    ",scope=\"repository:team/app:pull,push repository:other/base:pull\"");
  script_.Answer(200, R"({"token":"t1"})").Answer(201);
  EXPECT_EQ(Get()->status, 201);
  EXPECT_EQ(script_.sent().at(1).url,
            "https://auth.example/token?service=reg&scope=repository%3Ateam%2Fapp%3Apull%2Cpush"
            "&scope=repository%3Aother%2Fbase%3Apull");
}

TEST_F(AuthorizedTransportTest, SendsAnIdentityTokenInTheBody) {
  logins_.login =
      Login{.username = "", .password = "", .identity_token = "s3cret", .origin = "the program p"};
  ChallengeForToken();
  script_.Answer(200, R"({"access_token":"t1","expires_in":300})").Answer(200);
  EXPECT_EQ(Get()->status, 200);
  const auto request = script_.sent().at(1);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://auth.example/token");
  EXPECT_EQ(request.body,
            "grant_type=refresh_token&service=reg&client_id=kinetic"
            "&scope=repository%3Ateam%2Fapp%3Apull%2Cpush&refresh_token=s3cret");
  EXPECT_EQ(AuthorizationOf(1), "");
}

TEST_F(AuthorizedTransportTest, SendsNoCredentialsToOtherServers) {
  LogIn();
  Challenge("Basic realm=\"r\"");
  script_.Answer(200).Answer(201).Answer(401, "", {{"WWW-Authenticate", "Basic realm=\"r\""}});
  EXPECT_EQ(Get()->status, 200);
  EXPECT_EQ(Get("https://uploads.example/session/1")->status, 201);
  EXPECT_EQ(Get("http://registry.example/v2/team/app/x")->status, 401);
  EXPECT_EQ(AuthorizationOf(2), "");
  EXPECT_EQ(AuthorizationOf(3), "");
}

TEST_F(AuthorizedTransportTest, RequiresTlsForTheTokenService) {
  LogIn();
  for (const char* realm : {"http://auth.example/token", "http://127.0.0.1:5000/token",
                            "https://ana:pw@auth.example/token", "auth.example", ""}) {
    ChallengeForToken(realm);
    const Error error = Refusal();
    EXPECT_EQ(error.code, ErrorCode::kPermissionDenied) << realm;
    EXPECT_NE(error.message.find("registry.example"), std::string::npos);
  }
  for (const auto& sent : script_.sent()) EXPECT_TRUE(sent.url.starts_with("https://registry."));
}

TEST_F(AuthorizedTransportTest, SendsRegistryOnlyLoginsToTheRegistryOnly) {
  LogIn();
  logins_.login->registry_only = true;
  ChallengeForToken("https://elsewhere.example/token");
  EXPECT_EQ(Refusal().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(script_.sent().size(), 1U);
  ChallengeForToken("https://registry.example/v2/token");
  script_.Answer(200, R"({"token":"t1"})").Answer(200);
  EXPECT_EQ(Get()->status, 200);
}

TEST_F(AuthorizedTransportTest, ReportsAMissingLogin) {
  Challenge("Basic realm=\"r\"");
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(error.message,
            "registry.example requires a login, and there is none in "
            "/home/ana/.docker/config.json");
  EXPECT_EQ(error.hint, "docker login registry.example");
}

TEST_F(AuthorizedTransportTest, ReportsARejectedLogin) {
  LogIn();
  Challenge("Basic realm=\"r\"");
  Challenge("Basic realm=\"r\"");
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(error.message, "registry.example rejected the login in the file config.json");
}

TEST_F(AuthorizedTransportTest, ReportsAMissingPermission) {
  LogIn();
  ChallengeForToken();
  script_.Answer(200, R"({"token":"t1"})");
  ChallengeForToken("https://auth.example/token", ",error=\"insufficient_scope\"");
  EXPECT_EQ(Refusal().code, ErrorCode::kPermissionDenied);
}

TEST_F(AuthorizedTransportTest, ReportsErrorsOfTheTokenService) {
  LogIn();
  const auto answered = [&](int status, const std::string& body) {
    ChallengeForToken();
    script_.Answer(status, body);
    Error error = Refusal();
    EXPECT_EQ(error.message.find("s3cret"), std::string::npos) << error.message;
    return error;
  };
  EXPECT_EQ(
      answered(401, R"({"details":"incorrect username or password"})").message,
      "the token service of registry.example responded with 401 incorrect username or password to "
      "the login in the file config.json");
  EXPECT_EQ(answered(401, "").code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(answered(403, "").code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(answered(503, "").code, ErrorCode::kUnavailable);
  EXPECT_EQ(answered(429, "").code, ErrorCode::kUnavailable);
  EXPECT_EQ(answered(200, "<html>").code, ErrorCode::kDataLoss);
  EXPECT_EQ(answered(200, "{}").code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::oci
