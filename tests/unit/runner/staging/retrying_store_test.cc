#include "runner/staging/retrying_store.h"

#include "base/files/file_system.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RetryingStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(store::PutBytes(below_, "proof", "", store::Precondition::Absent(), {}));
    below_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
      if (name == "proof") return {};
      ++tries_;
      if (tries_ <= failures_) return Fail(code_, std::string(operation) + " fails");
      return {};
    });
  }

  Status Put(std::stop_token stop = {}) {
    const auto put =
        store::PutBytes(store_, "a", "content", store::Precondition::Absent(), std::move(stop));
    if (!put) return Failure(put.error());
    return {};
  }

  test::FakeClock clock_;
  test::MemoryStore below_{clock_};
  std::stop_source stopped_;
  std::vector<std::string> reasons_;
  RetryingStore store_{
      below_,
      clock_,
      {.proof = "proof",
       .stopped = stopped_.get_token(),
       .on_wait = [this](std::string_view reason) { reasons_.emplace_back(reason); }}};
  int tries_ = 0;
  int failures_ = 0;
  ErrorCode code_ = ErrorCode::kResourceExhausted;
};

TEST_F(RetryingStoreTest, RetriesForMinutes) {
  for (const auto code : {ErrorCode::kResourceExhausted, ErrorCode::kUnavailable,
                          ErrorCode::kPermissionDenied, ErrorCode::kNotFound}) {
    below_.Drop("a");
    tries_ = 0;
    failures_ = 100;
    code_ = code;
    const SteadyTime before = clock_.Steady();
    EXPECT_TRUE(Put()) << Name(code);
    EXPECT_EQ(below_.Peek("a"), "content");
    EXPECT_GT(clock_.Steady() - before, std::chrono::minutes(10));
  }
}

TEST_F(RetryingStoreTest, ReportsStartAndEndOfWaiting) {
  failures_ = 3;
  EXPECT_TRUE(Put());
  EXPECT_THAT(reasons_, ElementsAre("waiting for the store: put fails", ""));
}

TEST_F(RetryingStoreTest, GivesUpWithTheLastError) {
  failures_ = 1'000'000;
  const SteadyTime before = clock_.Steady();
  const Status put = Put();
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().message, "put fails");
  EXPECT_GE(clock_.Steady() - before, kStoreRetryTime);
  EXPECT_THAT(reasons_, ElementsAre(HasSubstr("waiting"), ""));
}

TEST_F(RetryingStoreTest, GivesUpSoonerOnceTheJobIsStopped) {
  failures_ = 1'000'000;
  stopped_.request_stop();
  const SteadyTime before = clock_.Steady();
  EXPECT_FALSE(Put());
  EXPECT_GE(clock_.Steady() - before, kStoppedRetryTime);
  EXPECT_LT(clock_.Steady() - before, kStoreRetryTime);
}

TEST_F(RetryingStoreTest, StopRequestEndsWaiting) {
  failures_ = 1'000'000;
  std::stop_source stop;
  below_.SetHook([&](std::string_view, std::string_view) -> Status {
    stop.request_stop();
    return Fail(ErrorCode::kUnavailable, "unavailable");
  });
  const Status put = Put(stop.get_token());
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kCancelled);
}

TEST_F(RetryingStoreTest, DoesNotRetryPermanentErrors) {
  failures_ = 1'000'000;
  for (const auto code : {ErrorCode::kInvalidArgument, ErrorCode::kDataLoss, ErrorCode::kAborted}) {
    tries_ = 0;
    code_ = code;
    EXPECT_FALSE(Put());
    EXPECT_EQ(tries_, 1) << Name(code);
  }
  EXPECT_THAT(reasons_, IsEmpty());
}

TEST_F(RetryingStoreTest, WritesNothingWithoutProof) {
  below_.Drop("proof");
  EXPECT_FALSE(Put());
  EXPECT_FALSE(below_.Peek("a"));
}

TEST_F(RetryingStoreTest, GivesUpSoonerIfTheCredentialIsRefused) {
  for (const auto& [code, time] : std::vector<std::pair<ErrorCode, std::chrono::seconds>>{
           {ErrorCode::kUnavailable, kStoreRetryTime},
           {ErrorCode::kUnauthenticated, kRefusedRetryTime}}) {
    failures_ = 1'000'000;
    code_ = code;
    reasons_.clear();
    const SteadyTime before = clock_.Steady();
    ASSERT_FALSE(Put());
    EXPECT_GE(clock_.Steady() - before, time);
    EXPECT_LE(clock_.Steady() - before, time + std::chrono::seconds(11));
    const bool told = reasons_.front().find(record::kCredentialRejected) != std::string::npos;
    EXPECT_EQ(told, code == ErrorCode::kUnauthenticated) << reasons_.front();
  }
}

TEST_F(RetryingStoreTest, GivesUpWithinSecondsIfTheDiskIsFull) {
  below_.SetHook([](std::string_view, std::string_view name) -> Status {
    if (name == "proof") return {};
    return Failure(ErrnoError(ENOSPC, "writing", "/store/a"));
  });
  const SteadyTime before = clock_.Steady();
  const Status put = Put();
  ASSERT_FALSE(put);
  EXPECT_TRUE(IsDiskFull(put.error()));
  EXPECT_EQ(clock_.Steady() - before, kExhaustedRetryTime);
  EXPECT_THAT(reasons_.front(), HasSubstr("no space left on device"));
}

TEST_F(RetryingStoreTest, DoesNotRetryAfterDataWasReceived) {
  ASSERT_TRUE(Put());
  failures_ = 0;
  std::string got;
  const auto sink = [&](std::string_view piece) -> Status {
    got += piece;
    return Fail(ErrorCode::kResourceExhausted, "this disk is full");
  };
  const auto read = store_.Get("a", {}, sink, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "this disk is full");
  EXPECT_EQ(got, "content");
}

}  // namespace
}  // namespace kinetic::runner
