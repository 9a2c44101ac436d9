#include "connect/cluster.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "support/certificates.h"
#include "support/curl_transport.h"
#include "support/fake_clock.h"
#include "support/raw_server.h"
#include "support/temp_tree.h"
#include "support/tls_server.h"

#include <gmock/gmock.h>

#include <mutex>
#include <vector>

namespace kinetic::test {
namespace {

/// An API server that reports the received credentials, and a kubeconfig that refers to it.
class ClusterTest : public testing::Test {
 protected:
  connect::Dependencies Dependencies() { return {.fs = PosixFileSystem(), .clock = SystemClock()}; }

  TlsServer::Handler Taking(std::string token) {
    return [this, token = std::move(token)](const TlsServer::Seen& seen) {
      const std::lock_guard lock(mutex_);
      seen_.push_back(seen);
      const bool right = token.empty() || seen.Header("authorization") == "Bearer " + token;
      return TlsServer::Answer{right ? 200 : 401, right ? "welcome" : "{}"};
    };
  }

  /// @param cluster, user  fields in YAML's flow form, without braces.
  connect::ClusterOptions Config(const std::string& cluster, const std::string& user) {
    tree_.Write("config",
                "current-context: c\n"
                "contexts: [{name: c, context: {cluster: k, user: u, namespace: ml}}]\n"
                "clusters: [{name: k, cluster: {" +
                    cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n");
    connect::ClusterOptions options;
    options.profile.kubeconfigs = {tree_ / "config"};
    options.search_path = "/usr/local/bin:/usr/bin:/bin";
    options.environment = {{"PATH", options.search_path}};
    options.cache = tree_ / "cache";
    return options;
  }

  std::string Address(const TlsServer& server) const {
    return "server: '" + server.Url() +
           "', certificate-authority-data: " + Base64Encode(authority_.Pem());
  }

  Result<http::Response> Ask(const connect::ClusterOptions& options) {
    KINETIC_ASSIGN_OR_RETURN(const connect::Cluster cluster,
                             connect::OpenCluster(options, Dependencies(), {}));
    return cluster.transport->Send(Get(cluster.server + "/version?a=b"), {});
  }

  std::vector<TlsServer::Seen> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

  TempTree tree_;
  Authority authority_;
  std::mutex mutex_;
  std::vector<TlsServer::Seen> seen_;
};

TEST_F(ClusterTest, SendsTokenAndImpersonation) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("t"));
  const auto options =
      Config(Address(server), "token: t, as: root, as-groups: [dev, ops], as-user-extra: {a: [b]}");
  const auto response = Ask(options);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "welcome");
  ASSERT_EQ(seen().size(), 1U);
  EXPECT_EQ(seen()[0].path, "/version");
  EXPECT_EQ(seen()[0].Header("impersonate-user"), "root");
  EXPECT_EQ(seen()[0].headers.count("impersonate-group"), 2U);
  EXPECT_EQ(seen()[0].Header("impersonate-extra-a"), "b");
}

TEST_F(ClusterTest, HasDescriptionForRecord) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}));
  auto options = Config(Address(server), "token: t");
  const auto cluster = connect::OpenCluster(options, Dependencies(), {});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->server, server.Url());
  EXPECT_EQ(cluster->default_namespace, "ml");
  EXPECT_EQ(cluster->context, "c");
  EXPECT_THAT(cluster->identity,
              testing::MatchesRegex("kubernetes:" + server.Url() + "#[0-9a-f]+/ml"));
  options.profile.name_space = "other";
  EXPECT_THAT(connect::OpenCluster(options, Dependencies(), {})->identity,
              testing::EndsWith("/other"));
}

TEST_F(ClusterTest, ClusterOfJobIsFoundAfterContextChanged) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("t"));
  auto options = Config(Address(server), "token: t");
  options.identity = connect::OpenCluster(options, Dependencies(), {})->identity;
  tree_.Write("config",
              "current-context: other\n"
              "contexts: [{name: other, context: {cluster: o, user: u, namespace: x}},\n"
              "  {name: renamed, context: {cluster: k, user: u, namespace: y}}]\n"
              "clusters: [{name: o, cluster: {server: https://elsewhere}}, {name: k, cluster: {" +
                  Address(server) + "}}]\nusers: [{name: u, user: {token: t}}]\n");
  const auto cluster = connect::OpenCluster(options, Dependencies(), {});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->context, "renamed");
  EXPECT_EQ(cluster->default_namespace, "ml");
  EXPECT_EQ(cluster->identity, options.identity);
  EXPECT_EQ(Ask(options)->status, 200);
  options.identity = "kubernetes:https://gone#aaaaaaaaaaaa/ml";
  const auto gone = connect::OpenCluster(options, Dependencies(), {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(gone.error().message, testing::HasSubstr("kubernetes:https://gone#aaaaaaaaaaaa"));
}

TEST_F(ClusterTest, SendsClientCertificate) {
  const Authority clients;
  const Certificate mine = clients.Issue({"ana"});
  const TlsServer server(authority_.Issue({"127.0.0.1"}), clients.Pem(), Taking(""));
  const auto response =
      Ask(Config(Address(server), "client-certificate-data: " + Base64Encode(mine.certificate_pem) +
                                      ", client-key-data: " + Base64Encode(mine.key_pem)));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "welcome");
  const auto without = Ask(Config(Address(server), "token: t"));
  EXPECT_TRUE(!without || without->status != 200);
}

