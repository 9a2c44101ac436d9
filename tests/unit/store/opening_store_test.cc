#include "store/opening_store.h"

#include "store/sources.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace kinetic::store {
namespace {

using std::chrono::milliseconds;

/// A store whose check ends when the test says so, and how.
class OpeningStoreTest : public testing::Test {
 protected:
  OpeningStoreTest() {
    auto inner = std::make_unique<test::MemoryStore>(clock_);
    EXPECT_TRUE(PutBytes(*inner, "a", "content", Precondition::Absent(), {}));
    inner->SetHook([this](std::string_view operation, std::string_view) -> Status {
      if (operation != "stored") ++asked_;
      return {};
    });
    store_ = std::make_unique<OpeningStore>(
        std::move(inner), [this](Store&, const std::stop_token& stop) -> Status {
          const std::stop_callback wake(stop, [this] { End({}); });
          return outcome_.get_future().get();
        });
  }

  void End(Status outcome) {
    if (!ended_.exchange(true)) outcome_.set_value(std::move(outcome));
  }

  template <typename T>
  static Status Outcome(const Result<T>& result) {
    return result ? Status() : Status(Failure(result.error()));
  }

  Status Stat(std::stop_token stop = {}) { return Outcome(store_->Stat("a", std::move(stop))); }

  /// All that reads; what is read counts as told.
  std::vector<std::function<Status()>> Reads() {
    const auto piece = [this](std::string_view) -> Status {
      ++told_;
      return {};
    };
    const auto each = [this](const ObjectInfo&) -> Result<bool> {
      ++told_;
      return true;
    };
    return {[this] { return Stat(); }, [this, each] { return store_->List("", "", each, {}); },
            [this, piece] { return Outcome(store_->Get("a", {}, piece, {})); }};
  }

  std::vector<std::function<Status()>> Others() {
    return {[this] { return Outcome(PutBytes(*store_, "b", "x", Precondition::Absent(), {})); },
            [this] { return Outcome(store_->Touch("a", {}, {})); },
            [this] { return Outcome(store_->RemoveIfUnchanged({.name = "c"}, {})); },
            [this] { return Outcome(store_->RemoveLeftovers({})); },
            [this] { return Outcome(store_->Now({})); }};
  }

  static std::vector<std::future<Status>> Begin(const std::vector<std::function<Status()>>& calls) {
    std::vector<std::future<Status>> begun;
    for (const auto& call : calls) begun.push_back(std::async(std::launch::async, call));
    return begun;
  }

  test::FakeClock clock_;
  std::atomic<int> asked_ = 0;
  std::atomic<int> told_ = 0;
  std::atomic<bool> ended_ = false;
  std::promise<Status> outcome_;
  std::unique_ptr<OpeningStore> store_;
};

TEST_F(OpeningStoreTest, AsksWhileItIsCheckedAndAnswersAfterwards) {
  auto reads = Begin(Reads());
  while (asked_ < static_cast<int>(reads.size())) std::this_thread::yield();
  for (auto& read : reads) EXPECT_EQ(read.wait_for(milliseconds(10)), std::future_status::timeout);
  EXPECT_EQ(told_, 0);
  End({});
  for (auto& read : reads) EXPECT_TRUE(read.get());
  EXPECT_EQ(told_, 2);
}

TEST_F(OpeningStoreTest, ChangesNothingBeforeItIsChecked) {
  auto changes = Begin(Others());
  for (auto& change : changes) {
    EXPECT_EQ(change.wait_for(milliseconds(10)), std::future_status::timeout);
  }
  EXPECT_EQ(asked_, 0);
  End({});
  for (auto& change : changes) EXPECT_TRUE(change.get());
  EXPECT_GT(asked_, 0);
}

TEST_F(OpeningStoreTest, WhoseCheckFailsFailsAsItDid) {
  End(Fail(ErrorCode::kFailedPrecondition, "format 2"));
  for (auto calls : {Reads(), Others()}) {
    for (auto& call : Begin(calls)) {
      const Status status = call.get();
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().message, "format 2");
    }
  }
  EXPECT_EQ(told_, 0);
}

TEST_F(OpeningStoreTest, WhoIsStoppedDoesNotWait) {
  std::stop_source stop;
  auto stat = std::async(std::launch::async, [&] { return Stat(stop.get_token()); });
  while (asked_ == 0) std::this_thread::yield();
  stop.request_stop();
  const Status status = stat.get();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
}

TEST_F(OpeningStoreTest, EndsItsCheckWithItself) {
  store_.reset();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace kinetic::store
