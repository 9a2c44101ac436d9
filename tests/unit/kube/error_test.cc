#include "kube/error.h"

#include "unit/kube/scripted_client.h"

namespace kinetic::test {
namespace {

using kube::Operation;

class KubeErrorTest : public KubeTest {
 protected:
  static Error Of(int status, const std::string& body, const Operation& operation = Creating()) {
    http::Response response;
    response.status = status;
    response.body = body;
    return kube::ToError(operation, response);
  }
  static Operation Creating() { return {"create", "creating", kube::kJobs, "ml", "kinetic-x"}; }
};

TEST_F(KubeErrorTest, DenialHasTheAccountAndTheCommandThatGrantsPermission) {
  const Error error = Of(
      403,
      Refusal(
          403, "Forbidden",
          R"(jobs.batch is forbidden: User "ana@x.org" cannot create resource "jobs" in API group "batch" in the namespace "ml")"));
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(error.message.starts_with("creating job kinetic-x in namespace ml: jobs.batch is"))
      << error.message;
  EXPECT_EQ(error.hint,
            "kubectl create role kinetic-create-jobs-ana-x-org --verb=create --resource=jobs.batch "
            "--namespace=ml && kubectl create rolebinding kinetic-create-jobs-ana-x-org "
            "--role=kinetic-create-jobs-ana-x-org --user=ana@x.org --namespace=ml");
  EXPECT_EQ(DetailOf(error, "account"), "ana@x.org");
  EXPECT_EQ(DetailOf(error, "verb"), "create");
  EXPECT_EQ(DetailOf(error, "resource"), "jobs.batch");
  EXPECT_EQ(DetailOf(error, "namespace"), "ml");
  EXPECT_EQ(DetailOf(error, "reason"), "Forbidden");
}

TEST_F(KubeErrorTest, BindsAServiceAccountAsOne) {
  const Error error = Of(
      403,
      Refusal(
          403, "Forbidden",
          R"(pods "p" is forbidden: User "system:serviceaccount:ml:trainer" cannot get resource "pods/log" in API group "" in the namespace "ml")"),
      {"get", "reading", kube::kPods, "ml", "p", "log"});
  EXPECT_NE(error.hint.find("--resource=pods/log "), std::string::npos) << error.hint;
  EXPECT_NE(error.hint.find("--serviceaccount=ml:trainer"), std::string::npos) << error.hint;
  EXPECT_TRUE(error.message.starts_with("reading the log of pod p in namespace ml: "))
      << error.message;
}

TEST_F(KubeErrorTest, WatchDenialGrantsListToo) {
  const Error error = Of(
      403,
      Refusal(
          403, "Forbidden",
          R"(nodes is forbidden: User "o'neil" cannot list resource "nodes" in API group "" at the cluster scope)"),
      {"watch", "watching", kube::kNodes});
  EXPECT_EQ(error.hint,
            "kubectl create clusterrole kinetic-list-watch-nodes-o-neil --verb=list,watch "
            "--resource=nodes && kubectl create clusterrolebinding kinetic-list-watch-nodes-o-neil "
            "--clusterrole=kinetic-list-watch-nodes-o-neil --user='o'\\''neil'");
}

TEST_F(KubeErrorTest, AnonymousDenialSuggestsToLogIn) {
  const Error error =
      Of(403, Refusal(403, "Forbidden",
                      R"(forbidden: User "system:anonymous" cannot get path "/version")"));
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_NE(error.hint.find("credential"), std::string::npos) << error.hint;
  EXPECT_EQ(Of(401, Refusal(401, "Unauthorized", "Unauthorized")).code,
            ErrorCode::kUnauthenticated);
}

TEST_F(KubeErrorTest, DistinguishesQuotaAndAdmissionFromRbac) {
  const Error quota = Of(
      403,
      Refusal(
          403, "Forbidden",
          R"(pods "x" is forbidden: exceeded quota: q, requested: cpu=4, used: cpu=0, limited: cpu=2)"));
  EXPECT_EQ(quota.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(quota.hint, "kubectl describe resourcequota --namespace=ml");
  for (
      const char* words :
      {R"(pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true)",
       R"(admission webhook "w.x.io" denied the request: no)",
       R"(jobs "x" is forbidden: unable to create new content in namespace ml because it is being terminated)",
       R"(pods "x" is forbidden: error looking up service account ml/s: serviceaccount "s" not found)"}) {
    EXPECT_EQ(Of(403, Refusal(403, "Forbidden", words)).code, ErrorCode::kFailedPrecondition)
        << words;
  }
  EXPECT_EQ(Of(403, "RBAC: no").code, ErrorCode::kPermissionDenied);
}

TEST_F(KubeErrorTest, DistinguishesUnservedKindsFromMissingObjects) {
  const Operation listing{"list", "listing", kUnservedKind, "ml"};
  const Error missing = Of(404, "404 page not found\n", listing);
  EXPECT_EQ(missing.code, ErrorCode::kUnimplemented);
  EXPECT_NE(missing.hint.find("workloads.kueue.x-k8s.io/v1beta1"), std::string::npos)
      << missing.hint;
  EXPECT_EQ(missing.message, "listing workloads in namespace ml: 404 page not found");
  const std::string not_found = Refusal(404, "NotFound", R"(namespaces "ml" not found)",
                                        R"(,"details":{"name":"ml","kind":"namespaces"})");
  EXPECT_EQ(Of(404, not_found).code, ErrorCode::kNotFound);
  EXPECT_EQ(Of(404, not_found).hint, "kubectl create namespace ml");
}

TEST_F(KubeErrorTest, IncludesCauses) {
  const Error error = Of(
      422,
      Refusal(
          422, "Invalid", "Job.batch \"x\" is invalid",
          R"(,"details":{"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.template"}]})"));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(DetailOf(error, "cause"), "FieldValueRequired: spec.template: Required value");
}

TEST_F(KubeErrorTest, MapsStatusesToCodes) {
  EXPECT_EQ(Of(409, Refusal(409, "AlreadyExists", "x")).code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(Of(409, Refusal(409, "Conflict", "x")).code, ErrorCode::kAborted);
  EXPECT_EQ(Of(410, Refusal(410, "Expired", "x")).code, ErrorCode::kAborted);
  EXPECT_EQ(Of(413, "").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Of(429, "").code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(Of(500, Refusal(500, "InternalError", "x")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(Of(418, "").code, ErrorCode::kInternal);
}

TEST_F(KubeErrorTest, AcceptsBodiesThatAreNotAStatus) {
  EXPECT_EQ(Of(502, "<html>x</html>").message,
            "creating job kinetic-x in namespace ml: the API server responded with status 502");
  EXPECT_NE(Of(503, "no healthy upstream").message.find("no healthy upstream"), std::string::npos);
  for (const char* body : {"[]", "3", R"({"message":3,"details":[],"code":"x"})", "{"}) {
    EXPECT_EQ(Of(500, body).code, ErrorCode::kUnavailable) << body;
  }
}

}  // namespace
}  // namespace kinetic::test
