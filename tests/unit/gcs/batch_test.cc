#include "gcs/protocol.h"
#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

std::string BatchPart(int number, const std::string& answer) {
  return "--x\r\nContent-Type: application/http\r\nContent-ID: <response-call+" +
         std::to_string(number) + ">\r\n\r\n" + answer + "\r\n";
}

http::Response Batch(std::string body) {
  http::Response response;
  response.status = 200;
  response.headers = {{"Content-Type", "multipart/mixed; boundary=x"}};
  response.body = std::move(body) + "--x--\r\n";
  return response;
}

TEST(Batch, ParsesParts) {
  const auto answers = gcs::ParseBatchResponse(
      Batch(BatchPart(1, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}\r\n") +
            BatchPart(0, "HTTP/1.1 204 No Content\r\n\r\n") +
            BatchPart(7, "HTTP/1.1 200 OK\r\n\r\n") + "--x\r\nno answer\r\n"),
      3);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]->status, 204);
  EXPECT_EQ(answers[0]->body, "");
  EXPECT_EQ(answers[1]->status, 404);
  EXPECT_EQ(answers[1]->body, "{}");
  EXPECT_FALSE(answers[2]);
}

TEST(Batch, IgnoresMalformedResponses) {
  for (const std::string body : {"", "--x", "HTTP/1.1 204", "--x\r\n--x\r\n--x"}) {
    for (const auto& answer : gcs::ParseBatchResponse(Batch(body), 2)) EXPECT_FALSE(answer) << body;
  }
  http::Response untyped;
  untyped.status = 200;
  EXPECT_FALSE(gcs::ParseBatchResponse(untyped, 1)[0]);
}

TEST_F(GcsTest, DeletesOmittedObjectsOneByOne) {
  http::Response batch = Batch(BatchPart(0, "HTTP/1.1 204 No Content\r\n\r\n") +
                               BatchPart(1, "HTTP/1.1 429 Too Many Requests\r\n\r\n{}\r\n") +
                               BatchPart(2, "HTTP/1.1 412 Precondition Failed\r\n\r\n"));
  transport_.Answer(200, batch.body, batch.headers).Answer(503).Answer(204);
  const auto deleted = client_.DeleteAll(
      {{"a", {.if_generation = 1}}, {"b/c", {.if_generation = 2}}, {"d", {.if_generation = 3}}},
      {});
  ASSERT_TRUE(deleted) << deleted.error().message;
  using enum gcs::Client::DeleteResult;
  EXPECT_EQ(*deleted, (std::vector{kDeleted, kDeleted, kPreconditionFailed}));
  const auto sent = transport_.sent();
  EXPECT_NE(
      sent.at(0).body.find("DELETE /storage/v1/b/bucket/o/b%2Fc?ifGenerationMatch=2 HTTP/1.1"),
      std::string::npos)
      << sent.at(0).body;
  EXPECT_NE(sent.at(2).url.find("b%2Fc"), std::string::npos);
}

TEST_F(GcsTest, DeletesOneByOneIfBatchesAreRejected) {
  for (const int status : {400, 403, 404, 405, 411, 501}) {
    transport_.Answer(status).Answer(204).Answer(204);
    const auto deleted =
        client_.DeleteAll({{"a", {.if_generation = 1}}, {"b", {.if_generation = 2}}}, {});
    ASSERT_TRUE(deleted) << status << ": " << deleted.error().message;
    EXPECT_EQ(*deleted, std::vector(2, gcs::Client::DeleteResult::kDeleted));
    EXPECT_TRUE(transport_.Done());
  }
}

}  // namespace
}  // namespace kinetic::test
