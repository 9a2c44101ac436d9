#include "connect/cluster.h"
#include "kube/client.h"
#include "support/cluster.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <string>

namespace kinetic::test {
namespace {

/// Credentials of kubeconfigs against an API server that verifies them.
class ClusterAccessTest : public ClusterTest {
 protected:
  connect::ClusterOptions Options() const {
    connect::ClusterOptions options;
    options.search_path = "/usr/local/bin:/usr/bin:/bin";
    options.environment = {{"PATH", options.search_path}};
    options.cache = tree_ / "cache";
    return options;
  }

  /// @param more, user  fields in YAML's flow form, without braces.
  connect::ClusterOptions Config(const std::string& user, const std::string& more = {}) const {
    connect::ClusterOptions options = Options();
    options.profile.kubeconfigs = {tree_.Write(
        "config",
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "clusters: [{name: k, cluster: {server: '" +
            cluster().server() + "', certificate-authority: '" + cluster().ca_file().native() +
            "'" + more + "}}]\nusers: [{name: u, user: {" + user + "}}]\n")};
    return options;
  }

  /// Returns the user name that the API server assigns to the caller.
  Result<std::string> UserName(const connect::ClusterOptions& options) {
    const connect::Dependencies dependencies{.fs = PosixFileSystem(), .clock = SystemClock()};
    auto opened = connect::OpenCluster(options, dependencies, {});
    if (!opened) return Failure(opened.error());
    const kube::Client client(*opened->transport, SystemClock(), {.server = opened->server});
    return client.GetUserName({});
  }

  std::string Plugin(const std::string& status) {
    tree_.Write("plugin",
                "#!/bin/sh\necho run >> '" + (tree_ / "runs").native() + "'\ncat <<'END'\n" +
                    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)" +
                    R"("status":)" + status + "}\nEND\n",
                0755);
    return "exec: {command: ./plugin, interactiveMode: Never, apiVersion: "
           "client.authentication.k8s.io/v1}";
  }

  TempTree tree_;
};

void ExpectName(const Result<std::string>& who, const std::string& name) {
  ASSERT_TRUE(who) << who.error().message << " | " << who.error().hint;
  EXPECT_EQ(*who, name);
}

TEST_F(ClusterAccessTest, UsesClientCertificate) {
  connect::ClusterOptions options = Options();
  options.profile.kubeconfigs = {cluster().kubeconfig()};
  const auto who = UserName(options);
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(*who + "\n", cluster().Kubectl(
                             {"auth", "whoami", "-o=jsonpath={.status.userInfo.username}{'\\n'}"}));
}

TEST_F(ClusterAccessTest, UsesTokenAndImpersonation) {
  ExpectName(UserName(Config("token: " + cluster().token())), "admin");
  tree_.Write("token", cluster().token() + "\n");
  ExpectName(UserName(Config("tokenFile: token")), "admin");
  ExpectName(
      UserName(Config("token: " + cluster().token() + ", as: ana, as-groups: ['system:masters']")),
      "ana");
}

TEST_F(ClusterAccessTest, RunsPluginOnce) {
  const auto options = Config(Plugin(R"({"token":")" + cluster().token() +
                                     R"(","expirationTimestamp":"2099-01-01T00:00:00Z"})"));
  ExpectName(UserName(options), "admin");
  ExpectName(UserName(options), "admin");
  EXPECT_EQ(tree_.Read("runs"), "run\n");
}

TEST_F(ClusterAccessTest, RunsPluginAgainAfterRejectedToken) {
  const auto who = UserName(Config(Plugin(R"({"token":"stale"})")));
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kUnauthenticated) << who.error().message;
  EXPECT_EQ(tree_.Read("runs"), "run\nrun\n");
}

TEST_F(ClusterAccessTest, AcceptsAlternativeServerName) {
  const std::string token = "token: " + cluster().token();
  ExpectName(UserName(Config(token, ", tls-server-name: kubernetes.default")), "admin");
  const auto wrong = UserName(Config(token, ", tls-server-name: elsewhere.example"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kFailedPrecondition) << wrong.error().message;
}

TEST_F(ClusterAccessTest, UsesServiceAccountInPod) {
  const std::string token =
      cluster().Kubectl({"create", "token", "default", "--namespace=" + name_space()});
  tree_.Write("account/token", token);
  tree_.Write("account/ca.crt", *ReadFile(PosixFileSystem(), cluster().ca_file(), 1U << 20));
  tree_.Write("account/namespace", name_space());
  const std::string server = cluster().server().substr(std::string("https://").size());
  const std::size_t colon = server.rfind(':');
  connect::ClusterOptions options = Options();
  options.profile.in_cluster = true;
  options.account_folder = tree_ / "account";
  options.environment["KUBERNETES_SERVICE_HOST"] = server.substr(0, colon);
  options.environment["KUBERNETES_SERVICE_PORT"] = server.substr(colon + 1);
  ExpectName(UserName(options), "system:serviceaccount:" + name_space() + ":default");
}

TEST_F(ClusterAccessTest, RejectsAnonymousAccess) {
  const auto who = UserName(Config(""));
  ASSERT_FALSE(who);
  EXPECT_THAT(who.error().code,
              testing::AnyOf(ErrorCode::kUnauthenticated, ErrorCode::kPermissionDenied));
}

}  // namespace
}  // namespace kinetic::test
