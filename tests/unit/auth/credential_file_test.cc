#include "kinetic/value.h"

#include "auth/authorized_transport.h"
#include "auth/credentials.h"
#include "auth/source/token_sources.h"
#include "support/curl_transport.h"
#include "support/raw_server.h"
#include "support/scripted_transport.h"
#include "support/temp_tree.h"
#include "support/token_server.h"

#include <atomic>
#include <thread>
#include <vector>

namespace kinetic::test {
namespace {

/// Returns the system time and never waits.
class NoWaitClock final : public Clock {
 public:
  WallTime Now() const override { return SystemClock().Now() + shift; }
  SteadyTime Steady() const override { return SystemClock().Steady(); }
  Status Sleep(std::chrono::milliseconds, std::stop_token) override { return {}; }

  std::chrono::seconds shift{0};
};

class CredentialTest : public testing::Test {
 protected:
  auth::CredentialContext Context() {
    auth::CredentialContext context;
    context.network.transport = transport_.get();
    context.network.clock = &clock_;
    context.fs = &PosixFileSystem();
    context.policy.loopback = true;
    context.policy.search_path = "/usr/bin:/bin";
    return context;
  }

  Result<auth::AccessToken> FetchWith(const std::string& json) {
    auto source = auth::SourceFromJson(json, "the file key.json", Context());
    if (!source) return Failure(std::move(source).error());
    return (*source)->Fetch({});
  }

  static std::string ExternalJson(const std::string& url, const std::string& source) {
    return R"({"type":"external_account","audience":"//iam/pool",)"
           R"("subject_token_type":"urn:ietf:params:oauth:token-type:jwt",)"
           R"("token_url":")" +
           url + R"(/token","credential_source":)" + source + "}";
  }

  NoWaitClock clock_;
  TokenServer server_;
  std::unique_ptr<http::Transport> transport_ = MakeTransport();
  TempTree tree_;
};

TEST_F(CredentialTest, RefreshesAUserCredential) {
  const auto token = FetchWith(server_.UserJson());
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-1");
  EXPECT_TRUE(server_.problems().empty());
}

TEST_F(CredentialTest, ReportsARevokedUserCredential) {
  server_.Revoke();
  const auto token = FetchWith(server_.UserJson());
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, ErrorCode::kUnauthenticated);
  EXPECT_NE(token.error().message.find("invalid_grant"), std::string::npos);
  EXPECT_NE(token.error().hint.find("gcloud auth"), std::string::npos);
  EXPECT_EQ(token.error().message.find("1//refresh"), std::string::npos);
}

TEST_F(CredentialTest, RetriesWhenTheServerIsUnavailable) {
  server_.BeUnavailable(2);
  EXPECT_TRUE(FetchWith(server_.UserJson()));
  server_.BeUnavailable(3);
  const auto token = FetchWith(server_.UserJson());
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, ErrorCode::kUnavailable);
}

TEST_F(CredentialTest, UsesASelfSignedServiceAccountToken) {
  const auto token = FetchWith(server_.ServiceAccountJson());
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(std::count(token->value.begin(), token->value.end(), '.'), 2);
  EXPECT_EQ(server_.tokens(), 0);
}

TEST_F(CredentialTest, ExchangesAServiceAccountAssertion) {
  const auto file = Value::FromJson(server_.ServiceAccountJson());
  ASSERT_TRUE(file);
  auth::ServiceAccountCredential credential;
  credential.private_key_pem = *file->Find("private_key")->AsString();
  credential.private_key_id = "key-1";
  credential.token_url = server_.Url() + "/token";
  credential.self_signed = false;
  credential.identity.account = *file->Find("client_email")->AsString();
  auth::ServiceAccountSource source(credential, Context().network);
  const auto token = source.Fetch({});
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-1");
  EXPECT_TRUE(server_.problems().empty());

  // The server's clock, or this one, is ten minutes off.
  server_.ShiftDate(600);
  const auto late = source.Fetch({});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().hint.find("10 minutes behind"), std::string::npos) << late.error().hint;
}

