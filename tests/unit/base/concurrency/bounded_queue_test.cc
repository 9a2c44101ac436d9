#include "base/concurrency/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kinetic {
namespace {

TEST(BoundedQueue, KeepsOrderAndDrainsAfterClose) {
  BoundedQueue<int> queue(10);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(queue.Push(i, 1, {}));
  queue.Close();
  EXPECT_FALSE(queue.Push(9, 1, {}));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.Pop({}), i);
  EXPECT_EQ(queue.Pop({}), std::nullopt);
}

TEST(BoundedQueue, NeverExceedsItsCapacity) {
  BoundedQueue<int> queue(3);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(queue.Push(i, 1, {}));
      ++pushed;
    }
    queue.Close();
  });
  int popped = 0;
  while (const auto item = queue.Pop({})) {
    EXPECT_EQ(*item, popped++);
    EXPECT_LE(pushed - popped, 4);
  }
  EXPECT_EQ(popped, 100);
}

TEST(BoundedQueue, AcceptsAHeavyItemWhenEmpty) {
  BoundedQueue<int> queue(3);
  ASSERT_TRUE(queue.Push(1, 100, {}));
  EXPECT_EQ(queue.Pop({}), 1);
}

TEST(BoundedQueue, StopEndsWaiting) {
  BoundedQueue<int> queue(1);
  ASSERT_TRUE(queue.Push(1, 1, {}));
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_FALSE(queue.Push(2, 1, source.get_token()));
}

}  // namespace
}  // namespace kinetic
