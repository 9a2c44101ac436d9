#include "http/retry.h"

#include "http/last_cause.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

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

Response Answer(int status, Headers headers = {}) {
  Response response;
  response.status = status;
  response.headers = std::move(headers);
  return response;
}

TEST(IsRetryable, AcceptsTransientStatuses) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(IsRetryable(Answer(status))) << status;
  }
  for (const int status : {200, 204, 308, 400, 401, 403, 404, 409, 410, 411, 412, 416, 501, 505}) {
    EXPECT_FALSE(IsRetryable(Answer(status))) << status;
  }
}

TEST(IsRetryable, AcceptsNonIdempotentRequestsOnlyIfNothingWasSent) {
  const Error reset{ErrorCode::kUnavailable, "reset", "", {}};
  const Error refused{ErrorCode::kUnavailable, "refused", "", {{"sent", "nothing"}}};
  EXPECT_TRUE(IsRetryable(reset, Idempotency::kIdempotent));
  EXPECT_FALSE(IsRetryable(reset, Idempotency::kNonIdempotent));
  EXPECT_TRUE(IsRetryable(refused, Idempotency::kNonIdempotent));
}

TEST(IsRetryable, RejectsPermanentErrors) {
  for (const ErrorCode code : {ErrorCode::kFailedPrecondition, ErrorCode::kCancelled,
                               ErrorCode::kUnauthenticated, ErrorCode::kResourceExhausted}) {
    EXPECT_FALSE(
        IsRetryable(Error{code, "x", "", {{"sent", "nothing"}}}, Idempotency::kIdempotent));
  }
}

