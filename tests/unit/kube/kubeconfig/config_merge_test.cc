#include "unit/kube/kubeconfig/fixture.h"

#include <vector>

namespace kinetic::test {
namespace {

Result<kube::Kubeconfig> ReadConfigs(const std::vector<Path>& paths) {
  return kube::ReadKubeconfig(PosixFileSystem(), paths);
}

TEST(KubeconfigList, UsesTheFirstEntryOfEachName) {
  const TempTree tree;
  const Path first = tree.Write("a/config",
                                "clusters:\n- {name: k, cluster: {server: https://one}}\n"
                                "users:\n- {name: u, user: {tokenFile: token}}\n");
  const Path second =
      tree.Write("b/config",
                 "current-context: two\n"
                 "clusters:\n- {name: k, cluster: {server: https://two, proxy-url: http://p}}\n"
                 "- {name: l, cluster: {server: https://three, certificate-authority: ca.crt}}\n"
                 "users:\n- {name: u, user: {token: other}}\n- {name: v}\n");
  const Path third = tree.Write("c/config", "current-context: three\n");
  const auto config = ReadConfigs({first, second, third});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->current_context, "two");
  ASSERT_EQ(config->clusters.size(), 2U);
  EXPECT_EQ(config->clusters[0].server, "https://one");
  EXPECT_EQ(config->clusters[0].proxy_url, "");
  EXPECT_EQ(config->clusters[1].authority.file, tree / "b/ca.crt");
  ASSERT_EQ(config->users.size(), 2U);
  EXPECT_EQ(config->users[0].token, "");
  EXPECT_EQ(config->users[0].token_file, tree / "a/token");
}

TEST(KubeconfigList, SkipsMissingFiles) {
  const TempTree tree;
  const Path there = tree.Write("config", "current-context: c\n");
  const auto config = ReadConfigs({tree / "nope", "", there, there});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->current_context, "c");
}

TEST(KubeconfigList, RequiresAnExistingFile) {
  const TempTree tree;
  ExpectError(ReadConfigs({tree / "nope"}), ErrorCode::kNotFound,
              "cannot read the kubeconfig " + (tree / "nope").native() + ": no such file",
              "KUBECONFIG");
  ExpectError(ReadConfigs({tree / "a", tree / "b"}), ErrorCode::kNotFound, "no such file");
  ExpectError(ReadConfigs({}), ErrorCode::kNotFound, "no kubeconfig is configured");
}

TEST(KubeconfigList, RejectsAnInvalidFile) {
  const TempTree tree;
  const Path good = tree.Write("good", "current-context: c\n");
  const Path bad = tree.Write("bad", "current-context: [\n");
  ExpectError(ReadConfigs({good, bad}), ErrorCode::kInvalidArgument, bad.native() + ":");
  EXPECT_FALSE(ReadConfigs({good, tree.MakeFolder("folder")}));
}

}  // namespace
}  // namespace kinetic::test
