#include "gcs/protocol.h"
#include "unit/gcs/scripted_client.h"

#include <vector>

namespace kinetic::test {
namespace {

constexpr const char* kPage =
    "<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head></html>";
const std::string kRateLimit =
    R"({"error":{"message":"slow","errors":[{"reason":"rateLimitExceeded"}]}})";

class ForeignAnswerTest : public GcsTest {
 protected:
  /// Scripts one foreign answer.
  using Script = std::function<void(ScriptedTransport&)>;
  std::vector<Script> Scripts() const {
    return {[](ScriptedTransport& transport) { transport.Answer(200, kPage); },
            [](ScriptedTransport& transport) { transport.Answer(404, kPage); },
            [](ScriptedTransport& transport) {
              transport.Answer(200, kPage, {{"Content-Type", "text/html"}});
            },
            [](ScriptedTransport& transport) {
              transport.Answer(302, "", {{"Location", "https://login.example/"}});
            },
            [](ScriptedTransport& transport) { transport.Answer(511, kPage); },
            [](ScriptedTransport& transport) { transport.Answer(403, kRateLimit); }};
  }

  std::string received_;
  http::Sink Take() {
    return [this](std::string_view piece) -> Status {
      received_ += piece;
      return {};
    };
  }
};

TEST_F(ForeignAnswerTest, EveryOperationIsRetried) {
  for (const Script& foreign : Scripts()) {
    ScriptedTransport transport;
    gcs::Client client(transport, clock_, "bucket");
    foreign(transport);
    transport.Answer(200, Resource("x", "hello"));
    const auto stat = client.Stat("x", {});
    ASSERT_TRUE(stat) << stat.error().message;
    EXPECT_TRUE(*stat);

    foreign(transport);
    transport.Answer(200, R"({"items":[]})");
    EXPECT_TRUE(
        client.List({}, [](const gcs::Object&) -> Result<bool> { return true; }, nullptr, {}));

    foreign(transport);
    transport.Answer(200, Resource("x", "hello"));
    const auto stored = client.Insert("x", Body("hello"), {.if_generation = 0}, {});
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_TRUE(*stored);

    foreign(transport);
    transport.Answer(204);
    const auto removed = client.Delete("x", {.if_generation = 7, .if_metageneration = {}}, {});
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_EQ(*removed, gcs::Client::DeleteResult::kDeleted);

    received_.clear();
    foreign(transport);
    transport.Answer(200, "hello",
                     {{"x-goog-generation", "7"}, {"x-goog-stored-content-length", "5"}});
    const auto read = client.Read("x", {}, Take(), {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(received_, "hello");
    EXPECT_TRUE(transport.Done());
  }
}

TEST_F(ForeignAnswerTest, ALargeUploadContinues) {
  const std::string large(9U << 20, 'x');
  for (const Script& foreign : Scripts()) {
    ScriptedTransport transport;
    gcs::Client client(transport, clock_, "bucket");
    foreign(transport);
    transport.Answer(200, "", {{"Location", "https://storage.googleapis.com/s?upload_id=1"}});
    foreign(transport);
    transport.Answer(308);
    foreign(transport);
    transport.Answer(200, Resource("big", large));
    const auto stored = client.Insert("big", Body(large), {.if_generation = 0}, {});
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_TRUE(*stored);
  }
}

TEST_F(ForeignAnswerTest, IsNamedInTheEnd) {
  for (int i = 0; i < 400; ++i) transport_.Answer(200, kPage);
  const auto stat = client_.Stat("x", {});
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(stat.error().message.find("an HTML page with the title 'Sign in to the network'"),
            std::string::npos)
      << stat.error().message;
  EXPECT_NE(stat.error().hint.find("proxy"), std::string::npos);
  const auto read = client_.Read("x", {}, Take(), {});
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("Sign in"), std::string::npos) << read.error().message;
  EXPECT_EQ(received_, "");
}

TEST_F(ForeignAnswerTest, ContentOfAnObjectMayBeHtml) {
  transport_.Answer(200, kPage, {{"x-goog-generation", "7"}, {"Content-Type", "text/html"}});
  ASSERT_TRUE(client_.Read("x", {}, Take(), {}));
  EXPECT_EQ(received_, kPage);
}

TEST_F(ForeignAnswerTest, AMovedEndpointIsNotRetried) {
  transport_.Answer(301, "", {{"Location", "https://storage.example/"}});
  const auto stat = client_.Stat("x", {});
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, ErrorCode::kFailedPrecondition) << stat.error().message;
  EXPECT_EQ(transport_.sent().size(), 1U);
}

}  // namespace
}  // namespace kinetic::test