TEST(RetryAfter, ReadsBothForms) {
  EXPECT_EQ(RetryAfter(Answer(429, {{"Retry-After", "7"}})), milliseconds(7000));
  EXPECT_EQ(RetryAfter(Answer(503, {{"Retry-After", "Sun, 06 Nov 1994 08:49:47 GMT"},
                                    {"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}})),
            milliseconds(10'000));
  const WallTime soon = SystemClock().Now() + std::chrono::seconds(20);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(soon);
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  std::array<char, 64> date{};
  std::strftime(date.data(), date.size(), "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&time));
  const auto wait = RetryAfter(Answer(503, {{"Retry-After", date.data()}}));
  ASSERT_TRUE(wait) << "without Date";
  EXPECT_GT(*wait, milliseconds(10'000));
  EXPECT_FALSE(RetryAfter(Answer(503, {{"Retry-After", "Sun, 06 Nov 2094 08:49:47 GMT"}})));
  EXPECT_FALSE(RetryAfter(Answer(503)));
  EXPECT_FALSE(RetryAfter(Answer(503, {{"Retry-After", "-1"}})));
  EXPECT_FALSE(RetryAfter(Answer(503, {{"Retry-After", "later"}})));
}

TEST(BackoffDelay, StaysWithinItsBounds) {
  const RetryPolicy policy;
  for (int attempt = 1; attempt < 40; ++attempt) {
    const auto most =
        std::min(policy.cap, policy.base * (std::int64_t{1} << std::min(attempt - 1, 20)));
    for (int i = 0; i < 50; ++i) {
      EXPECT_LE(BackoffDelay(policy, attempt, std::nullopt), most);
      const auto asked = BackoffDelay(policy, attempt, milliseconds(60'000));
      EXPECT_GE(asked, milliseconds(60'000));
      EXPECT_LE(asked, milliseconds(60'000) + most);
    }
  }
}

TEST(RetryingClient, ReturnsTheFirstFinalResponse) {
  ScriptedTransport transport;
  transport.Answer(503)
      .Answer(429)
      .Fail({ErrorCode::kUnavailable, "reset", "", {}})
      .Answer(200, "yes");
  FakeClock clock;
  const auto response = SendAll(transport, Idempotency::kIdempotent, clock);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "yes");
  EXPECT_TRUE(transport.Done());
}

TEST(RetryingClient, WaitsForRetryAfter) {
  ScriptedTransport transport;
  transport.Answer(429, "", {{"Retry-After", "30"}}).Answer(200);
  FakeClock clock;
  const SteadyTime before = clock.Steady();
  ASSERT_TRUE(SendAll(transport, Idempotency::kIdempotent, clock));
  EXPECT_GE(clock.Steady() - before, std::chrono::seconds(30));
}

/// A transport that fails in one way until its clock reaches a time.
class Outage final : public Transport {
 public:
  Outage(FakeClock& clock, Result<Response> failure, std::chrono::seconds lasts)
      : clock_(&clock), failure_(std::move(failure)), end_(clock.Steady() + lasts) {}

  Result<Response> Stream(const Request& /*request*/, const Sink& /*sink*/,
                          std::stop_token /*stop*/) override {
    ++requests;
    return clock_->Steady() < end_ ? failure_ : Answer(200);
  }

  int requests = 0;

 private:
  FakeClock* clock_;
  Result<Response> failure_;
  SteadyTime end_;
};

class Notices final : public RetryObserver {
 public:
  void OnRetry(const RetryNotice& notice) override { all.push_back(notice); }
  std::vector<RetryNotice> all;
};

std::vector<Result<Response>> TransientFailures() {
  std::vector<Result<Response>> failures;
  for (const int status : {408, 429, 500, 502, 503, 504}) failures.emplace_back(Answer(status));
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kDeadlineExceeded}) {
    failures.emplace_back(Fail(code, "GET http://h/: reset"));
  }
  return failures;
}

TEST(RetryingClient, SurvivesOutagesShorterThanItsBudget) {
  for (const auto& failure : TransientFailures()) {
    for (const int seconds : {1, 13, 30, 90, 105}) {
      FakeClock clock;
      Outage outage(clock, failure, std::chrono::seconds(seconds));
      const RetryingClient client(outage, &Plain, {}, clock);
      EXPECT_TRUE(client.Send({"GET", "http://h/"}, Idempotency::kIdempotent, {})) << seconds;
      EXPECT_LT(outage.requests, 10 + seconds) << seconds;
    }
  }
}

TEST(RetryingClient, EndsAfterItsBudget) {
  for (const int budget : {0, 10, 120, 600}) {
    FakeClock clock;
    const SteadyTime before = clock.Steady();
    Outage outage(clock, Answer(503), std::chrono::hours(24));
    const RetryPolicy policy{.budget = std::chrono::seconds(budget)};
    const auto response = RetryingClient(outage, &Plain, policy, clock)
                              .Send({"GET", "http://h/"}, Idempotency::kIdempotent, {});
    ASSERT_FALSE(response);
    EXPECT_LE(clock.Steady() - before, std::chrono::seconds(budget));
    EXPECT_GE(clock.Steady() - before + policy.cap, std::chrono::seconds(budget));
    EXPECT_EQ(outage.requests == 1, budget == 0);
    EXPECT_EQ(response.error().message.find(" attempts in ") == std::string::npos, budget == 0);
  }
}

TEST(RetryingClient, ObservesALimitThatChanges) {
  FakeClock clock;
  Outage outage(clock, Answer(503), std::chrono::hours(24));
  RetryLimit limit;
  limit.Set(milliseconds(5'000));
  const SteadyTime before = clock.Steady();
  EXPECT_FALSE(RetryingClient(outage, &Plain, {.limit = &limit}, clock)
                   .Send({"GET", "http://h/"}, Idempotency::kIdempotent, {}));
  EXPECT_LE(clock.Steady() - before, limit.Get());
}

TEST(RetryLimit, EndsAtFirstResponse) {
  RetryLimit limit;
  EXPECT_EQ(limit.Get(), milliseconds(15'000));
  limit.OnResponse();
  EXPECT_EQ(limit.Get(), milliseconds::max());
  limit.Set(milliseconds(5));
  limit.OnResponse();
  EXPECT_EQ(limit.Get(), milliseconds(5));
}

TEST(RetryingClient, ReportsARetryAfterBeyondTheBudget) {
  FakeClock clock;
  Outage outage(clock, Answer(429, {{"Retry-After", "3600"}}), std::chrono::hours(24));
  const auto response = RetryingClient(outage, &Plain, {}, clock)
                            .Send({"GET", "http://h/"}, Idempotency::kIdempotent, {});
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("asks to retry after 3600 s"), std::string::npos)
      << response.error().message;
  EXPECT_EQ(outage.requests, 1);
}

TEST(RetryingClient, NotifiesOfEachRetry) {
  const auto status = [](const Request&, const Response& response) {
    return Error{ErrorCode::kUnavailable, "x", "", {}}.With("status",
                                                            std::to_string(response.status));
  };
  for (const auto& failure : TransientFailures()) {
    FakeClock clock;
    Notices notices;
    Outage outage(clock, failure, std::chrono::seconds(30));
    const RetryPolicy policy{.service = "Cloud Storage", .observer = &notices};
    ASSERT_TRUE(RetryingClient(outage, status, policy, clock)
                    .Send({"GET", "http://h/"}, Idempotency::kIdempotent, {}));
    ASSERT_EQ(notices.all.size(), static_cast<std::size_t>(outage.requests - 1));
    milliseconds elapsed{0};
    for (std::size_t i = 0; i < notices.all.size(); ++i) {
      const RetryNotice& notice = notices.all[i];
      EXPECT_EQ(notice.attempt, static_cast<int>(i) + 1);
      EXPECT_EQ(notice.elapsed, elapsed);
      elapsed += notice.delay;
      const std::string expected =
          failure ? std::to_string(failure->status) + " from Cloud Storage" : "reset";
      EXPECT_EQ(notice.cause, expected);
    }
  }
}

TEST(RetryingClient, DoesNotRetryANonIdempotentRequestAfterAResponse) {
  ScriptedTransport transport;
  transport.Answer(503);
  FakeClock clock;
  const auto response = SendAll(transport, Idempotency::kNonIdempotent, clock);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
}

TEST(RetryingClient, SendsTheWholeBodyEachTime) {
  ScriptedTransport transport;
  transport.Answer(503).Answer(200);
  FakeClock clock;
  Request request{"POST", "http://h/"};
  request.body = std::make_shared<BytesBody>("abc");
  ASSERT_TRUE(SendAll(transport, Idempotency::kIdempotent, clock, request));
  ASSERT_EQ(transport.sent().size(), 2U);
  EXPECT_EQ(transport.sent()[0].body, "abc");
  EXPECT_EQ(transport.sent()[1].body, "abc");
}

/// Requests a stop at its last attempt, as a deadline does.
class StoppedOutage final : public Transport {
 public:
  StoppedOutage(Error error, int attempts) : error_(std::move(error)), left_(attempts) {}
  Result<Response> Stream(const Request&, const Sink&, std::stop_token stop) override {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "GET http://h/: stopped");
    if (--left_ == 0) source.request_stop();
    return Failure(error_);
  }
  std::stop_source source;

 private:
  Error error_;
  int left_;
};

/// Neither a spent budget nor an old error hides that the caller stopped, and the cause is kept.
TEST(RetryingClient, AStopTakesPrecedenceAndKeepsTheCause) {
  for (const int budget : {0, 120}) {
    for (const int attempts : {1, 3}) {
      FakeClock clock;
      StoppedOutage outage({ErrorCode::kUnavailable, "connection refused", "", {}},
                           budget == 0 ? 1 : attempts);
      const RetryPolicy policy{.budget = std::chrono::seconds(budget)};
      const auto response =
          RetryingClient(outage, &Plain, policy, clock)
              .Send({"GET", "http://h/"}, Idempotency::kIdempotent, outage.source.get_token());
      ASSERT_FALSE(response);
      EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(CauseSuffix(response.error()), ": connection refused");
    }
  }
  EXPECT_EQ(CauseSuffix({ErrorCode::kCancelled, "stopped", "", {}}), "");
}

TEST(RetryingClient, EndsWhenStopped) {
  ScriptedTransport transport;
  transport.Answer(503);
  FakeClock clock(false);
  std::stop_source source;
  source.request_stop();
  const auto response =
      RetryingClient(transport, &Plain, {}, clock)
          .Send({"GET", "http://h/"}, Idempotency::kIdempotent, source.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

TEST(Backoff, ResetRestartsTheCount) {
  FakeClock clock;
  RetryPolicy policy;
  policy.max_attempts = 2;
  Backoff backoff(policy, clock);
  const Error cause{ErrorCode::kUnavailable, "reset", "", {}};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(backoff.Wait(cause, std::nullopt, {}));
    backoff.Reset();
  }
  ASSERT_TRUE(backoff.Wait(cause, std::nullopt, {}));
  EXPECT_FALSE(backoff.Wait(cause, std::nullopt, {}));
}

}  // namespace
}  // namespace kinetic::http