TEST_F(CredentialTest, DoesNotPrintAnInvalidKey) {
  std::string json = server_.ServiceAccountJson();
  const std::size_t at = json.find("PRIVATE KEY-----\\n") + 40;
  json.replace(at, 10, "AAAAAAAAAA");
  const auto token = FetchWith(json);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().message.find("AAAAA"), std::string::npos);
  EXPECT_NE(token.error().message.find("key.json"), std::string::npos);
}

TEST_F(CredentialTest, ExchangesAnExternalToken) {
  const Path file = tree_.Write("subject.txt", "subject\n");
  const auto token =
      FetchWith(ExternalJson(server_.Url(), R"({"file":")" + file.native() + R"("})"));
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-1");
}

TEST_F(CredentialTest, ReadsAnExternalTokenFromAUrl) {
  RawServer provider([](Connection& connection, int) {
    const std::string head = connection.ReadHead();
    const bool asked = head.find("X-Ask: me\r\n") != std::string::npos;
    connection.Send(AnswerText(asked ? 200 : 403, R"({"id":"subject"})"));
  });
  const auto token = FetchWith(
      ExternalJson(server_.Url(), R"({"url":")" + provider.Url() +
                                      R"(/t","headers":{"X-Ask":"me"},"format":{"type":"json",)"
                                      R"("subject_token_field_name":"id"}})"));
  ASSERT_TRUE(token) << token.error().message;
}

TEST_F(CredentialTest, RunsAnExecutableOnlyIfAllowed) {
  const Path program = tree_.Write("print-token", R"(#!/bin/sh
test "$GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE" = //iam/pool || exit 3
echo '{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"subject"}'
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string json = ExternalJson(
      server_.Url(), R"({"executable":{"command":")" + program.native() + R"( 'a b'"}})");
  const auto refused = FetchWith(json);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);

  auth::CredentialContext context = Context();
  context.policy.executables = true;
  auto source = auth::SourceFromJson(json, "the file key.json", context);
  ASSERT_TRUE(source);
  const auto token = (*source)->Fetch({});
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-1");
}

TEST_F(CredentialTest, ImpersonatesWithAnExternalToken) {
  const Path file = tree_.Write("subject.txt", "subject");
  std::string json = ExternalJson(server_.Url(), R"({"file":")" + file.native() + R"("})");
  json.pop_back();
  json += R"(,"service_account_impersonation_url":")" + server_.Url() +
          R"(/v1/projects/-/serviceAccounts/robot@p.iam:generateAccessToken"})";
  auto source = auth::SourceFromJson(json, "the file key.json", Context());
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->GetIdentity().account, "robot@p.iam");
  const auto token = (*source)->Fetch({});
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-2");
}

TEST_F(CredentialTest, ImpersonatesAServiceAccount) {
  const std::string json =
      R"({"type":"impersonated_service_account","service_account_impersonation_url":")" +
      server_.Url() + R"(/v1/projects/-/serviceAccounts/robot@p.iam:generateAccessToken",)" +
      R"("delegates":[],"source_credentials":)" + server_.UserJson() + "}";
  const auto token = FetchWith(json);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->value, "token-2");
  EXPECT_TRUE(server_.problems().empty());
}

TEST_F(CredentialTest, RejectsUnknownTokenHosts) {
  auth::CredentialContext context = Context();
  context.policy.loopback = false;
  for (const std::string url :
       {"https://oauth2.evil.example/token", "http://oauth2.googleapis.com/token",
        "https://oauth2.googleapis.com:444/token", "https://googleapis.com.evil.example/token",
        "https://oauth2.googleapis.com@evil.example/token", "http://127.0.0.1:1/token"}) {
    Value json = *Value::FromJson(server_.ServiceAccountJson());
    json.Set("token_uri", url);
    const auto source = auth::SourceFromJson(json.ToJson(), "the file key.json", context);
    ASSERT_FALSE(source) << url;
    EXPECT_EQ(source.error().code, ErrorCode::kPermissionDenied) << url;
  }
  Value json = *Value::FromJson(server_.ServiceAccountJson());
  json.Set("token_uri", "https://oauth2.googleapis.com/token");
  EXPECT_TRUE(auth::SourceFromJson(json.ToJson(), "the file key.json", context));
}

