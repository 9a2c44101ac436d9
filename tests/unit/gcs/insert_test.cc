#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

TEST_F(GcsTest, InsertSendsTheChecksum) {
  transport_.Answer(200, Resource("a/b c", "hello"));
  const auto object = client_.Insert("a/b c", Body("hello"), {.if_generation = 0}, {});
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ((*object)->generation, 7);
  const auto sent = transport_.sent().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_TRUE(
      sent.url.starts_with("https://storage.googleapis.com/upload/storage/v1/b/bucket/o?"
                           "uploadType=multipart&name=a%2Fb%20c&fields="))
      << sent.url;
  EXPECT_TRUE(sent.url.ends_with("&ifGenerationMatch=0")) << sent.url;
  EXPECT_NE(sent.body.find("\"crc32c\":\"" + Crc32c().Update("hello").Base64() + "\""),
            std::string::npos)
      << sent.body;
  EXPECT_NE(sent.body.find("\r\n\r\nhello\r\n--"), std::string::npos);
}

TEST_F(GcsTest, InsertReturnsNulloptIfTheObjectExists) {
  transport_.Answer(412, "{}").Answer(
      200, Resource("x", "other", R"(,"metadata":{"kinetic-mark":"theirs"})"));
  const auto object = client_.Insert("x", Body("hello"), {.if_generation = 0}, {});
  ASSERT_TRUE(object);
  EXPECT_FALSE(*object);
  EXPECT_TRUE(transport_.Done());
}

TEST_F(GcsTest, InsertForAnyCreatorSendsOneRequest) {
  transport_.Answer(412, "{}");
  const auto object =
      client_.Insert("x", Body("hello"), {.if_generation = 0, .any_creator = true}, {});
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_FALSE(*object);
}

/// A policy is no lost race: the server's reason is reported, and nothing else is read.
TEST_F(GcsTest, OnlyAnUnmetConditionIsALostRace) {
  const std::string policy = R"({"error":{"message":"violates a constraint","errors":[{"reason":)"
                             R"("orgPolicyConstraintFailed"}]}})";
  const gcs::Preconditions known{7, 1};
  for (int call = 0; call < 4; ++call) {
    transport_.Answer(412, policy);
    std::optional<Error> error;
    const auto keep = [&](auto result) {
      if (!result) error = std::move(result).error();
    };
    if (call == 0) keep(client_.Insert("x", Body("hello"), {.if_generation = 0}, {}));
    if (call == 1) keep(client_.Patch("x", Value(Value::Map{}), known, {}));
    if (call == 2) keep(client_.Delete("x", known, {}));
    if (call == 3) keep(client_.Compose({}, "x", {.if_generation = 0}, {}));
    ASSERT_TRUE(error) << call;
    EXPECT_NE(error->message.find("412 violates a constraint"), std::string::npos);
    EXPECT_TRUE(transport_.Done());
  }
}

/// Performs the first insert, but loses its response.
class ResponseLosingServer final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token) override {
    http::Response response;
    if (request.method == "POST") {
      if (!mark_.empty()) {
        response.status = 412;
        return response;
      }
      std::string body(request.body->size_bytes(), '\0');
      ReadBody(request, body);
      const std::string key = "\"kinetic-mark\":\"";
      mark_ = body.substr(body.find(key) + key.size(), 16);
      return Fail(ErrorCode::kUnavailable, "connection reset");
    }
    response.status = 200;
    EXPECT_TRUE(sink(R"({"name":"x","size":"5","generation":"7","metageneration":"1",)"
                     R"("updated":"2026-11-21T09:00:00Z","metadata":{"kinetic-mark":")" +
                     mark_ + "\"}}"));
    return response;
  }

 private:
  static void ReadBody(const http::Request& request, std::string& body) {
    EXPECT_TRUE(request.body->Rewind());
    std::size_t read = 0;
    while (read < body.size()) {
      const auto count = request.body->Read({body.data() + read, body.size() - read});
      ASSERT_TRUE(count);
      ASSERT_GT(*count, 0U);
      read += *count;
    }
  }

  std::string mark_;
};

TEST_F(GcsTest, InsertRecognizesALostResponse) {
  ResponseLosingServer server;
  const gcs::Client client(server, clock_, "bucket");
  const auto object = client.Insert("x", Body("hello"), {.if_generation = 0}, {});
  ASSERT_TRUE(object) << object.error().message;
  ASSERT_TRUE(*object);
  EXPECT_EQ((*object)->generation, 7);
}

}  // namespace
}  // namespace kinetic::test
