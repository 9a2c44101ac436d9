#include "gcs/protocol.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::gcs {
namespace {

Error ErrorFor(int status, std::string body) {
  http::Request request;
  request.url = "https://storage.googleapis.com/storage/v1/b/my-bucket/o/x?upload_id=hidden";
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  return ErrorFromResponse(request, response);
}

TEST(GcsError, DenialOfAPodHasTheCommandThatGrants) {
  const Error error =
      ErrorFor(403, R"({"error":{"code":403,"message":"my-project.svc.id.goog does not have )"
                    R"(storage.objects.get access to the Google Cloud Storage object."}})");
  EXPECT_EQ(error.hint,
            "the pod's service account has no access; to grant it: kinetic doctor --fix");
}

TEST(GcsError, DenialNamesAccountPermissionAndCommand) {
  const Error error =
      ErrorFor(403, R"({"error":{"code":403,"message":"ana@x.org does not have )"
                    R"(storage.objects.create access to the Google Cloud Storage object."}})");
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_NE(error.message.find("ana@x.org does not have storage.objects.create"),
            std::string::npos);
  EXPECT_EQ(error.hint,
            "gcloud storage buckets add-iam-policy-binding gs://my-bucket --member=user:ana@x.org "
            "--role=roles/storage.objectUser");
  EXPECT_EQ(error.message.find("hidden"), std::string::npos);
}

TEST(GcsError, DistinguishesServiceAccountsAndReaders) {
  const Error error =
      ErrorFor(403, R"({"error":{"message":"r@p.iam.gserviceaccount.com does not have )"
                    R"(storage.objects.list access"}})");
  EXPECT_NE(error.hint.find(
                "serviceAccount:r@p.iam.gserviceaccount.com --role=roles/storage.objectViewer"),
            std::string::npos)
      << error.hint;
}

