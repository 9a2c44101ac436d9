#include "unit/kube/kubeconfig/fixture.h"

namespace kinetic::test {
namespace {

using kube::ParseKubeconfig;

const Path kFile = "/home/ana/.kube/config";

constexpr const char* kWhole = R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: prod
contexts:
- name: prod
  context: {cluster: gpu, user: ana, namespace: ml, extensions: [{name: x, extension: {a: 1}}]}
clusters:
- name: gpu
  cluster:
    server: https://10.0.0.1:6443/
    tls-server-name: kubernetes.default
    certificate-authority: pki/ca.crt
    proxy-url: socks5://127.0.0.1:1080
    disable-compression: true
    extensions:
    - name: other
      extension: {a: 1}
    - name: client.authentication.k8s.io/exec
      extension: {audience: me, deep: [1, two]}
users:
- name: ana
  user:
    tokenFile: ../token
    as: root
    as-uid: "7"
    as-groups: [dev, ops]
    as-user-extra: {Reason: [debug]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [--fast, "1"]
      env:
      - {name: REGION, value: eu}
      installHint: get it from us
      provideClusterInfo: true
      interactiveMode: Never
)";

TEST(Kubeconfig, ReadsAllFields) {
  const auto config = ParseKubeconfig(kWhole, kFile);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->current_context, "prod");
  const auto& context = config->contexts.at(0);
  EXPECT_EQ(context.cluster + "/" + context.user + "/" + context.name_space, "gpu/ana/ml");
  const auto& cluster = config->clusters.at(0);
  EXPECT_EQ(cluster.server, "https://10.0.0.1:6443/");
  EXPECT_EQ(cluster.tls_server_name, "kubernetes.default");
  EXPECT_EQ(cluster.authority.file, "/home/ana/.kube/pki/ca.crt");
  EXPECT_EQ(cluster.authority.location.Text(), "/home/ana/.kube/config:14:28");
  EXPECT_EQ(cluster.proxy_url, "socks5://127.0.0.1:1080");
  EXPECT_FALSE(cluster.insecure);
  EXPECT_EQ(cluster.plugin_config.ToJson(), R"({"audience":"me","deep":[1,"two"]})");
  const auto& user = config->users.at(0);
  EXPECT_EQ(user.token_file, "/home/ana/token");
  using Field = std::pair<std::string, std::string>;
  EXPECT_THAT(
      user.impersonation,
      testing::ElementsAre(Field{"Impersonate-User", "root"}, Field{"Impersonate-Uid", "7"},
                           Field{"Impersonate-Group", "dev"}, Field{"Impersonate-Group", "ops"},
                           Field{"Impersonate-Extra-reason", "debug"}));
}

TEST(Kubeconfig, ReadsAPlugin) {
  const auto config = ParseKubeconfig(kWhole, kFile);
  ASSERT_TRUE(config);
  const auto& plugin = config->users.at(0).plugin;
  ASSERT_TRUE(plugin);
  EXPECT_EQ(plugin->command, "/home/ana/.kube/bin/login");
  EXPECT_THAT(plugin->arguments, testing::ElementsAre("--fast", "1"));
  EXPECT_THAT(plugin->environment, testing::ElementsAre(testing::Pair("REGION", "eu")));
  EXPECT_EQ(plugin->api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin->install_hint, "get it from us");
  EXPECT_TRUE(plugin->provide_cluster_info);
  EXPECT_EQ(plugin->interactive, kube::InteractiveMode::kNever);
}

TEST(Kubeconfig, AcceptsJsonAndEmptyFiles) {
  const auto json = ParseKubeconfig(
      R"({"current-context": "c", "clusters": [{"name": "k", "cluster": {"server": "https://h"}}]})",
      kFile);
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(json->clusters.at(0).server, "https://h");
  EXPECT_TRUE(ParseKubeconfig("", kFile));
  EXPECT_TRUE(ParseKubeconfig("clusters: null\nusers:\ncontexts: []\n", kFile));
}

TEST(Kubeconfig, UsesTheLastOfDuplicateKeys) {
  const auto config = ParseKubeconfig("current-context: a\ncurrent-context: b\n", kFile);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->current_context, "b");
}

