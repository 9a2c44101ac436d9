#include "unit/kube/kubeconfig/fixture.h"

namespace kinetic::test {
namespace {

constexpr const char* kServer = "server: https://10.0.0.1:6443/";

TEST(ClusterAccess, UsesTheCurrentContext) {
  const TempTree tree;
  const auto access = Load(tree, OneContext(kServer, "token: t"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "c");
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->name_space, "ml");
  EXPECT_EQ(access->token, "t");
  EXPECT_EQ(access->ca_fingerprint, "system");
  EXPECT_FALSE(access->insecure);
  EXPECT_EQ(access->user, "user u of " + (tree / "home/config").native() + ":12:3");
}

TEST(ClusterAccess, SuggestsTheNearestContext) {
  const TempTree tree;
  const std::string text =
      "contexts:\n- name: gke_p_us-central1_prod\n- name: kind-kind\n- name: minikube\n";
  ExpectError(Load(tree, text, "kind-kin"), ErrorCode::kNotFound,
              "context 'kind-kin' does not exist", "did you mean 'kind-kind'?");
  ExpectError(Load(tree, text, "zebra"), ErrorCode::kNotFound, "'zebra'",
              "it has: gke_p_us-central1_prod, kind-kind, minikube");
  ExpectError(Load(tree, text), ErrorCode::kNotFound, "current-context is not set", "minikube");
  ExpectError(Load(tree, "current-context: gone\n"), ErrorCode::kNotFound,
              "the current context 'gone' does not exist", "has none");
}

TEST(ClusterAccess, ReportsMissingEntries) {
  const TempTree tree;
  const std::string text =
      "current-context: c\ncontexts:\n- name: c\n  context: {cluster: k, user: ana}\n";
  const std::string location = (tree / "home/config").native() + ":3:3: context c refers to ";
  ExpectError(Load(tree, text + "clusters: [{name: kk}]\n"), ErrorCode::kInvalidArgument,
              location + "cluster 'k', which does not exist", "'kk'");
  ExpectError(Load(tree, text + "clusters: [{name: k, cluster: {server: https://h}}]\n"),
              ErrorCode::kInvalidArgument, location + "user 'ana', which does not exist",
              "has none");
  ExpectError(Load(tree, text + "clusters: [{name: k}]\n"), ErrorCode::kInvalidArgument,
              "cluster k has no server");
}

TEST(ClusterAccess, AddsTheSchemeAsKubectlDoes) {
  const TempTree tree;
  const auto plain = Load(tree, OneContext("server: localhost:8080", "token: t"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->server, "http://localhost:8080");
  EXPECT_EQ(plain->token, "") << "secrets are not sent without TLS";
  const auto secure =
      Load(tree, OneContext("{server: 'h:1', insecure-skip-tls-verify: true}", "token: t"));
  ASSERT_TRUE(secure) << secure.error().message;
  EXPECT_EQ(secure->server, "https://h:1");
  EXPECT_TRUE(secure->insecure);
  EXPECT_EQ(secure->ca_fingerprint, "insecure");
  ExpectError(Load(tree, OneContext("server: ftp://h", "token: t")), ErrorCode::kInvalidArgument,
              "server: invalid URL");
}

TEST(ClusterAccess, PrefersInlineCaToFile) {
  const TempTree tree;
  const Authority authority;
  const Authority other;
  tree.Write("home/ca.crt", authority.Pem());
  const auto by_file =
      Load(tree, OneContext("{server: https://h, certificate-authority: ca.crt}", "token: t"));
  ASSERT_TRUE(by_file) << by_file.error().message;
  EXPECT_EQ(by_file->ca_pem, authority.Pem());
  EXPECT_EQ(by_file->ca_fingerprint.size(), 12U);
  const auto by_data = Load(tree, OneContext("{server: https://h, certificate-authority: ca.crt, "
                                             "certificate-authority-data: " +
                                                 Base64Encode(other.Pem()) + "}",
                                             "token: t"));
  ASSERT_TRUE(by_data);
  EXPECT_EQ(by_data->ca_pem, other.Pem());
  EXPECT_NE(by_data->ca_fingerprint, by_file->ca_fingerprint);
}

TEST(ClusterAccess, ReportsInvalidCertificates) {
  const TempTree tree;
  const std::string config = (tree / "home/config").native();
  ExpectError(
      Load(tree, OneContext("{server: https://h, certificate-authority: nope.crt}", "token: t")),
      ErrorCode::kNotFound, config + ":10:48: the CA of cluster k: ");
  tree.Write("home/ca.crt", "not a certificate");
  ExpectError(
      Load(tree, OneContext("{server: https://h, certificate-authority: ca.crt}", "token: t")),
      ErrorCode::kInvalidArgument,
      "(" + (tree / "home/ca.crt").native() +
          "): the CA of cluster k: it contains no PEM certificate",
      "get a new kubeconfig");
  ExpectError(Load(tree, OneContext("{server: https://h, insecure-skip-tls-verify: true, "
                                    "certificate-authority: ca.crt}",
                                    "token: t")),
              ErrorCode::kInvalidArgument, "contradict each other");
}

TEST(ClusterAccess, ReadsAClientCertificateWithItsKey) {
  const TempTree tree;
  const Authority authority;
  const Certificate mine = authority.Issue({"ana"});
  tree.Write("home/me.key", mine.key_pem);
  const std::string data = "client-certificate-data: " + Base64Encode(mine.certificate_pem);
  const auto access = Load(tree, OneContext(kServer, "{" + data + ", client-key: me.key}"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->certificate_pem, mine.certificate_pem);
  EXPECT_EQ(access->key_pem, mine.key_pem);
  EXPECT_LT(access->certificate_expiry, WallTime::max());
  ExpectError(Load(tree, OneContext(kServer, data)), ErrorCode::kInvalidArgument,
              "the client certificate of user u has no client-key");
  tree.Write("home/me.key", authority.Issue({"ben"}).key_pem);
  ExpectError(Load(tree, OneContext(kServer, "{" + data + ", client-key: me.key}")),
              ErrorCode::kInvalidArgument, "the private key does not belong to the certificate");
}

TEST(ClusterAccess, ReadsOtherCredentials) {
  const TempTree tree;
  const auto file = Load(tree, OneContext(kServer, "{token: t, tokenFile: token}"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->token_file, tree / "home/token");
  const auto basic = Load(tree, OneContext(kServer, "{username: ana, password: 'a:b'}"));
  ASSERT_TRUE(basic);
  EXPECT_EQ(basic->username + "|" + basic->password, "ana|a:b");
  ExpectError(Load(tree, OneContext(kServer, "{username: ana, password: x, token: t}")),
              ErrorCode::kInvalidArgument, "a token and a password");
  ExpectError(Load(tree, OneContext(kServer, "auth-provider: {name: oidc}")),
              ErrorCode::kUnimplemented, "auth-provider oidc is not supported", "exec");
  const auto nobody = Load(tree, OneContext(kServer, "{}"));
  EXPECT_TRUE(nobody) << nobody.error().message;
}

constexpr const char* kPlugin =
    "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, provideClusterInfo: "
    "true}";

TEST(ClusterAccess, UsesAPluginOnlyWithoutOtherCredentials) {
  const TempTree tree;
  const auto alone = Load(tree, OneContext(kServer, kPlugin));
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_TRUE(alone->plugin);
  const auto beside = Load(tree, OneContext(kServer, std::string("token: t\n    ") + kPlugin));
  ASSERT_TRUE(beside) << beside.error().message;
  EXPECT_FALSE(beside->plugin);
}

TEST(ClusterAccess, PassesTheClusterToAPluginOnRequest) {
  const TempTree tree;
  const auto access = Load(
      tree, OneContext("server: https://h/x/\n    tls-server-name: n\n    proxy-url: http://p:1\n"
                       "    extensions: [{name: client.authentication.k8s.io/exec, extension: "
                       "{id: 5}}]",
                       kPlugin));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->plugin_cluster.ToJson(),
            R"({"server":"https://h/x","tls-server-name":"n","proxy-url":"http://p:1",)"
            R"("config":{"id":5}})");
  ExpectError(Load(tree, OneContext("{server: https://h, proxy-url: p:1}", kPlugin)),
              ErrorCode::kInvalidArgument, "proxy-url: expected http://");
}

TEST(PodAccount, ReadsItsFolder) {
  const TempTree tree;
  const Authority authority;
  tree.Write("token", "abc");
  tree.Write("ca.crt", authority.Pem());
  tree.Write("namespace", "team\n");
  std::map<std::string, std::string> environment{{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                                 {"KUBERNETES_SERVICE_PORT", "443"}};
  const auto access = kube::InClusterAccess(PosixFileSystem(), environment, tree.path());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->name_space, "team");
  EXPECT_EQ(access->token_file, tree / "token");
  EXPECT_EQ(access->ca_pem, authority.Pem());
}

TEST(PodAccount, ReportsItsAbsence) {
  const TempTree tree;
  ExpectError(kube::InClusterAccess(PosixFileSystem(), {}, tree.path()),
              ErrorCode::kFailedPrecondition, "does not run in a pod", "kubeconfig");
  ExpectError(kube::InClusterAccess(
                  PosixFileSystem(),
                  {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}},
                  tree.path()),
              ErrorCode::kFailedPrecondition, "the pod has none");
}

}  // namespace
}  // namespace kinetic::test
