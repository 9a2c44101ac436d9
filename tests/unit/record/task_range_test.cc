#include "record/task_range.h"

#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

TEST(TaskRange, TheLastPodHasTheRest) {
  const ArraySpec array{.count = 10, .tasks_per_pod = 4};
  EXPECT_EQ(CountPods(array), 3U);
  EXPECT_EQ(TasksOfPod(array, 0), (TaskRange{0, 4}));
  EXPECT_EQ(TasksOfPod(array, 1), (TaskRange{4, 4}));
  EXPECT_EQ(TasksOfPod(array, 2), (TaskRange{8, 2}));
  EXPECT_EQ(TasksOfPod(array, 3), TaskRange());
}

TEST(TaskRange, EachTaskIsInOnePod) {
  for (const std::uint32_t count : {1U, 2U, 7U, 100U, 100'000U}) {
    for (const std::uint32_t size : {1U, 2U, 3U, 50U, 99'999U, 100'000U}) {
      const ArraySpec array{.count = count, .tasks_per_pod = size};
      std::uint32_t next = 0;
      for (std::uint32_t pod = 0; pod < CountPods(array); ++pod) {
        const TaskRange tasks = TasksOfPod(array, pod);
        ASSERT_EQ(tasks.first, next) << count << " by " << size;
        ASSERT_GE(tasks.count, 1U);
        ASSERT_EQ(tasks.first / size, pod);
        next += tasks.count;
      }
      ASSERT_EQ(next, count) << count << " by " << size;
    }
  }
}

TEST(TaskRange, OneTaskInEachPodByDefault) {
  const ArraySpec array{.count = 3};
  EXPECT_FALSE(SharePods(array));
  EXPECT_EQ(CountPods(array), 3U);
  EXPECT_EQ(TasksOfPod(array, 2), (TaskRange{2, 1}));
  EXPECT_EQ(CountPods(ArraySpec{}), 0U);
}

}  // namespace
}  // namespace kinetic::record