TEST(Kubeconfig, DecodesBase64WithLineEnds) {
  const auto config = ParseKubeconfig(
      OneContext("certificate-authority-data: \"aGVs\n\n      bG8=\"", "client-key-data: eA=="),
      kFile);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->clusters.at(0).authority.text, "hello");
  EXPECT_EQ(config->users.at(0).key.text, "x");
}

struct Bad {
  const char* text;
  const char* message;
};

class BadKubeconfig : public testing::TestWithParam<Bad> {};

TEST_P(BadKubeconfig, IsRejectedWithItsPosition) {
  ExpectError(ParseKubeconfig(GetParam().text, kFile), ErrorCode::kInvalidArgument,
              std::string("/home/ana/.kube/config:") + GetParam().message, "correct the");
}

INSTANTIATE_TEST_SUITE_P(
    All, BadKubeconfig,
    testing::Values(
        Bad{"a: [1\nb: 2\n", "1:4:"}, Bad{"[]", "1:1: kubeconfig: expected a map, found a list"},
        Bad{"kind: Pod\n", "1:7: kubeconfig: kind: expected Config, found Pod"},
        Bad{"current-context: 7\n",
            "1:18: kubeconfig: current-context: expected a string, found a "
            "number; put it in quotes"},
        Bad{"clusters: {}\n", "1:11: kubeconfig: clusters: expected a list, found a map"},
        Bad{"clusters:\n- name: a\n- name: b\n- name: a\n", "4:3: clusters: duplicate name 'a'"},
        Bad{"clusters: [7]\n", "1:12: clusters: expected a map, found a number"},
        Bad{"clusters:\n- {name: a, cluster: {insecure-skip-tls-verify: yes}}\n",
            "2:49: cluster a: insecure-skip-tls-verify: expected true or false, found yes"},
        Bad{"clusters:\n- name: a\n  cluster:\n    certificate-authority-data: a*b\n",
            "4:33: cluster a: certificate-authority-data: invalid base64"},
        Bad{"users:\n- name: a\n  user: {exec: {apiVersion: client.authentication.k8s.io/v1}}\n",
            "3:16: exec of user a: command: expected a program"},
        Bad{"users:\n- name: a\n  user: {exec: {command: x, apiVersion: "
            "client.authentication.k8s.io/v1alpha1}}\n",
            "3:41: exec of user a: apiVersion: expected client.authentication.k8s.io/v1 or "
            "…/v1beta1, found client.authentication.k8s.io/v1alpha1"},
        Bad{"users:\n- name: a\n  user: {exec: {command: x, apiVersion: "
            "client.authentication.k8s.io/v1}}\n",
            "3:16: exec of user a: interactiveMode: expected Never, IfAvailable or Always, found "
            "nothing"},
        Bad{"users:\n- name: a\n  user: {exec: {command: x, args: [1], interactiveMode: Never, "
            "apiVersion: client.authentication.k8s.io/v1}}\n",
            "3:36: exec of user a: args: expected a string, found a number"},
        Bad{"users:\n- name: a\n  user: {as-user-extra: {k: v}}\n",
            "3:25: user a: as-user-extra: expected lists of strings"}));

TEST(Kubeconfig, InteractiveModeIsOptionalForV1beta1) {
  const auto config = ParseKubeconfig(
      "users:\n- name: a\n  user: {exec: {command: aws, apiVersion: "
      "client.authentication.k8s.io/v1beta1}}\n",
      kFile);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->users.at(0).plugin->interactive, kube::InteractiveMode::kIfAvailable);
  EXPECT_EQ(config->users.at(0).plugin->command, "aws");
}

}  // namespace
}  // namespace kinetic::test
