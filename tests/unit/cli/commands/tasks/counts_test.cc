#include "commands/tasks/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TaskSummary Failed(std::uint32_t task, std::string reason) {
  TaskSummary summary;
  summary.task = task;
  summary.state = JobState::kFailed;
  summary.reason = std::move(reason);
  return summary;
}

TEST(CountsTest, Texts) {
  const TaskCounts counts{.tasks = 10'000, .running = 20, .succeeded = 1199, .failed = 4};
  EXPECT_EQ(counts.ToString(), "1,203/10,000 done, 4 failed, 20 running");
  EXPECT_EQ(StatesText(counts), "10,000: 1,199 succeeded, 4 failed, 20 running, 8,777 not started");
}

TEST(CountsTest, ProgressHasRateAndRemainingTime) {
  const TaskCounts counts{.tasks = 100, .running = 2, .succeeded = 50};
  EXPECT_EQ(ProgressText(counts, 50, 10s), "50/100 done, 2 running, 5.0/s, 11s left");
  EXPECT_EQ(ProgressText(counts, 5, 50s), "50/100 done, 2 running, 6.0/min, 8m 21s left");
  EXPECT_EQ(ProgressText(counts, 0, 50s), "50/100 done, 2 running");
}

TEST(FailureGroupsTest, ReasonsThatDifferInNumbersAreOneGroup) {
  FailureGroups groups;
  TaskSummary succeeded;
  groups.Add(succeeded);
  groups.Add(Failed(1, "KeyError: 'x'"));
  for (std::uint32_t task = 2; task < 14; ++task)
    groups.Add(Failed(task, "ValueError: row " + std::to_string(task)));
  const auto taken = groups.Take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].count, 12U);
  EXPECT_EQ(taken[0].reason, "ValueError: row 2");
  EXPECT_EQ(TasksOfGroup(taken[0]), "12 tasks (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)");
  EXPECT_EQ(TasksOfGroup(taken[1]), "1 task (1)");
}

}  // namespace
}  // namespace kinetic::cli
