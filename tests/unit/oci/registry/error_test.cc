#include "oci/registry/repository.h"

#include <gtest/gtest.h>

namespace kinetic::oci {
namespace {

Error ErrorFor(int status, const std::string& body = {}) {
  http::Request request;
  request.method = "PUT";
  request.url = "https://registry.example/v2/team/app/blobs/uploads/1?_state=s3cret";
  http::Response response;
  response.status = status;
  response.body = body;
  return ErrorFromResponse(request, response);
}

TEST(RegistryError, MapsStatusesToCodes) {
  EXPECT_EQ(ErrorFor(404).code, ErrorCode::kNotFound);
  EXPECT_EQ(ErrorFor(401).code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(ErrorFor(403).code, ErrorCode::kPermissionDenied);
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(ErrorFor(status).code, ErrorCode::kUnavailable) << status;
    EXPECT_FALSE(ErrorFor(status).hint.empty()) << status;
  }
  EXPECT_EQ(ErrorFor(400).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorFor(405).code, ErrorCode::kUnimplemented);
  EXPECT_EQ(ErrorFor(409).code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(ErrorFor(413).code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(ErrorFor(507).code, ErrorCode::kResourceExhausted);
}

TEST(RegistryError, IncludesTheRegistrysMessage) {
  const Error error =
      ErrorFor(403, R"({"errors":[{"code":"DENIED","message":"requested access is denied"},)"
                    R"({"code":"UNKNOWN"}]})");
  EXPECT_EQ(error.message,
            "registry.example responded with 403 DENIED: requested access is denied; UNKNOWN");
  EXPECT_EQ(ErrorFor(502, "<html>bad gateway</html>").message,
            "registry.example responded with 502");
  EXPECT_EQ(ErrorFor(404, "page not found\n").message,
            "registry.example responded with 404 page not found");
  EXPECT_EQ(ErrorFor(500, "\x1b[2J").message, "registry.example responded with 500 \\x1b[2J");
}

TEST(RegistryError, DetectsDigestErrors) {
  EXPECT_EQ(ErrorFor(400, R"({"errors":[{"code":"DIGEST_INVALID"}]})").code, ErrorCode::kDataLoss);
}

TEST(RegistryError, OmitsUploadUrls) {
  EXPECT_EQ(ErrorFor(500).message.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::oci
