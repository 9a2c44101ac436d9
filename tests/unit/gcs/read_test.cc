#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

http::Headers HeadersOf(const std::string& content) {
  return {{"x-goog-generation", "7"},
          {"x-goog-metageneration", "2"},
          {"x-goog-stored-content-length", std::to_string(content.size())},
          {"x-goog-hash", "crc32c=" + Crc32c().Update(content).Base64()},
          {"x-goog-hash", "md5=zzz"},
          {"x-goog-meta-name", "n"}};
}

class ReadTest : public GcsTest {
 protected:
  Result<std::optional<gcs::Object>> Read(const gcs::ReadOptions& options = {}) {
    return client_.Read("x", options,
                        [&](std::string_view piece) -> Status {
                          received_ += piece;
                          return {};
                        },
                        {});
  }
  std::string RangeOf(std::size_t request) const {
    return std::string(transport_.sent().at(request).headers.Get("Range").value_or(""));
  }

  std::string received_;
};

TEST_F(ReadTest, ReturnsContentAndMetadata) {
  transport_.Answer(200, "hello", HeadersOf("hello"));
  const auto object = Read();
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(received_, "hello");
  EXPECT_EQ((*object)->generation, 7);
  EXPECT_EQ((*object)->size_bytes, 5U);
  EXPECT_EQ((*object)->metadata.at("name"), "n");
  EXPECT_EQ(RangeOf(0), "");
}

TEST_F(ReadTest, ReturnsNulloptForAMissingObject) {
  transport_.Answer(404, "no");
  const auto object = Read();
  ASSERT_TRUE(object);
  EXPECT_FALSE(*object);
}

TEST_F(ReadTest, RequestsARange) {
  transport_.Answer(206, "ell", HeadersOf("hello"));
  ASSERT_TRUE(Read({.offset = 1, .length = 3}));
  EXPECT_EQ(RangeOf(0), "bytes=1-3");
  EXPECT_EQ(received_, "ell");
}

TEST_F(ReadTest, RangeBeyondTheEndIsEmpty) {
  transport_.Answer(416, "").Answer(200, Resource("x", "hello"));
  const auto object = Read({.offset = 100});
  ASSERT_TRUE(object);
  EXPECT_TRUE(*object);
  EXPECT_EQ(received_, "");
}

TEST_F(ReadTest, VerifiesTheChecksum) {
  for (int read = 0; read < 3; ++read) transport_.Answer(200, "hellO", HeadersOf("hello"));
  const auto object = Read();
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kDataLoss);
}

/// Disconnects after three bytes, then serves ranges.
class DisconnectingServer final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token) override {
    urls.push_back(request.url);
    ranges.emplace_back(request.headers.Get("Range").value_or(""));
    http::Response response;
    response.headers = HeadersOf("hello");
    response.status = urls.size() == 1 ? 200 : later_status;
    request.on_head(response);
    if (auto taken = sink(urls.size() == 1 ? "hel" : "lo"); !taken) {
      return Failure(std::move(taken).error());
    }
    if (urls.size() == 1) return Fail(ErrorCode::kUnavailable, "connection reset");
    return response;
  }

  int later_status = 206;
  std::vector<std::string> urls;
  std::vector<std::string> ranges;
};

TEST_F(ReadTest, ResumesWithTheSameGeneration) {
  DisconnectingServer server;
  const gcs::Client client(server, clock_, "bucket");
  const auto object = client.Read("x", {},
                                  [&](std::string_view piece) -> Status {
                                    received_ += piece;
                                    return {};
                                  },
                                  {});
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(received_, "hello");
  EXPECT_EQ(server.ranges.at(1), "bytes=3-");
  EXPECT_NE(server.urls.at(1).find("generation=7"), std::string::npos);
}

TEST_F(ReadTest, RejectsAWholeObjectForARange) {
  DisconnectingServer server;
  server.later_status = 200;
  const gcs::Client client(server, clock_, "bucket");
  const auto object = client.Read("x", {}, [](std::string_view) { return Status(); }, {});
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::test
