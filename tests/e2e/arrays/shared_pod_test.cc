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
#include <vector>

namespace kinetic::test {
namespace {

using ::testing::ElementsAre;

/// Pods that run several tasks of an array, one after the other.
class SharedPod : public ::testing::Test {
 protected:
  /// Returns an array whose function gets the number of its task.
  record::Record ArrayOf(std::uint32_t count, std::uint32_t tasks_per_pod, const char* source) {
    auto job = kube_.FunctionJob(source);
    job.spec.array = ArraySpec{.count = count, .tasks_per_pod = tasks_per_pod};
    job.arguments_by_task = true;
    std::vector<std::string> lines;
    for (std::uint32_t task = 0; task < count; ++task)
      lines.push_back(record::ArgumentsToJson({{}, {{"n", std::int64_t{task}}}}));
    job.inline_arguments = record::JoinArgumentLines(lines);
    job.arguments = Sha256::Of(*job.inline_arguments);
    return job;
  }

  record::Record ShellArray(std::uint32_t count, std::uint32_t tasks_per_pod, std::string line) {
    record::Record job = kube_.ShellJob(std::move(line));
    job.spec.array = ArraySpec{.count = count, .tasks_per_pod = tasks_per_pod};
    return job;
  }

  int Run(const record::Record& job, std::uint32_t pod) {
    kube_.task = pod;
    return kube_.RunPod(job);
  }

  std::unique_ptr<Pod> Start(const record::Record& job, std::uint32_t pod) {
    kube_.task = pod;
    auto started = kube_.StartPod(job);
    started->StartLauncher();
    return started;
  }

  static record::Record Task(const record::Record& job, std::uint32_t task) {
    return *record::TaskRecord(job, task);
  }

  Outcome OutcomeOf(const record::Record& job, std::uint32_t task) {
    return kube_.Outcome(Task(job, task)).outcome;
  }

  std::vector<JobState> States(const record::Record& job) {
    std::vector<JobState> states;
    for (std::uint32_t task = 0; task < job.spec.array->count; ++task) {
      const bool has_ended = kube_.HasResult(Task(job, task));
      states.push_back(has_ended ? OutcomeOf(job, task).state : JobState::kQueued);
    }
    return states;
  }

  std::vector<std::uint32_t> Ended(const record::Record& job) {
    std::vector<std::uint32_t> ended;
    EXPECT_TRUE(record::ListEndedTasks(kube_.store(), KeyOf(job), 0,
                                       [&](const TaskSummary& task) -> Result<bool> {
                                         ended.push_back(task.task);
                                         return true;
                                       },
                                       {}));
    return ended;
  }

  void AwaitLog(const Pod& pod, const std::string& text) {
    Eventually([&] { return pod.Output().find(text) != std::string::npos; }, text);
  }

  void Cancel(const std::string& id) {
    ASSERT_TRUE(
        store::PutBytes(kube_.store(), pod::CancelName(id), "", store::Precondition::Absent(), {}));
  }

