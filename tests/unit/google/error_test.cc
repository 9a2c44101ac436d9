#include "google/error.h"

#include "google/api/services.h"

#include <gmock/gmock.h>

namespace kinetic::google {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Service kService{"cloudbuild.googleapis.com", "ask for a role"};

Error Of(int status, std::string body) {
  http::Request request;
  request.method = "POST";
  request.url = "https://cloudbuild.googleapis.com/v1/projects/p/builds?access_token=hidden";
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  return ToError(kService, request, response);
}

TEST(GcpError, IncludesTheServicesMessageWithoutCredentials) {
  const Error error = Of(404, R"({"error":{"code":404,"message":"Requested entity was not found.",)"
                              R"("status":"NOT_FOUND"}})");
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("404 Requested entity was not found."));
  EXPECT_THAT(error.message, Not(HasSubstr("hidden")));
}

TEST(GcpError, DisabledServiceHasTheCommandThatEnablesIt) {
  const Error error =
      Of(403, R"({"error":{"code":403,"message":"Cloud Build API has not been used in project 12",)"
              R"("status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/)"
              R"(google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo",)"
              R"("reason":"SERVICE_DISABLED","domain":"googleapis.com","metadata":)"
              R"({"service":"cloudbuild.googleapis.com","consumer":"projects/12"}}]}})");
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.message, "cloudbuild.googleapis.com is not enabled in project 12");
  EXPECT_EQ(error.hint, "gcloud services enable cloudbuild.googleapis.com --project=12");
}

TEST(GcpError, NotFoundIsBelievedOfTheApiOnly) {
  EXPECT_EQ(Of(404, R"({"error":{"code":404,"message":"Not found: projects/p"}})").code,
            ErrorCode::kNotFound);
  EXPECT_EQ(Of(404, "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>").code,
            ErrorCode::kUnavailable);
  EXPECT_EQ(Of(404, "").code, ErrorCode::kUnavailable);
}

TEST(GcpError, DisabledServiceMayBeAnotherOne) {
  const Error error =
      Of(403, R"({"error":{"code":403,"message":"Compute Engine API has not been used","status":)"
              R"("PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/)"
              R"(google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","metadata":)"
              R"({"service":"compute.googleapis.com"}}]}})");
  EXPECT_EQ(error.message, "compute.googleapis.com is not enabled in the project");
  EXPECT_EQ(error.hint, "gcloud services enable compute.googleapis.com");
}

TEST(GcpError, UserCredentialNeedsQuotaProject) {
  const Error error = Of(
      403, R"({"error":{"code":403,"message":"Your application is authenticating by using local )"
           R"(Application Default Credentials. The cloudbuild.googleapis.com API requires a quota )"
           R"(project, which is not set by default.","status":"PERMISSION_DENIED","details":[)"
           R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED",)"
           R"("metadata":{"service":"cloudbuild.googleapis.com","consumer":"projects/764"}}]}})");
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.hint, "specify your project: --quota-project PROJECT");
}

TEST(GcpError, DenialHasTheRole) {
  EXPECT_EQ(Of(403, R"({"error":{"message":"The caller does not have permission"}})").hint,
            "ask for a role");
  EXPECT_THAT(Of(403, R"({"error":{"message":"caller does not have permission to act as service )"
                      R"(account: projects/p/serviceAccounts/b@p.iam.gserviceaccount.com"}})")
                  .hint,
              HasSubstr("roles/iam.serviceAccountUser"));
}

TEST(GcpError, DistinguishesQuotaErrors) {
  EXPECT_EQ(Of(400, R"({"error":{"message":"Invalid value","status":"INVALID_ARGUMENT"}})").code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Of(400, R"({"error":{"message":"build is done","status":"FAILED_PRECONDITION"}})").code,
            ErrorCode::kFailedPrecondition);
  const Error region =
      Of(400, R"({"error":{"message":"failed precondition: due to quota restrictions, cannot run )"
              R"(builds in this region","status":"FAILED_PRECONDITION"}})");
  EXPECT_EQ(region.code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(region.hint, HasSubstr("region"));
  EXPECT_EQ(Of(429, "").code, ErrorCode::kResourceExhausted);
}

TEST(GcpError, AcceptsBodiesThatAreNotJson) {
  EXPECT_EQ(Of(401, "").code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(Of(409, "[]").code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(Of(502, "<html>long</html>").code, ErrorCode::kUnavailable);
  EXPECT_THAT(Of(502, "<html>long</html>").message, Not(HasSubstr("html")));
  EXPECT_EQ(Of(403, R"({"error":{"details":["text",{"@type":7}]}})").hint, "ask for a role");
}

/// GKE's messages, with its statuses.
TEST(GcpError, RefusalsOfGkeHaveTheirOwnAdvice) {
  const Error quota =
      Of(403, R"({"error":{"code":403,"message":"Insufficient regional quota to )"
              R"(satisfy request: resource \"CPUS\"","status":"PERMISSION_DENIED"}})");
  EXPECT_EQ(quota.code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(quota.hint, HasSubstr("request quota"));
  const Error account =
      Of(400, R"({"error":{"code":400,"message":"The user does not have access to service account )"
              R"(\"nodes@p.iam.gserviceaccount.com\"","status":"INVALID_ARGUMENT"}})");
  EXPECT_THAT(account.hint, HasSubstr("roles/iam.serviceAccountUser"));
}

TEST(ServiceOfUrl, IgnoresTheQuery) {
  EXPECT_EQ(ServiceOfUrl("https://serviceusage.googleapis.com/v1/p:batchGet?names="
                         "services/artifactregistry.googleapis.com/x")
                .name,
            kServiceUsage);
  EXPECT_EQ(ServiceOfUrl("http://127.0.0.1:1/storage.googleapis.com/storage/v1/b").name, kStorage);
  EXPECT_EQ(ServiceOfUrl("https://example.com/").name, "");
}

}  // namespace
}  // namespace kinetic::google
