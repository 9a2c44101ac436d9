#include "oci/registry/repository.h"

#include "oci/format/reference.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::FakeClock;
using kinetic::test::ScriptedTransport;

constexpr const char* kAppUrl = "https://registry.example/v2/team/app";

class RepositoryTest : public testing::Test {
 protected:
  static Descriptor Blob(const std::string& bytes) {
    return {media_type::kLayer, Sha256::Of(bytes), bytes.size()};
  }
  Result<bool> Upload(const std::string& bytes) {
    return repository_.UploadBlob(Blob(bytes), std::make_shared<http::BytesBody>(bytes), {});
  }
  Status Read(const Descriptor& blob) {
    read_.clear();
    const auto sink = [&](std::string_view piece) -> Status {
      read_ += piece;
      return {};
    };
    return repository_.ReadBlob(blob, sink, {});
  }
  ScriptedTransport& StartUpload(
      const std::string& location = "/v2/team/app/blobs/uploads/1?_state=x") {
    return script_.Answer(202, "", {{"Location", location}});
  }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }

  /// Returns "HEAD /blobs/…" for each request, with shortened digests.
  std::vector<std::string> Sent() const {
    std::vector<std::string> all;
    for (const auto& sent : script_.sent()) all.push_back(sent.method + " " + sent.url);
    return all;
  }

  ScriptedTransport script_;
  FakeClock clock_;
  Repository repository_{script_, clock_, ResolveRegistry("registry.example", false), "team/app"};
  std::string read_;
};

TEST_F(RepositoryTest, UploadsAMissingBlob) {
  script_.Answer(404);
  StartUpload().Answer(201);
  const auto sent = Upload("hello");
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(*sent);
  const std::string digest = DigestString(Sha256::Of("hello"));
  const std::string encoded = "sha256%3A" + Sha256::Of("hello").Hex();
  EXPECT_EQ(Sent(), (std::vector<std::string>{std::string("HEAD ") + kAppUrl + "/blobs/" + encoded,
                                              std::string("POST ") + kAppUrl + "/blobs/uploads/",
                                              std::string("PUT ") + kAppUrl +
                                                  "/blobs/uploads/1?_state=x&digest=" + encoded}));
  EXPECT_EQ(script_.sent()[2].body, "hello");
}

TEST_F(RepositoryTest, SkipsAnExistingBlob) {
  script_.Answer(200);
  const auto sent = Upload("hello");
  ASSERT_TRUE(sent);
  EXPECT_FALSE(*sent);
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryTest, ChecksAgainAfterALostResponse) {
  script_.Answer(404);
  StartUpload().Fail(Reset()).Answer(200);
  const auto sent = Upload("hello");
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(*sent);
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryTest, RestartsAfterTransientErrors) {
  script_.Answer(404).Answer(429, "", {{"Retry-After", "3"}});
  script_.Answer(404);
  StartUpload().Answer(500);
  script_.Answer(404);
  StartUpload().Answer(404, R"({"errors":[{"code":"BLOB_UPLOAD_UNKNOWN"}]})");
  script_.Answer(404);
  StartUpload("https://uploads.example/2").Answer(201);
  const auto sent = Upload("hello");
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(script_.sent().back().url,
            "https://uploads.example/2?digest=sha256%3A" + Sha256::Of("hello").Hex());
  EXPECT_GE(clock_.Steady().time_since_epoch(), std::chrono::seconds(3));
}

TEST_F(RepositoryTest, StopsAfterTheLastAttempt) {
  for (int i = 0; i < 8; ++i) {
    script_.Answer(404);
    StartUpload().Answer(503);
  }
  const auto sent = Upload("hello");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(sent.error().message.starts_with("uploading sha256:")) << sent.error().message;
  EXPECT_NE(sent.error().message.find(
                " to registry.example/team/app: registry.example responded with 503"),
            std::string::npos);
  EXPECT_NE(sent.error().message.find("after 8 attempts"), std::string::npos);
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryTest, DoesNotRetryRejections) {
  script_.Answer(404).Answer(403);
  EXPECT_EQ(Upload("hello").error().code, ErrorCode::kPermissionDenied);
  script_.Answer(404).Answer(404, R"({"errors":[{"code":"NAME_UNKNOWN"}]})");
  EXPECT_EQ(Upload("hello").error().code, ErrorCode::kNotFound);
  script_.Answer(404);
  StartUpload().Answer(400, R"({"errors":[{"code":"DIGEST_INVALID"}]})");
  EXPECT_EQ(Upload("hello").error().code, ErrorCode::kDataLoss);
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryTest, RejectsUploadUrlsWithoutTls) {
  for (const char* place :
       {"http://registry.example/v2/team/app/blobs/uploads/1", "", "uploads/1"}) {
    script_.Answer(404);
    StartUpload(place);
    EXPECT_FALSE(Upload("hello")) << place;
    EXPECT_TRUE(script_.Done());
  }
}

