#include "job/lifecycle/outcome.h"
#include "job/lifecycle/reconcile.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stop_token>
#include <utility>

namespace kinetic::job {
namespace {

using ::testing::IsEmpty;

class SettlingTest : public ::testing::Test {
 protected:
  SettlingTest() {
    context_.Submit("j");
    context_.target().jobs["j"].lost = "gone";
    context_.target().before_collect = [this](std::stop_token stop) -> Status {
      const std::stop_callback over(stop, [this] { Release(); });
      released_.get_future().wait();
      return stop.stop_requested() ? Status(Fail(ErrorCode::kCancelled, "stopped")) : Status();
    };
  }

  void Release() {
    if (!is_released_.exchange(true)) released_.set_value();
  }
  Status Await(std::string_view id) { return context_->settling.Await(id, {}); }
  bool HasResult() { return ReadResult(context_.store(), "j", {})->has_value(); }

  std::promise<void> released_;
  std::atomic<bool> is_released_ = false;
  test::FakeContext context_;
};

TEST_F(SettlingTest, OnAClusterACommandWaitsForItsOwnJobAndOnlyAMomentForOthers) {
  context_.target().far = true;
  context_->settling.Begin(*context_);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Await("another"));
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(took, std::chrono::milliseconds(1900));
  EXPECT_FALSE(HasResult());
  auto own = std::async(std::launch::async, [&] { return Await("j"); });
  EXPECT_EQ(own.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  Release();
  EXPECT_TRUE(own.get());
  EXPECT_TRUE(HasResult());
}

TEST_F(SettlingTest, HereEverythingIsWaitedFor) {
  context_->settling.Begin(*context_);
  auto waiting = std::async(std::launch::async, [&] { return Await("another"); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  Release();
  EXPECT_TRUE(waiting.get());
  EXPECT_TRUE(HasResult());
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(SettlingTest, WhoeverWaitsCanBeStopped) {
  context_.target().far = true;
  context_->settling.Begin(*context_);
  std::stop_source stop;
  stop.request_stop();
  const auto waited = context_->settling.Await("j", stop.get_token());
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
}  // and the settling ends with the context

TEST_F(SettlingTest, AfterAFailureItBeginsAnew) {
  Release();
  context_.target().sweep_refused = Fail(ErrorCode::kUnavailable, "away");
  context_->settling.Begin(*context_);
  EXPECT_EQ(Await({}).error().code, ErrorCode::kUnavailable);
  context_.target().sweep_refused = {};
  context_->settling.Begin(*context_);
  EXPECT_TRUE(Await({}));
  EXPECT_TRUE(HasResult());
}

}  // namespace
}  // namespace kinetic::job