TEST_F(CredentialTest, NamesTheInvalidMember) {
  struct Case {
    const char* json;
    const char* words;
  };
  for (const Case& bad :
       {Case{"{", "key.json"}, Case{"{}", "type"},
        Case{R"({"type":"authorized_user","client_id":"a"})", "client_secret"},
        Case{R"({"type":"service_account"})", "private_key"},
        Case{R"({"type":"external_account"})", "audience"},
        Case{R"({"type":"impersonated_service_account"})", "impersonation_url"}}) {
    const auto source = auth::SourceFromJson(bad.json, "the file key.json", Context());
    ASSERT_FALSE(source) << bad.json;
    EXPECT_EQ(source.error().code, ErrorCode::kUnauthenticated);
    EXPECT_NE(source.error().message.find(bad.words), std::string::npos) << source.error().message;
  }
  const auto unknown =
      auth::SourceFromJson(R"({"type":"gdch_service_account"})", "the file key.json", Context());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnimplemented);
}

TEST_F(CredentialTest, UsesTheMetadataServer) {
  auth::CredentialLocations places;
  places.well_known_file = tree_.path() / "absent.json";
  places.metadata_url = server_.Url();
  auto source = auth::FindCredential(places, Context(), {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->GetIdentity().project, "proj");
  const auto token = (*source)->Fetch({});
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_GT(token->expiry, SystemClock().Now() + std::chrono::minutes(55));
}

TEST_F(CredentialTest, FollowsTheOrderOfApplicationDefaultCredentials) {
  auth::CredentialLocations places;
  places.token = "given";
  places.credential_file = tree_.Write("user.json", server_.UserJson());
  places.well_known_file = tree_.Write("known.json", server_.ServiceAccountJson());
  EXPECT_EQ((*auth::FindCredential(places, Context(), {}))->GetIdentity().kind, "token");
  places.token.clear();
  EXPECT_EQ((*auth::FindCredential(places, Context(), {}))->GetIdentity().kind, "authorized_user");
  places.credential_file.clear();
  EXPECT_EQ((*auth::FindCredential(places, Context(), {}))->GetIdentity().kind, "service_account");
  places.credential_file = tree_.path() / "absent.json";
  const auto named = auth::FindCredential(places, Context(), {});
  ASSERT_FALSE(named);
  EXPECT_NE(named.error().hint.find("GOOGLE_APPLICATION_CREDENTIALS"), std::string::npos);
}

TEST_F(CredentialTest, ListsTheLocationsSearched) {
  auth::CredentialLocations places;
  places.well_known_file = tree_.path() / "absent.json";
  const auto source = auth::FindCredential(places, Context(), {});
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("absent.json"), std::string::npos);
  EXPECT_FALSE(source.error().hint.empty());
}

TEST_F(CredentialTest, FetchesOneTokenForConcurrentCallers) {
  auto source = auth::SourceFromJson(server_.UserJson(), "the file key.json", Context());
  ASSERT_TRUE(source);
  auth::TokenCache cache(*std::move(source), clock_);
  std::atomic<int> same{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 16; ++i) {
      callers.emplace_back([&] {
        const auto token = cache.Get({});
        if (token && token->value == "token-1") ++same;
      });
    }
  }
  EXPECT_EQ(same.load(), 16);
  EXPECT_EQ(server_.tokens(), 1);

  clock_.shift = std::chrono::seconds(3600 - 200);
  EXPECT_EQ(cache.Get({})->value, "token-2");

  // Early, and the server is away: the old one still lasts.
  clock_.shift = std::chrono::seconds(7200 - 400);
  server_.BeUnavailable(100);
  EXPECT_EQ(cache.Get({})->value, "token-2");
  clock_.shift = std::chrono::seconds(8000);
  EXPECT_FALSE(cache.Get({}));
}