  PodHarness kube_;
};

constexpr JobState kDone = JobState::kSucceeded;
constexpr JobState kBad = JobState::kFailed;
constexpr JobState kNone = JobState::kQueued;

constexpr const char* kCounting =
    "import os\n"
    "calls = 0\n"
    "def main(n):\n"
    "    global calls\n"
    "    calls += 1\n"
    "    print('task', n, os.environ['KINETIC_TASK_INDEX'])\n"
    "    return [n, calls]\n";

/// Odd tasks wait for their end.
constexpr const char* kWaiting =
    "import os, time\n"
    "def main(n):\n"
    "    print('begun', n, flush=True)\n"
    "    while n % 2 and os.environ['KINETIC_ATTEMPT'] == '1': time.sleep(0.02)\n"
    "    return n\n";

TEST_F(SharedPod, TasksHaveTheirOwnResultsAndLogs) {
  const auto job = ArrayOf(5, 2, kCounting);
  for (const std::uint32_t pod : {2U, 0U, 1U}) EXPECT_EQ(Run(job, pod), 0) << kube_.last->Printed();
  const std::vector<std::string> values{"[0,1]", "[1,2]", "[2,1]", "[3,2]", "[4,1]"};
  for (std::uint32_t task = 0; task < 5; ++task) {
    EXPECT_EQ(OutcomeOf(job, task).value.ToJson(), values[task]) << "modules are imported once";
    const std::string number = std::to_string(task);
    EXPECT_EQ(kube_.Text(Task(job, task), Stream::kStdout), "task " + number + " " + number + "\n");
  }
  EXPECT_THAT(Ended(job), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(SharedPod, TasksDoNotWaitUntilDownloadsAreStored) {
  const auto job = ArrayOf(2, 2,
                           "import os, pathlib\n"
                           "def main(n):\n"
                           "    model = pathlib.Path(os.environ['HF_HOME'], 'hub/models--a')\n"
                           "    model.mkdir(parents=True, exist_ok=True)\n"
                           "    (model / 'weights').write_text('w')\n");
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  const auto stored = store::ListAll(kube_.store(), record::kDownloadPrefix, {});
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->empty());
}

TEST_F(SharedPod, FailedTasksDoNotEndThePod) {
  const auto job = ArrayOf(7, 7,
                           "import os, signal\n"
                           "def main(n):\n"
                           "    if n == 1: raise ValueError('bad')\n"
                           "    if n == 3: os._exit(9)\n"
                           "    if n == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
                           "    return n\n");
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, kBad, kDone, kBad, kDone, kBad, kDone));
  EXPECT_EQ(OutcomeOf(job, 3).exit_code, 9);
  EXPECT_EQ(OutcomeOf(job, 5).exit_code, 137);
}

TEST_F(SharedPod, ProgramsRunOneAfterTheOther) {
  const auto job = ShellArray(4, 4, "echo n is $KINETIC_TASK_INDEX; exit $KINETIC_TASK_INDEX");
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, kBad, kBad, kBad));
  EXPECT_EQ(OutcomeOf(job, 3).exit_code, 3);
  EXPECT_EQ(kube_.Text(Task(job, 2), Stream::kStdout), "n is 2\n");
}

TEST_F(SharedPod, AttemptsOfATaskRunInThePod) {
  auto job = ShellArray(2, 2, "echo attempt $KINETIC_ATTEMPT; exit $((74 + KINETIC_ATTEMPT))");
  job.spec.retry = {.attempts = 2, .on_exit_codes = {75}};
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  for (std::uint32_t task = 0; task < 2; ++task) {
    EXPECT_EQ(OutcomeOf(job, task).attempt, 2U);
    EXPECT_EQ(OutcomeOf(job, task).exit_code, 76);
    EXPECT_EQ(kube_.Text(Task(job, task), Stream::kStdout), "attempt 1\nattempt 2\n");
  }
}

TEST_F(SharedPod, AnotherPodContinuesAfterATaskThatWasKilledWithItsContainer) {
  const auto job = ArrayOf(4, 4, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  pod->KillContainer();
  Eventually([&] { return kube_.HasResult(Task(job, 1)); }, "the result of the killed task");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(States(job), ElementsAre(kDone, kBad, kNone, kNone));
  EXPECT_EQ(OutcomeOf(job, 1).exit_code, 137);
  const auto next = Start(job, 0);
  AwaitLog(*next, "begun 3");
  EXPECT_EQ(next->Output().find("begun 0"), std::string::npos) << "it has a result";
  next->KillContainer();
  Eventually([&] { return kube_.HasResult(Task(job, 3)); }, "the result of the last task");
  EXPECT_EQ(next->EndCollector(), 0);
  EXPECT_EQ(Run(job, 0), 0) << "each task has a result";
  EXPECT_THAT(States(job), ElementsAre(kDone, kBad, kDone, kBad));
  EXPECT_THAT(Ended(job), ElementsAre(0, 1, 2, 3));
}

TEST_F(SharedPod, DeletedPodIsReplaced) {
  auto job = ArrayOf(3, 3, kWaiting);
  job.spec.retry = {.attempts = 2, .on_preempted = true};
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 200);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(States(job), ElementsAre(kDone, kNone, kNone));
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, kDone, kDone));
  EXPECT_EQ(OutcomeOf(job, 1).attempt, 2U);
  EXPECT_EQ(OutcomeOf(job, 2).attempt, 1U);
}