TEST_F(ClusterTest, ServerRejectsExpiredCertificate) {
  using std::chrono::hours;
  const Certificate old = authority_.Issue({"ana", hours(-9), hours(-1)});
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("nobody's"));
  const auto response =
      Ask(Config(Address(server), "client-certificate-data: " + Base64Encode(old.certificate_pem) +
                                      ", client-key-data: " + Base64Encode(old.key_pem)));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnauthenticated);
  EXPECT_THAT(response.error().message,
              testing::AllOf(testing::HasSubstr("the client certificate of user u of"),
                             testing::HasSubstr("expired at")));
}

TEST_F(ClusterTest, VerifiesServerNameInTls) {
  const TlsServer server(authority_.Issue({"api.internal"}), {}, Taking("t"));
  const auto right = Ask(Config(Address(server) + ", tls-server-name: api.internal", "token: t"));
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_EQ(right->body, "welcome");
  EXPECT_EQ(seen().at(0).Header("host"), server.Url().substr(std::string("https://").size()));
  const auto wrong = Ask(Config(Address(server) + ", tls-server-name: other.internal", "token: t"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kFailedPrecondition) << wrong.error().message;
  const auto none = Ask(Config(Address(server), "token: t"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kFailedPrecondition) << none.error().message;
}

TEST_F(ClusterTest, SendsNothingToUntrustedServer) {
  const Authority other;
  const TlsServer server(other.Issue({"127.0.0.1"}), {}, Taking("t"));
  const auto response = Ask(Config(Address(server), "token: t"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kFailedPrecondition) << response.error().message;
  EXPECT_TRUE(seen().empty());
  const auto told =
      Ask(Config("server: '" + server.Url() + "', insecure-skip-tls-verify: true", "token: t"));
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->body, "welcome");
}

TEST_F(ClusterTest, UsesProxyOfKubeconfig) {
  std::string head;
  RawServer proxy([&](Connection& connection, int) {
    head = connection.ReadHead();
    connection.Send(AnswerText(502, ""));
  });
  auto options =
      Config("server: 'https://far.example', proxy-url: '" + proxy.Url() + "'", "token: t");
  options.cloud.no_proxy = "*";
  EXPECT_FALSE(Ask(options));
  EXPECT_TRUE(head.starts_with("CONNECT far.example:443 HTTP/1.1")) << head;
}

TEST_F(ClusterTest, RereadsTokenFileAfterRejection) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("new"));
  tree_.Write("token", "old");
  const auto options = Config(Address(server), "tokenFile: token");
  const auto cluster = connect::OpenCluster(options, Dependencies(), {});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->transport->Send(Get(cluster->server + "/"), {})->status, 401);
  EXPECT_EQ(seen().size(), 1U) << "the same token is not shown twice";
  tree_.Write("token", "new");
  EXPECT_EQ(cluster->transport->Send(Get(cluster->server + "/"), {})->status, 200);
  EXPECT_EQ(seen().size(), 3U);
}

/// A plugin that returns token-1, token-2, …, each valid for an hour.
class ClusterPluginTest : public ClusterTest {
 protected:
  std::string User(const std::string& status) {
    const std::string count = (tree_ / "count").native();
    tree_.Write("plugin",
                "#!/bin/sh\nn=$(($(cat '" + count + "' 2>/dev/null || echo 0) + 1))\necho $n > '" +
                    count + "'\nprintf '%s' '" +
                    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)" +
                    R"("status":)" + status + "}' | sed \"s/COUNT/$n/\"\n",
                0755);
    return "exec: {command: ./plugin, interactiveMode: Never, apiVersion: "
           "client.authentication.k8s.io/v1}";
  }
  std::string Runs() { return std::string(Trim(tree_.Read("count"))); }
};

TEST_F(ClusterPluginTest, RunsAgainAfterRejectedToken) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("token-2"));
  const auto end = FormatTime(SystemClock().Now() + std::chrono::hours(1));
  const auto options = Config(
      Address(server), User(R"({"token":"token-COUNT","expirationTimestamp":")" + end + R"("})"));
  const auto response = Ask(options);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "welcome");
  EXPECT_EQ(Runs(), "2");
  EXPECT_EQ(Ask(options)->status, 200) << "by what another process left";
  EXPECT_EQ(Runs(), "2");
}

TEST_F(ClusterPluginTest, DoesNotRunRepeatedly) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("nobody's"));
  const auto response = Ask(Config(Address(server), User(R"({"token":"token-COUNT"})")));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 401);
  EXPECT_EQ(Runs(), "2");
}

TEST_F(ClusterPluginTest, MayReturnCertificate) {
  const Authority clients;
  const Certificate mine = clients.Issue({"ana"});
  const TlsServer server(authority_.Issue({"127.0.0.1"}), clients.Pem(), Taking(""));
  const Value status(
      Value::Map{{"clientCertificateData", mine.certificate_pem}, {"clientKeyData", mine.key_pem}});
  const auto response = Ask(Config(Address(server), User(status.ToJson())));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "welcome");
}

TEST_F(ClusterTest, IsFoundByServiceAccountInPod) {
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, Taking("mine"));
  tree_.Write("account/token", "mine\n");
  tree_.Write("account/ca.crt", authority_.Pem());
  tree_.Write("account/namespace", "team");
  connect::ClusterOptions options;
  options.profile.in_cluster = true;
  options.account_folder = tree_ / "account";
  options.environment = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"},
                         {"KUBERNETES_SERVICE_PORT", std::to_string(server.port())}};
  const auto cluster = connect::OpenCluster(options, Dependencies(), {});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->default_namespace, "team");
  EXPECT_EQ(cluster->transport->Send(Get(cluster->server + "/"), {})->status, 200);
}

}  // namespace
}  // namespace kinetic::test
