#include "unit/kube/scripted_client.h"

namespace kinetic::test {
namespace {

using KubeQuestionsTest = KubeTest;

TEST_F(KubeQuestionsTest, ReadsTheServerVersion) {
  transport_.Answer(200, R"({"major":"1","minor":"34+","gitVersion":"v1.34.4-gke.7","x":{}})");
  const auto version = client_.GetServerVersion({});
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->major, 1);
  EXPECT_EQ(version->minor, 34);
  EXPECT_EQ(version->git_version, "v1.34.4-gke.7");
  EXPECT_EQ(transport_.sent().at(0).url, "https://c/version");
}

TEST_F(KubeQuestionsTest, ReportsAServerOfAnotherKind) {
  for (const char* body : {"<html>", "{}", "[]"}) {
    transport_.Answer(200, body);
    const auto version = client_.GetServerVersion({});
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_EQ(version.error().message,
              "reading the cluster's version: https://c is not a Kubernetes API server");
  }
}

TEST_F(KubeQuestionsTest, ChecksAPermission) {
  transport_.Answer(201, R"({"status":{"allowed":true,"reason":"RBAC: x"}})")
      .Answer(201, R"({"status":{"allowed":false,"denied":true}})")
      .Answer(201, "{}");
  const auto yes = client_.CheckPermission({"ml", "get", "", "pods", "log"}, {});
  ASSERT_TRUE(yes) << yes.error().message;
  EXPECT_TRUE(yes->allowed);
  EXPECT_EQ(yes->reason, "RBAC: x");
  EXPECT_EQ(transport_.sent().at(0).url,
            "https://c/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  EXPECT_EQ(transport_.sent().at(0).body,
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",)"
            R"("spec":{"resourceAttributes":{"namespace":"ml","verb":"get","group":"",)"
            R"("resource":"pods","subresource":"log"}}})");
  EXPECT_FALSE(client_.CheckPermission({"ml", "create", "batch", "jobs"}, {})->allowed);
  EXPECT_FALSE(client_.CheckPermission({"", "list", "", "nodes"}, {})->allowed);
}

TEST_F(KubeQuestionsTest, ReturnsTheUserName) {
  transport_.Answer(201, R"({"status":{"userInfo":{"username":"ana@x.org","groups":["g"]}}})")
      .Answer(404, "404 page not found");
  EXPECT_EQ(*client_.GetUserName({}), "ana@x.org");
  EXPECT_EQ(client_.GetUserName({}).error().code, ErrorCode::kUnimplemented);
}

}  // namespace
}  // namespace kinetic::test