TEST_F(SharedPod, DeletedPodUsesAnAttemptOfTheRunningTaskOnly) {
  const auto job = ArrayOf(3, 3, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 200);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, JobState::kPreempted, kDone));
}

TEST_F(SharedPod, LostPodUsesAnAttemptOfTheRunningTaskOnly) {
  const auto job = ArrayOf(3, 3, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  pod->KillCollector();  // with its machine
  pod->KillContainer();
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, JobState::kPreempted, kDone));
}

TEST_F(SharedPod, CancelledTaskEndsAndTheNextRuns) {
  const auto job = ArrayOf(3, 3, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  Cancel(Task(job, 1).id);
  EXPECT_EQ(pod->AwaitLauncher(), 0) << pod->Printed();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(States(job), ElementsAre(kDone, JobState::kCancelled, kDone));
}

TEST_F(SharedPod, IsCancelledWithItsJob) {
  const auto job = ArrayOf(3, 3, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  Cancel(job.id);
  pod->Terminate();
  pod->AwaitLauncher();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(States(job), ElementsAre(kDone, JobState::kCancelled, kNone));
}

TEST_F(SharedPod, EndsWhenTooManyTasksFailed) {
  auto job = ShellArray(4, 4, "exit $KINETIC_TASK_INDEX");
  job.spec.array->max_failed = 1;
  EXPECT_EQ(Run(job, 0), 204);
  EXPECT_THAT(States(job), ElementsAre(kDone, kBad, kBad, kNone));
}

TEST_F(SharedPod, RestartedCollectorContinues) {
  const auto job = ArrayOf(4, 4, kWaiting);
  const auto pod = Start(job, 0);
  AwaitLog(*pod, "begun 1");
  pod->KillCollector();
  pod->StartCollector();
  Cancel(Task(job, 1).id);
  Cancel(Task(job, 3).id);
  EXPECT_EQ(pod->AwaitLauncher(), 0) << pod->Printed();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(States(job), ElementsAre(kDone, JobState::kCancelled, kDone, JobState::kCancelled));
  EXPECT_EQ(kube_.Text(Task(job, 1), Stream::kStdout), "begun 1\n");
}

TEST_F(SharedPod, OutputsAreThoseOfTheirTask) {
  const auto job = ArrayOf(2, 2,
                           "import os, pathlib\n"
                           "def main(n):\n"
                           "    folder = pathlib.Path(os.environ['KINETIC_OUTPUT_DIR'])\n"
                           "    assert list(folder.iterdir()) == []\n"
                           "    (folder / f'{n}.txt').write_text('x')\n");
  EXPECT_EQ(Run(job, 0), 0) << kube_.last->Printed();
  EXPECT_THAT(States(job), ElementsAre(kDone, kDone));
  std::vector<std::string> names;
  EXPECT_TRUE(kube_.store().List("outputs/", {},
                                 [&](const store::ObjectInfo& object) -> Result<bool> {
                                   names.push_back(object.name.substr(object.name.rfind('/') - 6));
                                   return true;
                                 },
                                 {}));
  EXPECT_THAT(names, ElementsAre("000000/0.txt", "000001/1.txt"));
}

}  // namespace
}  // namespace kinetic::test
