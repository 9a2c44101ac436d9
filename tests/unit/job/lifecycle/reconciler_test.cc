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

class ReconcilerTest : public ::testing::Test {
 protected:
  ReconcilerTest() {
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
  Status Wait(std::string_view id) { return context_->reconciler.Wait(id, {}); }
  bool HasResult() { return ReadResult(*context_, "j", {})->has_value(); }

  std::promise<void> released_;
  std::atomic<bool> is_released_ = false;
  test::FakeContext context_;
};

TEST_F(ReconcilerTest, WaitsOnlyForOwnJobOnCluster) {
  context_.target().is_cluster = true;
  context_->reconciler.Start(*context_);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Wait("another"));
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(took, std::chrono::milliseconds(1900));
  EXPECT_FALSE(HasResult());
  auto own = std::async(std::launch::async, [&] { return Wait("j"); });
  EXPECT_EQ(own.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  Release();
  EXPECT_TRUE(own.get());
  EXPECT_TRUE(HasResult());
}

TEST_F(ReconcilerTest, WaitsForAllLocalJobs) {
  context_->reconciler.Start(*context_);
  auto waiting = std::async(std::launch::async, [&] { return Wait("another"); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  Release();
  EXPECT_TRUE(waiting.get());
  EXPECT_TRUE(HasResult());
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(ReconcilerTest, WaitCanBeStopped) {
  context_.target().is_cluster = true;
  context_->reconciler.Start(*context_);
  std::stop_source stop;
  stop.request_stop();
  const auto waited = context_->reconciler.Wait("j", stop.get_token());
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
}  // and the reconciler ends with the context

TEST_F(ReconcilerTest, RestartsAfterFailure) {
  Release();
  context_.target().sweep_status = Fail(ErrorCode::kUnavailable, "away");
  context_->reconciler.Start(*context_);
  EXPECT_EQ(Wait({}).error().code, ErrorCode::kUnavailable);
  context_.target().sweep_status = {};
  context_->reconciler.Start(*context_);
  EXPECT_TRUE(Wait({}));
  EXPECT_TRUE(HasResult());
}

}  // namespace
}  // namespace kinetic::job
