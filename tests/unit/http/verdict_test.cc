#include "http/verdict.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

Response Answer(int status, Headers headers = {}) {
  Response response;
  response.status = status;
  response.headers = std::move(headers);
  return response;
}

TEST(Classify, TellsPassingStatusesFromFinalOnes) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(Classify(Answer(status)), Verdict::kTransient) << status;
  }
  for (const int status : {200, 204, 308, 400, 401, 403, 404, 409, 410, 411, 412, 416, 501, 505}) {
    EXPECT_EQ(Classify(Answer(status)), Verdict::kFinal) << status;
  }
}

TEST(Classify, SendsUnsafeRequestsAgainOnlyWhenNothingWasSent) {
  const Error reset{ErrorCode::kUnavailable, "reset", "", {}};
  const Error refused{ErrorCode::kUnavailable, "refused", "", {{"sent", "nothing"}}};
  EXPECT_EQ(Classify(reset, Idempotency::kSafe), Verdict::kTransient);
  EXPECT_EQ(Classify(reset, Idempotency::kUnsafe), Verdict::kFinal);
  EXPECT_EQ(Classify(refused, Idempotency::kUnsafe), Verdict::kTransient);
}

TEST(Classify, TakesTlsAndStopsForFinal) {
  for (const ErrorCode code : {ErrorCode::kFailedPrecondition, ErrorCode::kCancelled,
                               ErrorCode::kUnauthenticated, ErrorCode::kResourceExhausted}) {
    EXPECT_EQ(Classify(Error{code, "x", "", {{"sent", "nothing"}}}, Idempotency::kSafe),
              Verdict::kFinal);
  }
}

TEST(RetryAfter, ReadsBothForms) {
  using std::chrono::milliseconds;
  EXPECT_EQ(RetryAfter(Answer(429, {{"Retry-After", "7"}})), milliseconds(7000));
  EXPECT_EQ(RetryAfter(Answer(503, {{"Retry-After", "Sun, 06 Nov 1994 08:49:47 GMT"},
                                    {"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}})),
            milliseconds(10'000));
  EXPECT_FALSE(RetryAfter(Answer(503)));
  EXPECT_FALSE(RetryAfter(Answer(503, {{"Retry-After", "-1"}})));
  EXPECT_FALSE(RetryAfter(Answer(503, {{"Retry-After", "later"}})));
}

}  // namespace
}  // namespace kinetic::http
