#include "job/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

namespace kinetic::job {
namespace {

TEST(BackgroundTest, DestructorWaitsForAllWork) {
  constexpr int kWork = 100;
  std::atomic<int> done = 0;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  {
    Background background;
    for (int i = 0; i < kWork; ++i)
      background.Run([&] {
        const int now = ++running;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
        ++done;
      });
  }
  EXPECT_EQ(done, kWork);
  EXPECT_LE(most, 16);
}

TEST(BackgroundTest, WorkRunsConcurrently) {
  std::latch both(2);
  Background background;
  for (int i = 0; i < 2; ++i) background.Run([&] { both.arrive_and_wait(); });
}

}  // namespace
}  // namespace kinetic::job
