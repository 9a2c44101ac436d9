#include "provision/tasks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <barrier>
#include <mutex>

namespace kinetic::provision {
namespace {

constexpr std::size_t kThreads = 4;

class RunTasksTest : public testing::Test {
 protected:
  std::function<Status(std::stop_token)> Work(int number, bool succeeds = true) {
    return [this, number, succeeds](std::stop_token) -> Status {
      const std::lock_guard lock(mutex_);
      order_.push_back(number);
      if (succeeds) return {};
      return Fail(ErrorCode::kUnavailable, "task " + std::to_string(number));
    };
  }

  std::mutex mutex_;
  std::vector<int> order_;
};

TEST_F(RunTasksTest, FollowsDependencies) {
  const std::vector<Task> tasks{{{1}, Work(0)}, {{2}, Work(1)}, {{}, Work(2)}};
  ASSERT_TRUE(RunTasks(tasks, kThreads, {}));
  EXPECT_THAT(order_, testing::ElementsAre(2, 1, 0));
}

TEST_F(RunTasksTest, IndependentTasksRunAtTheSameTime) {
  std::barrier together(2);  // hangs if they run one after the other
  const auto wait = [&](std::stop_token) -> Status {
    together.arrive_and_wait();
    return {};
  };
  ASSERT_TRUE(RunTasks({{{}, wait}, {{}, wait}}, kThreads, {}));
}

TEST_F(RunTasksTest, FailureSkipsOnlyDependents) {
  const std::vector<Task> tasks{
      {{}, Work(0, false)}, {{0}, Work(1)}, {{1}, Work(2)}, {{}, Work(3)}};
  const Status status = RunTasks(tasks, kThreads, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "task 0");
  EXPECT_THAT(order_, testing::UnorderedElementsAre(0, 3));
}

TEST_F(RunTasksTest, NoTasksSucceed) { EXPECT_TRUE(RunTasks({}, kThreads, {})); }

}  // namespace
}  // namespace kinetic::provision
