#include "gcs/protocol.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kinetic::gcs
