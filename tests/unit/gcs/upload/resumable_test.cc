#include "gcs/upload/resumable.h"

#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

const std::string kLarge(9U << 20, 'x');
/// The size without the last piece.
constexpr std::size_t kFirstBytes = (9U << 20) - (256U << 10);
const http::Headers kAllButTheLast{{"Range", "bytes=0-9175039"}};
const http::Headers kSession{{"Location", "https://storage.googleapis.com/s?upload_id=hidden"}};

class ResumableUploadTest : public GcsTest {
 protected:
  Result<std::optional<gcs::Object>> Insert() {
    return client_.Insert("big", Body(kLarge), {.if_generation = 0}, {});
  }
  std::string RangeOf(std::size_t request) const {
    return std::string(transport_.sent().at(request).headers.Get("Content-Range").value_or(""));
  }
};

TEST_F(ResumableUploadTest, SendsTheChecksumWithTheLastPiece) {
  transport_.Answer(200, "", kSession)
      .Answer(308, "", kAllButTheLast)
      .Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ((*object)->size_bytes, kLarge.size());
  EXPECT_EQ(RangeOf(1), "bytes 0-9175039/9437184");
  EXPECT_EQ(transport_.sent().at(1).body.size(), kFirstBytes);
  EXPECT_EQ(RangeOf(2), "bytes 9175040-9437183/9437184");
  EXPECT_EQ(transport_.sent().at(2).headers.Get("X-Goog-Hash"),
            "crc32c=" + Crc32c().Update(kLarge).Base64());
}

TEST_F(ResumableUploadTest, ResumesAtTheServersOffset) {
  transport_.Answer(200, "", kSession)
      .Fail(Reset())
      .Answer(308, "", {{"Range", "bytes=0-1048575"}})
      .Answer(308, "", kAllButTheLast)
      .Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(RangeOf(2), "bytes */9437184");
  EXPECT_EQ(RangeOf(3), "bytes 1048576-9175039/9437184");
  EXPECT_EQ(transport_.sent().at(3).body.size(), kFirstBytes - (1U << 20));
  EXPECT_EQ(transport_.sent().at(4).headers.Get("X-Goog-Hash"),
            "crc32c=" + Crc32c().Update(kLarge).Base64());
}

TEST_F(ResumableUploadTest, RestartsIfNothingIsStored) {
  transport_.Answer(200, "", kSession).Answer(503).Answer(308).Answer(200, Resource("big", kLarge));
  ASSERT_TRUE(Insert());
  EXPECT_EQ(RangeOf(3), "bytes 0-9175039/9437184");
}

TEST_F(ResumableUploadTest, RecognizesALostResponse) {
  transport_.Answer(200, "", kSession).Fail(Reset()).Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(*object);
  EXPECT_TRUE(transport_.Done());
}

TEST_F(ResumableUploadTest, StartsANewSessionAfterExpiry) {
  transport_.Answer(200, "", kSession)
      .Answer(503)
      .Answer(410)
      .Answer(200, "", kSession)
      .Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(*object);
}

TEST_F(ResumableUploadTest, ReturnsNulloptIfTheObjectExists) {
  transport_.Answer(200, "", kSession).Answer(412).Answer(404);
  const auto object = Insert();
  ASSERT_TRUE(object);
  EXPECT_FALSE(*object);
}

TEST_F(ResumableUploadTest, RemovesAndResendsOnChecksumMismatch) {
  transport_.Answer(200, "", kSession).Answer(200, Resource("big", "something else")).Answer(204);
  transport_.Answer(200, "", kSession).Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(*object);
  EXPECT_EQ(transport_.sent().at(2).method, "DELETE");
  EXPECT_NE(transport_.sent().at(2).url.find("ifGenerationMatch=7"), std::string::npos);
}

TEST_F(ResumableUploadTest, ReportsRepeatedChecksumMismatch) {
  for (int i = 0; i < 3; ++i) {
    transport_.Answer(200, "", kSession).Answer(308, "", kAllButTheLast).Answer(400, "no");
  }
  const auto object = Insert();
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kDataLoss) << object.error().message;
}

TEST_F(ResumableUploadTest, RestartsAfterLostBytes) {
  transport_.Answer(200, "", kSession)
      .Fail(Reset())
      .Answer(308, "", {{"Range", "bytes=0-2097151"}})
      .Fail(Reset())
      .Answer(308, "", {{"Range", "bytes=0-99"}});
  transport_.Answer(200, "", kSession).Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(transport_.Done());
}

TEST_F(ResumableUploadTest, HonorsRetryAfter) {
  const SteadyTime begin = clock_.Steady();
  transport_.Answer(200, "", kSession)
      .Answer(429, "", {{"Retry-After", "70"}})
      .Answer(308)
      .Answer(200, Resource("big", kLarge));
  ASSERT_TRUE(Insert());
  EXPECT_GE(clock_.Steady() - begin, std::chrono::seconds(70));
}

TEST_F(ResumableUploadTest, RetriesWithoutLimitWhileProgressing) {
  transport_.Answer(200, "", kSession);
  for (int i = 1; i < 30; ++i) {
    transport_.Fail(Reset()).Answer(308, "",
                                    {{"Range", "bytes=0-" + std::to_string(i * (256 << 10) - 1)}});
  }
  transport_.Answer(200, Resource("big", kLarge));
  const auto object = Insert();
  ASSERT_TRUE(object) << object.error().message;
}

TEST_F(ResumableUploadTest, StaysOnTheEndpointsHost) {
  for (const char* elsewhere : {"https://evil.example/s?upload_id=hidden",
                                "http://storage.googleapis.com/s?upload_id=hidden",
                                "https://storage.googleapis.com@evil.example/s?upload_id=hidden"}) {
    ScriptedTransport transport;
    transport.Answer(200, "", {{"Location", elsewhere}});
    const gcs::Client client(transport, clock_, "bucket");
    const auto object = client.Insert("big", Body(kLarge), {.if_generation = 0}, {});
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().code, ErrorCode::kPermissionDenied) << object.error().message;
    EXPECT_NE(object.error().message.find("another host"), std::string::npos);
    EXPECT_EQ(object.error().message.find("hidden"), std::string::npos) << object.error().message;
    EXPECT_EQ(transport.sent().size(), 1U) << "sent to " << elsewhere;
  }
}

TEST_F(ResumableUploadTest, StartsANewSessionInsteadOfASavedOneOnAnotherHost) {
  const gcs::Sender sender(transport_, clock_, {});
  gcs::ResumableUpload upload(sender, "https://storage.googleapis.com/upload", Value(Value::Map{}),
                              {});
  upload.Resume("https://evil.example/s");
  transport_.Answer(200, "", kSession).Answer(200, Resource("big", kLarge));
  ASSERT_TRUE(upload.Send(Body(kLarge), {}));
  for (const auto& sent : transport_.sent()) {
    EXPECT_TRUE(sent.url.starts_with("https://storage.googleapis.com/")) << sent.url;
  }
}

TEST_F(ResumableUploadTest, ErrorsOmitTheSession) {
  transport_.Answer(200, "", kSession);
  for (int i = 0; i < 40; ++i) transport_.Answer(503, "busy");
  const auto object = Insert();
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message.find("hidden"), std::string::npos) << object.error().message;
}

}  // namespace
}  // namespace kinetic::test
