#include "backend/kubernetes/lifecycle/shared_pods.h"

#include "record/ended_task.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace kinetic::backend {
namespace {

class SharedPods : public ::testing::Test {
 protected:
  void End(std::uint32_t task, JobState state) {
    record::StoredOutcome stored;
    stored.job = {record::TaskId("a", task), record::TaskNonce("n", task)};
    stored.outcome.state = state;
    ASSERT_TRUE(record::WriteEndedTask(store_, stored, {}));
  }

  void Put(const std::string& name) {
    ASSERT_TRUE(store::PutBytes(store_, name, "", store::Precondition::Absent(), {}));
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(SharedPods, StateOfATaskIsThatOfTheStore) {
  const std::string id = record::TaskId("a", 3);
  EXPECT_EQ(*ReadSharedTask(store_, id, {}), SharedTaskState::kWaiting);
  Put(record::ClaimName(id, 1));
  EXPECT_EQ(*ReadSharedTask(store_, id, {}), SharedTaskState::kStarted);
  Put(record::ResultName(id));
  EXPECT_EQ(*ReadSharedTask(store_, id, {}), SharedTaskState::kEnded);
}

TEST_F(SharedPods, EndedTasksAreCountedOnce) {
  EndedCounts ended(store_, "a");
  const auto counted = [&](TaskCounts cluster) {
    record::AttemptStatus status;
    status.tasks = cluster;
    status.reason = cluster.ToString() + "; ending";
    EXPECT_TRUE(ended.Correct(status, {}));
    EXPECT_EQ(status.reason, status.tasks->ToString() + "; ending");
    return *status.tasks;
  };
  const TaskCounts cluster{.tasks = 6, .running = 2, .succeeded = 4};
  EXPECT_EQ(counted(cluster), (TaskCounts{.tasks = 6, .running = 2}));
  End(0, JobState::kSucceeded);
  End(4, JobState::kFailed);
  const TaskCounts some{.tasks = 6, .running = 2, .succeeded = 1, .failed = 1};
  EXPECT_EQ(counted(cluster), some);
  EXPECT_EQ(counted(cluster), some);
  for (const std::uint32_t task : {1U, 2U, 3U}) End(task, JobState::kSucceeded);
  End(5, JobState::kCancelled);
  const TaskCounts all{.tasks = 6, .running = 2, .succeeded = 4, .failed = 1, .cancelled = 1};
  EXPECT_EQ(counted(cluster), all);
  EXPECT_EQ(counted(cluster), all);
}

TEST_F(SharedPods, StatusOfAJobWithoutTasksStays) {
  record::AttemptStatus status{.id = "a", .reason = "waits"};
  ASSERT_TRUE(EndedCounts(store_, "a").Correct(status, {}));
  EXPECT_EQ(status.reason, "waits");
  EXPECT_FALSE(status.tasks);
}

}  // namespace
}  // namespace kinetic::backend
