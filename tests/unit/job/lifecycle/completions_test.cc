#include "job/lifecycle/completions.h"

#include "record/index.h"
#include "record/object_names.h"
#include "support/memory_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <time.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;

/// A job on a cluster, and waits for it.
class CompletionsTest : public ::testing::Test {
 protected:
  CompletionsTest() {
    context_.target().is_cluster = true;
    summary_ = record::SummaryOf(context_.Submit("j", "job", "fake:here", "n1"));
    context_->nonces.Set("j", summary_.nonce);
  }

  std::future<Result<Outcome>> Wait(const WaitOptions& options = {}) {
    auto promise = std::make_shared<std::promise<Result<Outcome>>>();
    context_->completions.Add(
        *context_, {.job = summary_, .options = options},
        [promise](Result<Outcome> outcome) { promise->set_value(std::move(outcome)); });
    return promise->get_future();
  }

  // The thread of the context uses these until it ends.
  std::atomic<int> failures_ = 0;
  std::promise<void> observing_;
  std::once_flag once_;
  test::FakeContext context_;
  JobSummary summary_;
};

TEST_F(CompletionsTest, OutageOfTheClusterEndsNoWait) {
  context_.target().before_observe_all = [&](const std::stop_token&) -> Status {
    if (++failures_ > 3) return {};
    context_.clock().Advance(std::chrono::seconds(45));  // must not delay the next attempt
    return Fail(ErrorCode::kUnavailable, "the cluster does not respond");
  };
  context_.StoreResult("j", JobState::kSucceeded);
  const auto outcome = Wait().get();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->state, JobState::kSucceeded);
  EXPECT_GT(failures_, 3);
}

TEST_F(CompletionsTest, OtherErrorOfTheClusterEndsWaits) {
  context_.target().before_observe_all = [](const std::stop_token&) -> Status {
    return Fail(ErrorCode::kPermissionDenied, "access denied");
  };
  const auto outcome = Wait().get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "access denied");
}

TEST_F(CompletionsTest, StopEndsRequestsThatTakeLong) {
  context_.target().before_observe_all = [&](const std::stop_token& stop) -> Status {
    std::call_once(once_, [&] { observing_.set_value(); });
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  std::stop_source stop;
  auto stopped = Wait({.stop = stop.get_token()});
  auto other = Wait();
  observing_.get_future().get();
  stop.request_stop();
  const auto outcome = stopped.get();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("cancelled; the job continues"));
  EXPECT_EQ(other.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(CompletionsTest, DeadlineEndsAWaitWhoseRequestDoesNotReturn) {
  context_.target().before_observe_all = [](const std::stop_token& stop) -> Status {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  auto other = Wait();
  const auto outcome = Wait({.deadline = std::chrono::steady_clock::now()}).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(other.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(CompletionsTest, DeadlineEndsTheWaitForAnActiveJob) {
  backend::Observation active;
  active.alive = true;
  active.status.state = JobState::kRunning;
  context_.target().observations = backend::Observations{{"j", active}};
  const auto now = std::chrono::steady_clock::now();
  for (const auto deadline : {now + std::chrono::milliseconds(5), now, SteadyTime::min()}) {
    const auto outcome = Wait({.deadline = deadline}).get();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::kDeadlineExceeded);
    EXPECT_EQ(outcome.error().message, "waiting for job j: the deadline has passed");
  }
}

TEST_F(CompletionsTest, JobThatHasEndedIsDeliveredAfterTheDeadline) {
  context_.StoreResult("j", JobState::kSucceeded);
  EXPECT_EQ(Wait({.deadline = SteadyTime::min()}).get()->state, JobState::kSucceeded);
  EXPECT_EQ(Wait({.deadline = SteadyTime::max()}).get()->state, JobState::kSucceeded);
}

TEST_F(CompletionsTest, WatchedEndIsDeliveredWhileTheJobStillLooksActive) {
  backend::Observation active;
  active.alive = true;
  active.status.state = JobState::kRunning;
  context_.target().observations = backend::Observations{{"j", active}};
  context_.StoreResult("j", JobState::kSucceeded);
  std::promise<void> end;
  context_.target().watch_ends = [&, ended = end.get_future().share()](
                                     const std::function<void(std::string_view)>& report,
                                     const std::stop_token& stop) -> Status {
    ended.wait();
    report("j");
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  auto outcome = Wait();
  EXPECT_EQ(outcome.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  end.set_value();
  EXPECT_EQ(outcome.get()->state, JobState::kSucceeded);
}

/// An event that arrives while the result is read must not keep the thread busy afterwards.
TEST_F(CompletionsTest, ThreadPausesAfterTheLastWait) {
  std::promise<std::function<void(std::string_view)>> reporter;
  context_.target().watch_ends = [&](const std::function<void(std::string_view)>& report,
                                     const std::stop_token& stop) -> Status {
    reporter.set_value(report);
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  const auto store = std::make_shared<test::MemoryStore>(context_.clock());
  const auto report = reporter.get_future().share();
  context_->store = store;
  context_.StoreResult("j", JobState::kSucceeded);
  store->SetHook([report](std::string_view operation, std::string_view name) -> Status {
    if (operation == "get" && name.ends_with("result.json")) report.get()("j");
    return {};
  });
  EXPECT_TRUE(Wait().get());
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(used() - before, std::chrono::milliseconds(200));
}

}  // namespace
}  // namespace kinetic::job
