#include "job/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

namespace kinetic::job {
namespace {

TEST(BackgroundTest, DestructorWaitsForAllWork) {
  constexpr int kWork = 100;
  std::atomic<int> done = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  {
    Background background;
    for (int i = 0; i < kWork; ++i)
      background.Run([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        ++done;
      });
  }
  EXPECT_EQ(done, kWork);
  EXPECT_LE(threads.size(), 16U);
}

TEST(BackgroundTest, WorkRunsConcurrently) {
  std::latch both(2);
  Background background;
  for (int i = 0; i < 2; ++i) background.Run([&] { both.arrive_and_wait(); });
}

}  // namespace
}  // namespace kinetic::job
