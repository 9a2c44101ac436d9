#include "base/time/clock.h"

#include "support/fake_clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace kinetic {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(SystemClock, SleepEndsWhenStopped) {
  std::stop_source source;
  const std::jthread stopper([&] { source.request_stop(); });
  const auto slept = SystemClock().Sleep(hours(1), source.get_token());
  ASSERT_FALSE(slept);
  EXPECT_EQ(slept.error().code, ErrorCode::kCancelled);
}

TEST(SystemClock, SleepsAtLeastTheDuration) {
  const auto before = SystemClock().Steady();
  ASSERT_TRUE(SystemClock().Sleep(milliseconds(5), {}));
  EXPECT_GE(SystemClock().Steady() - before, milliseconds(5));
}

TEST(FakeClock, AdvancesOnlyOnRequest) {
  test::FakeClock clock(false);
  const auto before = clock.Steady();
  std::atomic<bool> woken = false;
  std::jthread sleeper([&] {
    EXPECT_TRUE(clock.Sleep(milliseconds(10), {}));
    woken = true;
  });
  EXPECT_FALSE(woken);
  while (!woken) clock.Advance(milliseconds(10));
  EXPECT_GE(clock.Steady() - before, milliseconds(10));
}

}  // namespace
}  // namespace kinetic