TEST_F(CredentialTest, RefreshesARejectedToken) {
  std::vector<std::string> heads;
  RawServer service([&](Connection& connection, int) {
    std::string head;
    while (!(head = connection.ReadHead()).empty()) {
      heads.push_back(head);
      const bool fresh = head.find("Bearer token-2") != std::string::npos;
      connection.Send(AnswerText(fresh ? 200 : 401, "x"));
    }
  });
  auto source = auth::SourceFromJson(server_.UserJson(), "the file key.json", Context());
  ASSERT_TRUE(source);
  auth::TokenCache cache(*std::move(source), clock_);
  auth::AuthorizedTransport transport(*transport_, cache, service.Url(),
                                      cache.GetIdentity().quota_project);
  const auto response = transport.Send(Get(service.Url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_NE(heads[0].find("x-goog-user-project: billed\r\n"), std::string::npos);
}

class FixedToken final : public auth::TokenSource {
 public:
  explicit FixedToken(std::string kind = "token") : kind_(std::move(kind)) {}
  Result<auth::AccessToken> Fetch(std::stop_token) override { return auth::AccessToken{"secret"}; }
  auth::Identity GetIdentity() const override {
    auth::Identity identity;
    identity.kind = kind_;
    identity.origin = "the file key.json";
    return identity;
  }

 private:
  std::string kind_;
};

TEST_F(CredentialTest, ARejectedCredentialIsNamedByItsKind) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"token", "pass a new access token"},
      {"token_file", "the program that writes the file"},
      {"authorized_user", "gcloud auth application-default login"},
      {"service_account", "gcloud iam service-accounts keys list"},
      {"metadata", "service account of this machine"},
      {"external_account", "workload identity"},
      {"impersonated_service_account", "impersonated account"},
      {"another", "kinetic auth status"}};
  for (const auto& [kind, hint] : cases) {
    ScriptedTransport inner;
    inner.Answer(401).Answer(401, R"({"error":{"message":"Invalid Credentials"}})");
    auth::TokenCache cache(std::make_unique<FixedToken>(kind), clock_);
    auth::AuthorizedTransport transport(inner, cache, {}, {});
    const auto response = transport.Send(Get("https://storage.googleapis.com/x"), {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnauthenticated);
    EXPECT_NE(response.error().message.find("kind " + kind + ", the file key.json"),
              std::string::npos)
        << response.error().message;
    EXPECT_NE(response.error().hint.find(hint), std::string::npos) << response.error().hint;
    EXPECT_EQ(response.error().message.find("secret"), std::string::npos);
  }
}

TEST_F(CredentialTest, OtherHostsGetNoToken) {
  ScriptedTransport inner;
  auth::TokenCache cache(std::make_unique<FixedToken>(), clock_);
  auth::AuthorizedTransport transport(inner, cache, "http://localhost:4443", {});
  for (const char* url : {"https://evil.example/x", "http://storage.googleapis.com/x",
                          "http://localhost:4444/x", "https://localhost:4443/x"}) {
    const auto response = transport.Send(Get(url), {});
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied) << response.error().message;
  }
  EXPECT_TRUE(inner.sent().empty());
  for (const char* url : {"http://localhost:4443/x", "https://storage.googleapis.com/x"}) {
    inner.Answer(200);
    EXPECT_TRUE(transport.Send(Get(url), {})) << url;
    EXPECT_EQ(inner.sent().back().headers.Get("Authorization"), "Bearer secret");
  }
}

TEST_F(CredentialTest, ARedirectDoesNotTakeTheTokenAlong) {
  std::atomic<int> reached{0};
  RawServer target([&](Connection& connection, int) {
    while (!connection.ReadHead().empty()) {
      ++reached;
      connection.Send(AnswerText(200, "x"));
    }
  });
  RawServer service([&](Connection& connection, int) {
    while (!connection.ReadHead().empty()) {
      connection.Send("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + target.Url() +
                      "\r\nContent-Length: 0\r\n\r\n");
    }
  });
  auth::TokenCache cache(std::make_unique<FixedToken>(), clock_);
  auth::AuthorizedTransport transport(*transport_, cache, service.Url(), {});
  http::Request request = Get(service.Url());
  request.follow_redirects = true;
  const auto response = transport.Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 307);
  EXPECT_EQ(reached, 0);
}

}  // namespace
}  // namespace kinetic::test
