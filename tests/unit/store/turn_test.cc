#include "store/turn.h"

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

constexpr std::string_view kName = "turns/it";

class TurnTest : public ::testing::Test {
 protected:
  /// One who waits, whose clock goes only while it sleeps.
  Result<std::unique_ptr<Turn>> Take(std::stop_token stop = {}) {
    return Turn::Take(
        store_, waiters_, std::string(kName),
        {"waiter", [](std::string_view name) { return name == "dead"; }, [this] { ++told_; }}, {},
        std::move(stop));
  }
  void PutAnothers(const std::string& holder = "alive") {
    ASSERT_TRUE(
        PutBytes(store_, kName, "", Precondition::Absent(), {}, {{"holder", holder}}).value());
  }
  bool IsThere() { return store_.Peek(std::string(kName)).has_value(); }

  test::FakeClock stores_;
  test::FakeClock waiters_;
  test::MemoryStore store_{stores_};
  int told_ = 0;
};

TEST_F(TurnTest, IsTakenAtOnceAndGivenBack) {
  {
    const auto turn = Take();
    ASSERT_TRUE(turn);
    EXPECT_TRUE(IsThere());
  }
  EXPECT_FALSE(IsThere());
  EXPECT_EQ(told_, 0);
}

TEST_F(TurnTest, AnotherWaitsUntilItIsGivenBackAndIsToldOnce) {
  PutAnothers();
  std::atomic<int> looks = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stat" && ++looks == 3) store_.Drop(kName);
    return {};
  });
  const auto turn = Take();
  ASSERT_TRUE(turn);
  EXPECT_TRUE(IsThere());
  EXPECT_EQ(told_, 1);
}

TEST_F(TurnTest, OneThatNobodyRenewsGoesToAnother) {
  PutAnothers();
  const SteadyTime start = waiters_.Steady();
  const auto turn = Take();
  ASSERT_TRUE(turn);
  EXPECT_GE(waiters_.Steady() - start, Turn::Times().patience);
}

TEST_F(TurnTest, OfOneThatIsKnownToHaveEndedNothingIsAwaited) {
  PutAnothers("dead");
  int looks = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stat") ++looks;
    return {};
  });
  const auto turn = Take();
  ASSERT_TRUE(turn);
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(store_.Objects().at(std::string(kName)).metadata.at("holder"), "waiter");
}

TEST_F(TurnTest, OneThatIsRenewedIsWaitedForHoweverLongThatTakes) {
  PutAnothers();
  const auto before = store_.Objects().at(std::string(kName)).generation;
  const SteadyTime start = waiters_.Steady();
  std::stop_source gives_up;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation != "stat") return {};
    EXPECT_TRUE(store_.Touch(kName, {}, {}));
    if (waiters_.Steady() - start > hours(1)) gives_up.request_stop();
    return {};
  });
  const auto turn = Take(gives_up.get_token());
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(store_.Objects().at(std::string(kName)).generation, before);
}

TEST_F(TurnTest, IsRenewedWhileItIsHeld) {
  test::FakeClock mine(false);
  const auto turn = Turn::Take(store_, mine, std::string(kName), {}, {}, {});
  ASSERT_TRUE(turn);
  const auto metageneration = [&] {
    return store_.Objects().at(std::string(kName)).metageneration;
  };
  for (int times = 0; times < 3; ++times) {
    const auto before = metageneration();
    while (metageneration() == before) mine.Advance(milliseconds(100));
  }
}

TEST_F(TurnTest, WhatAnotherHasByNowIsLeftToIt) {
  {
    test::FakeClock mine(false);
    const auto turn = Turn::Take(store_, mine, std::string(kName), {}, {}, {});
    ASSERT_TRUE(turn);
    store_.Drop(kName);
    PutAnothers();
    mine.Advance(seconds(60));
  }
  EXPECT_TRUE(IsThere());
}

TEST_F(TurnTest, AStoreThatIsAwayForAMomentEndsNothing) {
  test::FakeClock mine(false);
  const auto turn = Turn::Take(store_, mine, std::string(kName), {}, {}, {});
  ASSERT_TRUE(turn);
  std::atomic<int> touches = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "touch" && ++touches == 1) return Fail(ErrorCode::kUnavailable, "away");
    return {};
  });
  while (touches < 2) mine.Advance(milliseconds(100));
}

}  // namespace
}  // namespace kinetic::store
