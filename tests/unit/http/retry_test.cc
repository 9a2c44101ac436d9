#include "http/retry.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

using std::chrono::milliseconds;
using test::FakeClock;
using test::ScriptedTransport;

Error Plain(const Request& request, const Response& response) {
  return {ErrorCode::kUnavailable, request.method + " " + std::to_string(response.status), "", {}};
}

Result<Response> SendAll(ScriptedTransport& transport, Idempotency idempotency, FakeClock& clock,
                         const Request& request = {"GET", "http://h/"}) {
  return RetryingClient(transport, &Plain, {}, clock).Send(request, idempotency, {});
}

TEST(NextDelay, StaysWithinItsBounds) {
  const RetryPolicy policy;
  for (int attempt = 1; attempt < 40; ++attempt) {
    const auto most =
        std::min(policy.cap, policy.base * (std::int64_t{1} << std::min(attempt - 1, 20)));
    for (int i = 0; i < 50; ++i) {
      EXPECT_LE(NextDelay(policy, attempt, std::nullopt), most);
      const auto asked = NextDelay(policy, attempt, milliseconds(60'000));
      EXPECT_GE(asked, milliseconds(60'000));
      EXPECT_LE(asked, milliseconds(60'000) + most);
    }
  }
}

TEST(RetryingClient, ReturnsTheFirstFinalAnswer) {
  ScriptedTransport transport;
  transport.Answer(503)
      .Answer(429)
      .Fail({ErrorCode::kUnavailable, "reset", "", {}})
      .Answer(200, "yes");
  FakeClock clock;
  const auto response = SendAll(transport, Idempotency::kSafe, clock);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "yes");
  EXPECT_TRUE(transport.Done());
}

TEST(RetryingClient, WaitsAsLongAsTheServerAsks) {
  ScriptedTransport transport;
  transport.Answer(429, "", {{"Retry-After", "30"}}).Answer(200);
  FakeClock clock;
  const SteadyTime before = clock.Steady();
  ASSERT_TRUE(SendAll(transport, Idempotency::kSafe, clock));
  EXPECT_GE(clock.Steady() - before, std::chrono::seconds(30));
}

TEST(RetryingClient, SaysInTheEndWhatWasTried) {
  ScriptedTransport transport;
  for (int i = 0; i < RetryPolicy().max_attempts; ++i) transport.Answer(500);
  FakeClock clock;
  const auto response = SendAll(transport, Idempotency::kSafe, clock);
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("GET 500 (after 8 attempts in "), std::string::npos)
      << response.error().message;
  EXPECT_TRUE(transport.Done());
}

TEST(RetryingClient, LeavesTheAnswerToAnUnsafeRequestAlone) {
  ScriptedTransport transport;
  transport.Answer(503);
  FakeClock clock;
  const auto response = SendAll(transport, Idempotency::kUnsafe, clock);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
}

TEST(RetryingClient, SendsTheWholeBodyEachTime) {
  ScriptedTransport transport;
  transport.Answer(503).Answer(200);
  FakeClock clock;
  Request request{"POST", "http://h/"};
  request.body = std::make_shared<BytesBody>("abc");
  ASSERT_TRUE(SendAll(transport, Idempotency::kSafe, clock, request));
  ASSERT_EQ(transport.sent().size(), 2U);
  EXPECT_EQ(transport.sent()[0].body, "abc");
  EXPECT_EQ(transport.sent()[1].body, "abc");
}

TEST(RetryingClient, EndsWhenStopped) {
  ScriptedTransport transport;
  transport.Answer(503);
  FakeClock clock(false);
  std::stop_source source;
  source.request_stop();
  const auto response = RetryingClient(transport, &Plain, {}, clock)
                            .Send({"GET", "http://h/"}, Idempotency::kSafe, source.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

TEST(Attempts, BeginAnewAfterProgress) {
  FakeClock clock;
  RetryPolicy policy;
  policy.max_attempts = 2;
  Attempts attempts(policy, clock);
  const Error cause{ErrorCode::kUnavailable, "reset", "", {}};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(attempts.Again(cause, std::nullopt, {}));
    attempts.Progress();
  }
  ASSERT_TRUE(attempts.Again(cause, std::nullopt, {}));
  EXPECT_FALSE(attempts.Again(cause, std::nullopt, {}));
}

}  // namespace
}  // namespace kinetic::http