TEST_F(RepositoryTest, VerifiesABlob) {
  script_.Answer(200, "hello");
  EXPECT_TRUE(Read(Blob("hello")));
  EXPECT_EQ(read_, "hello");
  for (const char* other : {"hellO", "hell", "hello!"}) {
    script_.Answer(200, other);
    const Status read = Read(Blob("hello"));
    ASSERT_FALSE(read) << other;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_TRUE(read.error().message.starts_with("reading sha256:2cf24"));
  }
}

TEST_F(RepositoryTest, ResumesALostDownload) {
  script_.Cut("hel", Reset());
  script_.Answer(206, "lo");
  EXPECT_TRUE(Read(Blob("hello")));
  EXPECT_EQ(read_, "hello");
  EXPECT_EQ(script_.sent()[1].headers.Get("range"), "bytes=3-");

  script_.Cut("hel", Reset());
  script_.Answer(200, "hello");  // a registry without range support
  EXPECT_TRUE(Read(Blob("hello")));
  EXPECT_EQ(read_, "hello");
}

TEST_F(RepositoryTest, ReportsAMissingBlob) {
  script_.Answer(404, R"({"errors":[{"code":"BLOB_UNKNOWN"}]})");
  EXPECT_EQ(Read(Blob("hello")).error().code, ErrorCode::kNotFound);
}

TEST_F(RepositoryTest, FindsAManifestByItsTag) {
  script_.Answer(200, "", {{"Docker-Content-Digest", DigestString(Sha256::Of("{}"))}});
  EXPECT_EQ(**repository_.FindManifest("1.0", {}), Sha256::Of("{}"));
  EXPECT_EQ(Sent()[0], std::string("HEAD ") + kAppUrl + "/manifests/1.0");
  const std::string accepted(script_.sent()[0].headers.Get("accept").value_or(""));
  for (const auto type : {media_type::kManifest, media_type::kIndex, media_type::kDockerManifest,
                          media_type::kDockerIndex}) {
    EXPECT_NE(accepted.find(type), std::string::npos);
  }
  script_.Answer(200).Answer(200, "{}");  // a registry that sends no digest
  EXPECT_EQ(**repository_.FindManifest("1.0", {}), Sha256::Of("{}"));
  script_.Answer(404);
  EXPECT_EQ(*repository_.FindManifest("1.0", {}), std::nullopt);
  script_.Answer(403);
  EXPECT_EQ(repository_.FindManifest("1.0", {}).error().code, ErrorCode::kPermissionDenied);
}

TEST_F(RepositoryTest, VerifiesAManifest) {
  const std::string digest = DigestString(Sha256::Of("{}"));
  script_.Answer(200, "{}", {{"Content-Type", std::string(media_type::kManifest)}});
  const auto read = repository_.ReadManifest(digest, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->bytes, "{}");
  EXPECT_EQ(read->media_type, media_type::kManifest);
  script_.Answer(200, "{ }");
  EXPECT_EQ(repository_.ReadManifest(digest, {}).error().code, ErrorCode::kDataLoss);
}

TEST_F(RepositoryTest, StoresAManifest) {
  script_.Answer(503).Fail(Reset());
  script_.Answer(201, "", {{"Docker-Content-Digest", DigestString(Sha256::Of("{}"))}});
  const Status stored = repository_.PutManifest(media_type::kManifest, "{}", "1.0", {});
  EXPECT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(Sent()[2], std::string("PUT ") + kAppUrl + "/manifests/1.0");
  EXPECT_EQ(script_.sent()[2].body, "{}");
  EXPECT_EQ(script_.sent()[2].headers.Get("content-type"), media_type::kManifest);
  script_.Answer(201, "", {{"Docker-Content-Digest", DigestString(Sha256::Of("{ }"))}});
  EXPECT_EQ(repository_.PutManifest(media_type::kManifest, "{}", "1.0", {}).error().code,
            ErrorCode::kDataLoss);
}

TEST(ParseDigest, AcceptsSha256Only) {
  EXPECT_EQ(ParseDigest(DigestString(Sha256::Of("x"))), Sha256::Of("x"));
  for (const char* none : {"", "sha256:", "sha256:12", "sha512:12", "latest"}) {
    EXPECT_FALSE(ParseDigest(none)) << none;
  }
}

}  // namespace
}  // namespace kinetic::oci
