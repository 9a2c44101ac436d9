#include "runner/program/shim_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

std::string Framed(std::string_view json) {
  std::string frame;
  for (const int shift : {24, 16, 8, 0}) {
    frame += static_cast<char>(json.size() >> shift & 0xFF);
  }
  return frame.append(json);
}

TEST(ShimMessages, ParsesPiecesOfAnySize) {
  const std::string bytes = Framed(R"({"kind":"started","python":"3.12.1"})") +
                            Framed(R"({"kind":"news"})") +
                            Framed(R"({"kind":"returned","size_bytes":7})");
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    ShimParser parser;
    std::vector<ShimMessage> messages;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      auto some = parser.Feed(std::string_view(bytes).substr(at, size));
      ASSERT_TRUE(some);
      for (auto& message : *some) messages.push_back(std::move(message));
    }
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].detail, "3.12.1");
    EXPECT_EQ(messages[1].kind, ShimMessage::Kind::kReturned);
    EXPECT_EQ(messages[1].number, 7);
  }
}

TEST(ShimMessages, ParsesChainOfExceptions) {
  const auto message = ParseShimMessage(
      R"({"kind":"raised","exception":{"type":"A","message":"a","relation":"cause",)"
      R"("traceback":[{"file":"f.py","line":3,"function":"g","code":"x"}],)"
      R"("cause":{"type":"B","message":"","relation":"","traceback":[]}}})");
  ASSERT_TRUE(message && *message);
  const RemoteException& exception = *(*message)->exception;
  EXPECT_EQ(exception.traceback[0].line, 3);
  ASSERT_TRUE(exception.cause);
  EXPECT_EQ(exception.cause->type, "B");
}

TEST(ShimMessages, InvalidFrameIsReportedOnce) {
  ShimParser parser;
  const auto huge = parser.Feed("\xFF\xFF\xFF\xFF");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::kDataLoss);
  const auto after = parser.Feed(Framed(R"({"kind":"returned","size_bytes":7})"));
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->empty());
}

TEST(ShimMessages, RejectsInvalidMessages) {
  for (const char* json :
       {"[]", "nonsense", R"({"kind":5})", R"({"kind":"raised"})",
        R"({"kind":"raised","exception":{"type":1}})", R"({"kind":"exited","code":"x"})",
        R"({"kind":"exited","code":-1})", R"({"kind":"exited","code":100000})"}) {
    const auto message = ParseShimMessage(json);
    ASSERT_FALSE(message) << json;
    EXPECT_EQ(message.error().code, ErrorCode::kDataLoss);
  }
}

}  // namespace
}  // namespace kinetic::runner
