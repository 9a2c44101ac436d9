#include "e2e/pod_harness.h"
#include "pod/collect_request.h"
#include "record/ended_task.h"
#include "record/object_names.h"
#include "record/task_arguments.h"
#include "record/task_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {
namespace {

/// The pods of an array's tasks.
class PodOfTask : public ::testing::Test {
 protected:
  record::Record ArrayOf(std::uint32_t count, std::string line) {
    record::Record job = kube_.ShellJob(std::move(line));
    job.spec.array = ArraySpec{.count = count};
    return job;
  }

  /// Runs the pod of one task to its end.
  int Run(const record::Record& job, std::uint32_t task) {
    kube_.task = task;
    return kube_.RunPod(job);
  }

  Outcome OutcomeOf(const record::Record& job, std::uint32_t task) {
    return kube_.Outcome(*record::TaskRecord(job, task)).outcome;
  }

  std::vector<TaskSummary> Ended(const record::Record& job) {
    std::vector<TaskSummary> ended;
    EXPECT_TRUE(record::ListEndedTasks(kube_.store(), KeyOf(job), 0,
                                       [&](const TaskSummary& task) -> Result<bool> {
                                         ended.push_back(task);
                                         return true;
                                       },
                                       {}));
    return ended;
  }

  /// Starts a pod whose program runs until it is stopped.
  std::unique_ptr<Pod> Begun(const record::Record& job, std::uint32_t task) {
    kube_.task = task;
    auto pod = kube_.StartPod(job);
    pod->StartLauncher();
    Eventually([&] { return pod->Output().find("begun") != std::string::npos; }, "it begins");
    return pod;
  }

  void Cancel(const std::string& id) {
    ASSERT_TRUE(
        store::PutBytes(kube_.store(), pod::CancelName(id), "", store::Precondition::Absent(), {}));
  }

  PodHarness kube_;
};

constexpr const char* kEndless = "echo begun; while true; do sleep 0.02; done";

TEST_F(PodOfTask, RunsTheTaskThatKubernetesNames) {
  auto job = kube_.FunctionJob("def main(n):\n    print('n is', n)\n    return n * n\n");
  job.spec.array = ArraySpec{.count = 3};
  job.arguments_by_task = true;
  std::vector<std::string> lines;
  for (const int n : {4, 5, 6}) lines.push_back(record::ArgumentsToJson({{}, {{"n", n}}}));
  job.inline_arguments = record::JoinArgumentLines(lines);
  job.arguments = Sha256::Of(*job.inline_arguments);
  EXPECT_EQ(Run(job, 2), 0) << kube_.last->Printed();
  EXPECT_EQ(OutcomeOf(job, 2).value.ToJson(), "36");
  EXPECT_EQ(kube_.Text(*record::TaskRecord(job, 2), Stream::kStdout), "n is 6\n");
  const auto ended = Ended(job);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].task, 2U);
  EXPECT_EQ(ended[0].value, Value(36));
  EXPECT_FALSE(kube_.HasResult(job)) << "that of the job is written when all tasks have ended";
}

TEST_F(PodOfTask, FailsWithTheCodeOfItsProgram) {
  const auto job = ArrayOf(2, "exit $((40 + KINETIC_TASK_INDEX))");
  EXPECT_EQ(Run(job, 1), 41);
  EXPECT_EQ(Run(job, 1), 41) << "a pod that replaces one with a result";
  EXPECT_EQ(OutcomeOf(job, 1).exit_code, 41);
  EXPECT_EQ(Ended(job).size(), 1U);
}

TEST_F(PodOfTask, CodesOfFailedNodesAreNotThoseOfPrograms) {
  const auto job = ArrayOf(2, "exit $((128 + 127 * KINETIC_TASK_INDEX))");
  for (const std::uint32_t task : {0U, 1U}) {
    EXPECT_EQ(Run(job, task), 202) << "else the task would be run again";
    EXPECT_EQ(OutcomeOf(job, task).exit_code, task == 0 ? 128 : 255);
  }
}

TEST_F(PodOfTask, HasAttemptsOfItsOwn) {
  auto job = ArrayOf(2, "exit $((74 + KINETIC_ATTEMPT))");
  job.spec.retry = {.attempts = 2, .on_exit_codes = {75}};
  EXPECT_EQ(Run(job, 0), 200);
  EXPECT_EQ(Run(job, 1), 200);
  EXPECT_EQ(Run(job, 1), 76);
  EXPECT_EQ(OutcomeOf(job, 1).attempt, 2U);
  EXPECT_EQ(Ended(job).size(), 1U);
}

TEST_F(PodOfTask, CancelledTaskIsNotStartedAgain) {
  const auto job = ArrayOf(2, kEndless);
  const auto pod = Begun(job, 1);
  Cancel(record::TaskRecord(job, 1)->id);
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 0) << "else Kubernetes would count it as failed";
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(OutcomeOf(job, 1).state, JobState::kCancelled);
  EXPECT_EQ(Run(job, 1), 0);
}

TEST_F(PodOfTask, TaskThatIsCancelledBeforeItsPodDoesNotRun) {
  const auto job = ArrayOf(2, "touch " + (kube_.tree / "ran").native());
  Cancel(record::TaskRecord(job, 1)->id);
  EXPECT_EQ(Run(job, 1), 0);
  EXPECT_EQ(OutcomeOf(job, 1).state, JobState::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(kube_.tree / "ran"));
  EXPECT_EQ(Run(job, 0), 0);
  EXPECT_EQ(OutcomeOf(job, 0).state, JobState::kSucceeded) << "others do";
}

TEST_F(PodOfTask, IsCancelledWithItsJob) {
  const auto job = ArrayOf(2, kEndless);
  const auto pod = Begun(job, 0);
  Cancel(job.id);
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(OutcomeOf(job, 0).state, JobState::kCancelled);
}

TEST_F(PodOfTask, IsCancelledWhenTooManyOthersFailed) {
  auto job = ArrayOf(3, "test $KINETIC_TASK_INDEX = 1 && exit 1; " + std::string(kEndless));
  job.spec.array->max_failed = 0;
  const auto pod = Begun(job, 0);
  const auto other = Begun(job, 2);
  EXPECT_EQ(Run(job, 1), 1);
  pod->Terminate();
  pod->AwaitLauncher();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(OutcomeOf(job, 0).state, JobState::kCancelled);
}

TEST_F(PodOfTask, DeletedPodIsPreempted) {
  auto job = ArrayOf(3, kEndless);
  job.spec.array->max_failed = 0;
  const auto pod = Begun(job, 0);
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 122);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(OutcomeOf(job, 0).state, JobState::kPreempted);
}

}  // namespace
}  // namespace kinetic::test