TEST(GcsError, AcceptsBodiesThatAreNotJson) {
  EXPECT_NE(ErrorFor(404, "Not Found").message.find("404 Not Found"), std::string::npos);
  EXPECT_EQ(ErrorFor(502, "<html>long</html>").message.find("html"), std::string::npos);
  EXPECT_EQ(ErrorFor(502, "").code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorFor(404, "").code, ErrorCode::kNotFound);
  EXPECT_EQ(ErrorFor(429, "").code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(ErrorFor(418, "").code, ErrorCode::kInternal);
}

struct Case {
  int status;
  const char* body;
  ErrorCode code;
  const char* hint;  ///< part of it
};

/// Bodies as Cloud Storage sends them.
const std::vector<Case> kCases = {
    {403,
     R"({"error":{"message":"Cloud Storage JSON API has not been used in project 1 before or it is )"
     R"(disabled.","errors":[{"reason":"accessNotConfigured","domain":"usageLimits"}]}})",
     ErrorCode::kPermissionDenied, "gcloud services enable storage.googleapis.com"},
    {403,
     R"({"error":{"message":"disabled","details":[{"@type":"type.googleapis.com/google.rpc.)"
     R"(ErrorInfo","reason":"SERVICE_DISABLED"}]}})",
     ErrorCode::kPermissionDenied, "gcloud services enable storage.googleapis.com"},
    {403,
     R"({"error":{"message":"The billing account for the owning project is disabled in state )"
     R"(absent","errors":[{"reason":"accountDisabled"}]}})",
     ErrorCode::kPermissionDenied, "enable billing"},
    {403,
     R"({"error":{"message":"The project to be billed is associated with a closed billing account.",)"
     R"("errors":[{"reason":"forbidden"}]}})",
     ErrorCode::kPermissionDenied, "enable billing"},
    {403,
     R"({"error":{"message":"ana@x.org does not have serviceusage.services.use access to the )"
     R"(Google Cloud project.","errors":[{"reason":"forbidden"}]}})",
     ErrorCode::kPermissionDenied, "roles/serviceusage.serviceUsageConsumer"},
    {403, R"({"error":{"message":"no","errors":[{"reason":"userProjectAccessDenied"}]}})",
     ErrorCode::kPermissionDenied, "--user-project"},
    {403,
     R"({"error":{"message":"Caller does not have required permission to use project p.",)"
     R"("details":[{"reason":"USER_PROJECT_DENIED"}]}})",
     ErrorCode::kPermissionDenied, "--quota-project"},
    {403,
     R"({"error":{"message":"Request is prohibited by organization's policy. )"
     R"(vpcServiceControlsUniqueIdentifier: abc","errors":[{"reason":"vpcServiceControls"}]}})",
     ErrorCode::kPermissionDenied, "VPC Service Controls"},
    {403,
     R"({"error":{"message":"Request is prohibited by organization's policy.",)"
     R"("details":[{"reason":"SECURITY_POLICY_VIOLATED"}]}})",
     ErrorCode::kPermissionDenied, "VPC Service Controls"},
    {403,
     R"({"error":{"message":"Insufficient Permission","errors":[{"reason":)"
     R"("insufficientPermissions"}]}})",
     ErrorCode::kPermissionDenied, "scopes"},
    {403,
     R"({"error":{"message":"Request had insufficient authentication scopes.",)"
     R"("details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}})",
     ErrorCode::kPermissionDenied, "scopes"},
    {403,
     R"({"error":{"message":"ana@x.org does not have storage.objects.get access","errors":)"
     R"([{"reason":"insufficientPermissions"}]}})",
     ErrorCode::kPermissionDenied, "roles/storage.objectViewer"},
    {403,
     R"({"error":{"message":"Object 'b/o' is subject to bucket's retention policy and cannot be )"
     R"(deleted until 2027","errors":[{"reason":"retentionPolicyNotMet"}]}})",
     ErrorCode::kPermissionDenied, "retention policy"},
    {403, R"({"error":{"message":"held","errors":[{"reason":"objectUnderActiveHold"}]}})",
     ErrorCode::kPermissionDenied, "release the hold"},
    {403,
     R"({"error":{"message":"Object 'b/o' is under active Temporary hold and cannot be deleted, )"
     R"(overwritten or archived until hold is removed.","errors":[{"reason":"forbidden"}]}})",
     ErrorCode::kPermissionDenied, "release the hold"},
    {403,
     R"({"error":{"message":"Permission denied on Cloud KMS key. Please ensure that your Cloud )"
     R"(Storage service account has been authorized to use this key.","errors":)"
     R"([{"reason":"forbidden"}]}})",
     ErrorCode::kPermissionDenied, "cloudkms.cryptoKeyEncrypterDecrypter"},
    {400,
     R"({"error":{"message":"Cloud KMS Key Version projects/p/locations/l is disabled.","errors":)"
     R"([{"reason":"invalid"}]}})",
     ErrorCode::kFailedPrecondition, "check that the key is enabled"},
    {412,
     R"({"error":{"message":"'us-east1' violates constraint 'constraints/gcp.resourceLocations'",)"
     R"("errors":[{"reason":"orgPolicyConstraintFailed"}]}})",
     ErrorCode::kFailedPrecondition, "organization policy"},
    {407, "", ErrorCode::kUnauthenticated, "the proxy URL"},
    {302, "", ErrorCode::kUnavailable, "proxy settings"},
    {403, R"({"error":{"message":"slow","errors":[{"reason":"rateLimitExceeded"}]}})",
     ErrorCode::kUnavailable, "request rate"},
    {403, R"({"error":{"message":"slow","errors":[{"reason":"userRateLimitExceeded"}]}})",
     ErrorCode::kUnavailable, "request rate"},
    {400,
     R"({"error":{"message":"Bucket is a requester pays bucket but no user project provided.",)"
     R"("errors":[{"reason":"required"}]}})",
     ErrorCode::kFailedPrecondition, "--user-project"},
    {400, R"({"error":{"message":"bad","errors":[{"reason":"userProjectInconsistent"}]}})",
     ErrorCode::kFailedPrecondition, "--user-project"},
    {400, R"({"error":{"message":"bad","errors":[{"reason":"invalid"}]}})",
     ErrorCode::kInvalidArgument, ""},
    {401, "", ErrorCode::kUnauthenticated, "auth status"},
    {431, "", ErrorCode::kFailedPrecondition, "too large"},
    {501, "", ErrorCode::kUnimplemented, ""},
};

TEST(GcsError, HintFollowsTheReason) {
  for (const Case& each : kCases) {
    const Error error = ErrorFor(each.status, each.body);
    EXPECT_EQ(error.code, each.code) << each.body;
    EXPECT_NE(error.hint.find(each.hint), std::string::npos) << each.body << "\n" << error.hint;
  }
}

TEST(GcsError, TellsALongWait) {
  for (const int status : {429, 503, 403}) {
    http::Response response;
    response.status = status;
    response.headers = {{"Retry-After", "3600"}};
    const Error error = ErrorFromResponse({}, response);
    EXPECT_EQ(error.message.find("retry"), std::string::npos) << "http::Backoff tells it";
    EXPECT_EQ(error.hint, "try again in 60 minutes");
  }
}

TEST(GcsError, NamesTheTargetOfARedirect) {
  for (const int status : {301, 302, 303, 307, 308}) {
    http::Response response;
    response.status = status;
    response.headers = {{"Location", "https://login.example/?token=hidden"}};
    const Error error = ErrorFromResponse({}, response);
    EXPECT_NE(error.message.find("a redirect to https://login.example/"), std::string::npos)
        << error.message;
    EXPECT_EQ(error.message.find("hidden"), std::string::npos) << error.message;
    EXPECT_NE(error.code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace kinetic::gcs
