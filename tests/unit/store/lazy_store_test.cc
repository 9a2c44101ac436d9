#include "store/lazy_store.h"

#include "store/source.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::store {
namespace {

using std::chrono::milliseconds;

/// Controls when the check of a store ends, and its outcome.
class LazyStoreTest : public testing::Test {
 protected:
  LazyStoreTest() { Open(); }

  void Open() {
    auto inner = std::make_unique<test::MemoryStore>(clock_);
    EXPECT_TRUE(PutBytes(*inner, "a", "content", Precondition::Absent(), {}));
    inner->SetHook([this](std::string_view operation, std::string_view) -> Status {
      if (operation != "stored") ++requests_;
      return {};
    });
    const auto check = [this](Store&, const std::stop_token& stop) -> Result<bool> {
      ++checks_;
      const std::stop_callback wake(stop, [this] { End(true); });
      return outcome_.get();
    };
    const auto create = [this](Store& store, const std::stop_token& stop) -> Status {
      if (create_error_) return Failure(*std::exchange(create_error_, std::nullopt));
      ++created_;
      return Outcome(PutBytes(store, "format.json", "1", Precondition::Absent(), stop));
    };
    store_ = std::make_unique<LazyStore>(std::move(inner), check, create);
  }

  void End(Result<bool> outcome) {
    if (!ended_.exchange(true)) set_outcome_.set_value(std::move(outcome));
  }
  /// Blocks the next check until End.
  void Rearm() {
    set_outcome_ = {};
    outcome_ = set_outcome_.get_future().share();
    ended_ = false;
  }

  template <typename T>
  static Status Outcome(const Result<T>& result) {
    return result ? Status() : Status(Failure(result.error()));
  }

  Status Stat(std::stop_token stop = {}) { return Outcome(store_->Stat("a", std::move(stop))); }

  /// The calls that read. Counts what they return in results_.
  std::vector<std::function<Status()>> Reads() {
    const auto piece = [this](std::string_view) -> Status {
      ++results_;
      return {};
    };
    const auto each = [this](const ObjectInfo&) -> Result<bool> {
      ++results_;
      return true;
    };
    return {[this] { return Stat(); }, [this, each] { return store_->List("", "", each, {}); },
            [this, piece] { return Outcome(store_->Get("a", {}, piece, {})); }};
  }

  std::vector<std::function<Status()>> Changes() {
    return {[this] { return Outcome(PutBytes(*store_, "b", "x", Precondition::Absent(), {})); },
            [this] { return Outcome(store_->Touch("a", {}, {})); },
            [this] { return Outcome(store_->RemoveIfUnchanged({.name = "c"}, {})); },
            [this] { return Outcome(store_->RemoveLeftovers({})); },
            [this] { return Outcome(store_->Now({})); },
            [this] { return Outcome(store_->ExactNow({})); }};
  }

  static std::vector<std::future<Status>> Start(const std::vector<std::function<Status()>>& calls) {
    std::vector<std::future<Status>> started;
    for (const auto& call : calls) started.push_back(std::async(std::launch::async, call));
    return started;
  }

  test::FakeClock clock_;
  std::atomic<int> requests_ = 0;
  std::atomic<int> results_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<int> checks_ = 0;
  std::promise<Result<bool>> set_outcome_;
  std::shared_future<Result<bool>> outcome_ = set_outcome_.get_future().share();
  std::optional<Error> create_error_;
  std::atomic<int> created_ = 0;
  std::unique_ptr<LazyStore> store_;
};

TEST_F(LazyStoreTest, SendsReadsDuringTheCheckAndReturnsAfterIt) {
  auto reads = Start(Reads());
  while (requests_ < static_cast<int>(reads.size())) std::this_thread::yield();
  for (auto& read : reads) EXPECT_EQ(read.wait_for(milliseconds(10)), std::future_status::timeout);
  EXPECT_EQ(results_, 0);
  End(true);
  for (auto& read : reads) EXPECT_TRUE(read.get());
  EXPECT_EQ(results_, 2);
}

TEST_F(LazyStoreTest, ChangesNothingBeforeTheCheck) {
  auto changes = Start(Changes());
  for (auto& change : changes) {
    EXPECT_EQ(change.wait_for(milliseconds(10)), std::future_status::timeout);
  }
  EXPECT_EQ(requests_, 0);
  End(true);
  for (auto& change : changes) EXPECT_TRUE(change.get());
  EXPECT_GT(requests_, 0);
}

TEST_F(LazyStoreTest, ReturnsTheErrorOfTheCheck) {
  End(Fail(ErrorCode::kFailedPrecondition, "format 2"));
  for (auto calls : {Reads(), Changes()}) {
    for (auto& call : Start(calls)) {
      const Status status = call.get();
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().message, "format 2");
    }
  }
  EXPECT_EQ(results_, 0);
}

/// Every operation works again once the server does.
TEST_F(LazyStoreTest, ChecksAgainAfterAFailedCheck) {
  for (std::size_t operation = 0; operation < Reads().size() + Changes().size(); ++operation) {
    auto calls = Reads();
    for (auto& change : Changes()) calls.push_back(change);
    const int before = checks_;
    End(Fail(ErrorCode::kUnavailable, "connection refused"));
    EXPECT_FALSE(calls[operation]()) << operation;
    Rearm();
    End(true);
    EXPECT_TRUE(calls[operation]()) << operation;
    EXPECT_GT(checks_, before);
    store_.reset();
    Rearm();
    Open();
  }
}

TEST_F(LazyStoreTest, RepeatsNoCheckThatPassed) {
  End(true);
  for (auto& call : Start(Reads())) EXPECT_TRUE(call.get());
  for (auto& call : Start(Changes())) EXPECT_TRUE(call.get());
  EXPECT_EQ(checks_, 1);
}

TEST_F(LazyStoreTest, AStopTakesPrecedenceOverTheError) {
  End(Fail(ErrorCode::kUnavailable, "connection refused"));
  EXPECT_EQ(Stat().error().code, ErrorCode::kUnavailable);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Stat(stop.get_token()).error().code, ErrorCode::kCancelled);
}

TEST_F(LazyStoreTest, FirstObjectCreatesTheStore) {
  End(false);
  for (auto& read : Start(Reads())) EXPECT_TRUE(read.get());
  EXPECT_EQ(created_, 0);
  for (auto& change : Start({Changes()[0], Changes()[0], Changes()[0]})) EXPECT_TRUE(change.get());
  EXPECT_EQ(created_, 1);
}

TEST_F(LazyStoreTest, CreatesTheStoreAgainAfterAFailure) {
  End(false);
  create_error_ = Error{ErrorCode::kUnavailable, "503"};
  const auto put = Changes()[0];
  const Status failed = put();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "503");
  EXPECT_TRUE(put());
  EXPECT_EQ(created_, 1);
}

TEST_F(LazyStoreTest, ObservesTheStopTokenWhileWaiting) {
  std::stop_source stop;
  auto stat = std::async(std::launch::async, [&] { return Stat(stop.get_token()); });
  while (requests_ == 0) std::this_thread::yield();
  stop.request_stop();
  const Status status = stat.get();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
}

TEST_F(LazyStoreTest, StopsTheCheckOnDestruction) {
  store_.reset();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace kinetic::store
