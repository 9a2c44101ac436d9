#include "store/advisory_lease.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kName = "leases/it";

class AdvisoryLeaseTest : public ::testing::Test {
 protected:
  /// Acquires the lease with a clock that advances only while it sleeps.
  Result<std::unique_ptr<AdvisoryLease>> Acquire(std::stop_token stop = {}) {
    return AdvisoryLease::Acquire(
        store_, waiter_clock_, std::string(kName),
        {"waiter", [](std::string_view name) { return name == "dead"; }, [this] { ++waits_; }}, {},
        std::move(stop));
  }
  void PutOthers(const std::string& holder = "alive") {
    ASSERT_TRUE(
        PutBytes(store_, kName, "", Precondition::Absent(), {}, {{"holder", holder}}).value());
  }
  bool Exists() { return store_.Peek(std::string(kName)).has_value(); }

  test::FakeClock store_clock_;
  test::FakeClock waiter_clock_;
  test::MemoryStore store_{store_clock_};
  int waits_ = 0;
};

TEST_F(AdvisoryLeaseTest, IsAcquiredAtOnceAndReleased) {
  {
    const auto lease = Acquire();
    ASSERT_TRUE(lease);
    EXPECT_TRUE(Exists());
  }
  EXPECT_FALSE(Exists());
  EXPECT_EQ(waits_, 0);
}

TEST_F(AdvisoryLeaseTest, WaitsUntilTheHolderReleasesItAndCallsOnWaitOnce) {
  PutOthers();
  std::atomic<int> stats = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stat" && ++stats == 3) store_.Drop(kName);
    return {};
  });
  const auto lease = Acquire();
  ASSERT_TRUE(lease);
  EXPECT_TRUE(Exists());
  EXPECT_EQ(waits_, 1);
}

TEST_F(AdvisoryLeaseTest, TakesOverAnExpiredLease) {
  PutOthers();
  const SteadyTime start = waiter_clock_.Steady();
  const auto lease = Acquire();
  ASSERT_TRUE(lease);
  EXPECT_GE(waiter_clock_.Steady() - start, AdvisoryLease::Timing().expiry);
}

TEST_F(AdvisoryLeaseTest, TakesOverTheLeaseOfADeadHolderAtOnce) {
  PutOthers("dead");
  int stats = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stat") ++stats;
    return {};
  });
  const auto lease = Acquire();
  ASSERT_TRUE(lease);
  EXPECT_EQ(stats, 1);
  EXPECT_EQ(store_.Objects().at(std::string(kName)).metadata.at("holder"), "waiter");
}

TEST_F(AdvisoryLeaseTest, WaitsAsLongAsTheHolderRenewsIt) {
  PutOthers();
  const auto before = store_.Objects().at(std::string(kName)).generation;
  const SteadyTime start = waiter_clock_.Steady();
  std::stop_source stop;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation != "stat") return {};
    EXPECT_TRUE(store_.Touch(kName, {}, {}));
    if (waiter_clock_.Steady() - start > hours(1)) stop.request_stop();
    return {};
  });
  const auto lease = Acquire(stop.get_token());
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(store_.Objects().at(std::string(kName)).generation, before);
}

TEST_F(AdvisoryLeaseTest, IsRenewedWhileHeld) {
  test::FakeClock clock(false);
  const auto lease = AdvisoryLease::Acquire(store_, clock, std::string(kName), {}, {}, {});
  ASSERT_TRUE(lease);
  const auto metageneration = [&] {
    return store_.Objects().at(std::string(kName)).metageneration;
  };
  for (int times = 0; times < 3; ++times) {
    const auto before = metageneration();
    while (metageneration() == before) clock.Advance(milliseconds(100));
  }
}

TEST_F(AdvisoryLeaseTest, DoesNotReleaseALeaseThatWasTakenOver) {
  {
    test::FakeClock clock(false);
    const auto lease = AdvisoryLease::Acquire(store_, clock, std::string(kName), {}, {}, {});
    ASSERT_TRUE(lease);
    store_.Drop(kName);
    PutOthers();
    clock.Advance(seconds(60));
  }
  EXPECT_TRUE(Exists());
}

TEST_F(AdvisoryLeaseTest, KeepsRenewingWhenTheStoreWasUnavailable) {
  test::FakeClock clock(false);
  const auto lease = AdvisoryLease::Acquire(store_, clock, std::string(kName), {}, {}, {});
  ASSERT_TRUE(lease);
  std::atomic<int> touches = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "touch" && ++touches == 1) return Fail(ErrorCode::kUnavailable, "unavailable");
    return {};
  });
  while (touches < 2) clock.Advance(milliseconds(100));
}

}  // namespace
}  // namespace kinetic::store
