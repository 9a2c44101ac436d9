#include "integration/kube_harness.h"
#include "kube/object.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>

namespace kinetic::test {
namespace {

using testing::HasSubstr;

Value Json(const std::string& text) { return Value::FromJson(text).value(); }

TEST_F(KubeClusterTest, CreatesReadsAndDeletesObject) {
  const std::string ns = name_space();
  const Value object = ConfigMap("a");
  ASSERT_EQ(client().Get(kConfigMaps, ns, "a", {})->has_value(), false);
  const auto made = client().Create(kConfigMaps, ns, object, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->existed);
  const auto again = client().Create(kConfigMaps, ns, object, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->object, made->object);
  const std::string uid(kube::UidOf(made->object));
  EXPECT_EQ(*client().Delete(kConfigMaps, ns, "a", {.uid = "another"}, {}), false);
  EXPECT_EQ(*client().Delete(kConfigMaps, ns, "a", {.uid = uid}, {}), true);
  EXPECT_EQ(*client().Delete(kConfigMaps, ns, "a", {.uid = uid}, {}), false);
}

TEST_F(KubeClusterTest, ChangesObjectByMergePatch) {
  const std::string ns = name_space();
  ASSERT_TRUE(client().Create(kConfigMaps, ns, ConfigMap("a"), {}));
  const auto change = [&](const std::string& patch) {
    const auto changed = client().Patch(kConfigMaps, ns, "a", Json(patch), {});
    if (!changed) return "error: " + changed.error().message;
    return std::string(kube::TextAt(**changed, {"data", "text"}));
  };
  EXPECT_EQ(change(R"({"data":{"text":"m"}})"), "m");
  EXPECT_THAT(change(R"({"data":{"text":3}})"), HasSubstr("error: changing"));
  const auto stale =
      client().Patch(kConfigMaps, ns, "a", Json(R"({"metadata":{"resourceVersion":"1"}})"), {});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::kAborted);
}

TEST_F(KubeClusterTest, ReportsRejection) {
  const std::string ns = name_space();
  Value odd = ConfigMap("a");
  odd.Set("dta", "x");
  const auto unknown = client().Create(kConfigMaps, ns, odd, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(unknown.error().message, HasSubstr("unknown field \"dta\""));
  const auto nowhere = client().Create(
      kConfigMaps, "no-such-place",
      Json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"), {});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(nowhere.error().hint, "kubectl create namespace no-such-place");
  const auto no_kueue =
      client().Get(kube::Resource{"kueue.x-k8s.io", "v1beta1", "workloads"}, ns, "a", {});
  ASSERT_FALSE(no_kueue);
  EXPECT_EQ(no_kueue.error().code, ErrorCode::kUnimplemented);
  const auto invalid = client().Create(kConfigMaps, ns, ConfigMap("NOT A NAME"), {});
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(
      invalid.error().details,
      testing::Contains(testing::Pair("cause", HasSubstr("FieldValueInvalid: metadata.name"))));
}

TEST_F(KubeClusterTest, DistinguishesAdmissionFromRbac) {
  const std::string ns = name_space();
  cluster().Kubectl({"label", "namespace", ns, "pod-security.kubernetes.io/enforce=restricted"});
  cluster().Kubectl({"create", "quota", "q", "-n", ns, "--hard=configmaps=2"});
  const auto pod = client().Create(
      kube::kPods, ns,
      Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[)"
           R"({"name":"c","image":"i"}]}})"),
      {});
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code, ErrorCode::kFailedPrecondition) << pod.error().message;
  EXPECT_THAT(pod.error().message, HasSubstr("violates PodSecurity"));
  Result<kube::Client::CreateResult> last = kube::Client::CreateResult{};
  for (int i = 0; i < 4 && last; ++i) {
    last = client().Create(kConfigMaps, ns, ConfigMap("c" + std::to_string(i)), {});
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::kResourceExhausted) << last.error().message;
}

TEST_F(KubeClusterTest, DenialNamesMissingRule) {
  const std::string ns = name_space();
  cluster().Kubectl({"create", "serviceaccount", "trainer", "-n", ns});
  std::string token = cluster().Kubectl({"create", "token", "trainer", "-n", ns});
  const auto plain = MakeTransport(false);
  TokenTransport shown(*plain, token);
  const kube::Client trainer(shown, SystemClock(), Options(cluster().server()));
  const std::string account = "system:serviceaccount:" + ns + ":trainer";
  EXPECT_EQ(trainer.GetUserName({}).value_or("?"), account);
  EXPECT_FALSE(trainer.CheckPermission({ns, "create", "", "configmaps"}, {})->allowed);
  const auto denied = trainer.Create(kConfigMaps, ns, ConfigMap("a"), {});
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(denied.error().details, testing::Contains(testing::Pair("account", account)));
  const std::string hint = denied.error().hint;
  ASSERT_EQ(std::system(("PATH=" + cluster().kubectl().parent_path().string() +
                         ":$PATH KUBECONFIG=" + cluster().kubeconfig().string() + " sh -c \"" +
                         hint + "\" >/dev/null")
                            .c_str()),
            0)
      << hint;
  EXPECT_TRUE(trainer.CheckPermission({ns, "create", "", "configmaps"}, {})->allowed);
  const auto allowed = trainer.Create(kConfigMaps, ns, ConfigMap("a"), {});
  EXPECT_TRUE(allowed) << allowed.error().message;
  const auto nodes = trainer.List(kube::kNodes, "", {}, [](const Value&) { return Status(); }, {});
  ASSERT_FALSE(nodes);
  EXPECT_THAT(nodes.error().hint, HasSubstr("kubectl create clusterrole"));
}

TEST_F(KubeClusterTest, ReadsServerVersion) {
  const auto version = client().GetServerVersion({});
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->major, 1);
  EXPECT_GE(version->minor, 29);
  EXPECT_TRUE(version->git_version.starts_with("v1."));
  EXPECT_EQ(client().GetUserName({}).value_or("?"), "admin");
}

TEST_F(KubeClusterTest, ListsPagesAfterContinueTokenExpired) {
  const std::string ns = name_space();
  constexpr int kObjects = 1100;
  std::atomic<int> next{0};
  std::vector<std::jthread> makers;
  for (int i = 0; i < 8; ++i) {
    makers.emplace_back([&] {
      for (int n = next++; n < kObjects; n = next++) {
        EXPECT_TRUE(client().Create(kConfigMaps, ns, ConfigMap("c" + std::to_string(n)), {}));
      }
    });
  }
  makers.clear();
  for (const bool forget : {false, true}) {
    std::set<std::string> names;
    int told = 0;
    const auto listed = client().List(kConfigMaps, ns, {},
                                      [&](const Value& item) -> Status {
                                        if (forget && told == 0) CompactHistory();
                                        ++told;
                                        names.emplace(kube::NameOf(item));
                                        return {};
                                      },
                                      {});
    ASSERT_TRUE(listed) << listed.error().message;
    // Includes the objects that every namespace has.
    EXPECT_EQ(told, kObjects + 1);
    EXPECT_EQ(names.size(), kObjects + 1U);
  }
}

}  // namespace
}  // namespace kinetic::test
