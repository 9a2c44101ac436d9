#include "backend/kubernetes/snapshot/array_status.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::backend {
namespace {

/// An array of ten tasks with this status.
Value ArrayWith(const std::string& status) {
  return *Value::FromJson(
      R"({"metadata":{"name":"kinetic-a","annotations":{"kinetic.dev/tasks":"10","x":"y"}},)"
      R"("spec":{"template":{"spec":{"terminationGracePeriodSeconds":150}}},"status":)" +
      status + "}");
}

ClusterSnapshot SnapshotOf(Value job) {
  ClusterSnapshot snapshot;
  snapshot.job_id = "a";
  snapshot.job = std::move(job);
  return snapshot;
}

/// 2026-01-01T00:00:00Z and this time later.
WallTime At(std::chrono::seconds later) {
  return WallTime(std::chrono::seconds(1'767'225'600)) + later;
}

TEST(KubernetesArray, CountsIndexes) {
  EXPECT_EQ(CountIndexes(""), 0U);
  EXPECT_EQ(CountIndexes("0"), 1U);
  EXPECT_EQ(CountIndexes("1-3,7"), 4U);
  EXPECT_EQ(CountIndexes("0,2,4-99999"), 99998U);
  EXPECT_EQ(CountIndexes("x,3-1,5"), 1U) << "damaged ranges are empty";
}

TEST(KubernetesArray, FindsIndexes) {
  for (const std::uint32_t present : {1U, 2U, 3U, 7U}) EXPECT_TRUE(HasIndex("1-3,7", present));
  for (const std::uint32_t absent : {0U, 4U, 6U, 8U, 13U}) EXPECT_FALSE(HasIndex("1-3,7", absent));
  EXPECT_FALSE(HasIndex("", 0));
}

TEST(KubernetesArray, CountsTasksAndNotPods) {
  const Value array = ArrayWith(
      R"({"active":3,"ready":2,"succeeded":4,"failed":9,"completedIndexes":"0-2,5","failedIndexes":"3"})");
  EXPECT_TRUE(IsArray(array));
  EXPECT_EQ(TaskCountsOf(array),
            (TaskCounts{.tasks = 10, .running = 2, .succeeded = 4, .failed = 1}));
  EXPECT_FALSE(IsArray(Value()));
}

/// Ten tasks, four in a pod.
Value SharedWith(const std::string& status) {
  return *Value::FromJson(
      R"({"metadata":{"annotations":{"kinetic.dev/tasks":"10","kinetic.dev/tasks-per-pod":"4"}},)"
      R"("status":)" +
      status + "}");
}

TEST(KubernetesArray, CountsTheTasksOfPodsThatHaveSeveral) {
  EXPECT_EQ(TasksPerPodOf(ArrayWith("{}")), 1U);
  EXPECT_EQ(TasksPerPodOf(Value()), 1U);
  const Value array = SharedWith(R"({"ready":1,"completedIndexes":"0,2"})");
  EXPECT_EQ(TasksPerPodOf(array), 4U);
  EXPECT_EQ(TaskCountsOf(array), (TaskCounts{.tasks = 10, .running = 1, .succeeded = 6}))
      << "the last pod has two tasks";
}

TEST(KubernetesArray, TaskEndsWithThePodOfItsIndex) {
  const Value array = SharedWith(R"({"completedIndexes":"0","failedIndexes":"2"})");
  const auto ends = [&](std::uint32_t task) {
    const Value job = JobOfTask(array, task);
    EXPECT_FALSE(IsArray(job));
    EXPECT_EQ(TasksPerPodOf(job), 4U);
    const Value* conditions = job.Find("status")->Find("conditions");
    return conditions == nullptr ? "" : *(*conditions->AsList())[0].Find("type")->AsString();
  };
  EXPECT_EQ(ends(3), "Complete");
  EXPECT_EQ(ends(4), "");
  EXPECT_EQ(ends(9), "Failed");
}

TEST(KubernetesArray, ShowsCountsWhileItRuns) {
  const auto seen = ObservationOf(
      SnapshotOf(
          ArrayWith(R"({"active":3,"ready":2,"completedIndexes":"0-2","failedIndexes":"3"})")),
      At({}));
  EXPECT_TRUE(seen.alive);
  EXPECT_EQ(seen.status.state, JobState::kRunning);
  EXPECT_EQ(seen.status.reason, "4/10 done, 1 failed, 2 running");
  ASSERT_TRUE(seen.status.tasks);
  EXPECT_EQ(seen.status.tasks->Ended(), 4U);
}

TEST(KubernetesArray, HasNotBegunBeforeItsFirstTask) {
  const auto seen = ObservationOf(SnapshotOf(ArrayWith(R"({"active":3,"ready":0})")), At({}));
  EXPECT_TRUE(seen.alive);
  EXPECT_EQ(seen.status.state, JobState::kPending);
}

TEST(KubernetesArray, IsAliveUntilItsPodsHaveEnded) {
  const std::string failed =
      R"("completedIndexes":"0","failedIndexes":"1,2","conditions":[{"type":"Failed","status":"True",)"
      R"("reason":"MaxFailedIndexesExceeded","lastTransitionTime":"2026-01-01T00:00:00Z"}])";
  auto array = SnapshotOf(ArrayWith(R"({"terminating":2,)" + failed + "}"));
  EXPECT_TRUE(ObservationOf(array, At(std::chrono::seconds(10))).alive);
  EXPECT_EQ(ObservationOf(array, At({})).status.state, JobState::kRunning);
  // Kubernetes 1.29 does not count them down.
  EXPECT_FALSE(ObservationOf(array, At(std::chrono::seconds(211))).alive);
  array = SnapshotOf(ArrayWith("{" + failed + "}"));
  const auto ended = ObservationOf(array, At({}));
  EXPECT_FALSE(ended.alive);
  EXPECT_EQ(ended.status.state, JobState::kFailed);
  EXPECT_EQ(Explain(array.ViewAt(At({}))).headline, "2 of 10 tasks failed, 7 did not run");
}

TEST(KubernetesArray, SuspendedArrayHasPodsUntilTheyHaveEnded) {
  const std::string suspended = R"("conditions":[{"type":"Suspended","status":"True"}]})";
  EXPECT_TRUE(HasNoPods(ArrayWith("{" + suspended)));
  EXPECT_FALSE(HasNoPods(ArrayWith(R"({"terminating":1,)" + suspended)));
  EXPECT_FALSE(HasNoPods(ArrayWith(R"({"active":0})"))) << "it starts more";
}

TEST(KubernetesArray, TaskHasTheStateOfItsIndex) {
  const Value array = ArrayWith(
      R"({"active":3,"completedIndexes":"0-2","failedIndexes":"3","conditions":[{"type":"Suspended","status":"False"}]})");
  const auto state = [&](std::uint32_t task) {
    return StateOf(SnapshotOf(JobOfTask(array, task)).ViewAt(At({}))).state;
  };
  EXPECT_EQ(state(2), JobState::kSucceeded);
  EXPECT_EQ(state(3), JobState::kFailed);
  EXPECT_EQ(state(4), JobState::kPending);
  EXPECT_FALSE(IsArray(JobOfTask(array, 2)));
}

TEST(KubernetesArray, TaskThatNeverRanEndsWithItsJob) {
  const Value array = ArrayWith(
      R"({"failedIndexes":"3","conditions":[{"type":"Failed","status":"True","reason":"FailedIndexes"}]})");
  EXPECT_EQ(StateOf(SnapshotOf(JobOfTask(array, 7)).ViewAt(At({}))).state, JobState::kFailed);
}

TEST(KubernetesArray, TaskHasPodsOfItsOwn) {
  const ObjectNames names = ObjectNamesOf("a/tasks/000003");
  EXPECT_EQ(names.job, "kinetic-a");
  EXPECT_EQ(names.pod_selector,
            "batch.kubernetes.io/job-name=kinetic-a,batch.kubernetes.io/job-completion-index=3");
  EXPECT_TRUE(IsPodOf("kinetic-a-3-x7k2p", names));
  EXPECT_FALSE(IsPodOf("kinetic-a-13-x7k2p", names));
  EXPECT_FALSE(IsPodOf("kinetic-a-3-x7k2p", ObjectNamesOf("a")));
  const std::string longest(50, 'n');
  EXPECT_EQ(ObjectNamesOf(longest + "/tasks/000003").pods,
            "kinetic-" + std::string(47, 'n') + "-3");
}

}  // namespace
}  // namespace kinetic::backend
