#include "e2e/pod_harness.h"
#include "pod/collect_request.h"
#include "record/checkpoint.h"
#include "record/index.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;

class PodFault : public ::testing::Test {
 protected:
  /// Returns a job that prints "begun" and waits until the gate is open.
  record::Record GatedJob(const std::string& after = "echo done") {
    return kube_.ShellJob("echo begun; until test -e " + Gate().native() +
                          "; do sleep 0.02; done; " + after);
  }
  Path Gate() const { return kube_.tree / "gate"; }
  void OpenGate() const { std::ofstream(Gate()).flush(); }

  static void AwaitPrinted(const Pod& pod, std::string_view text) {
    Eventually([&] { return pod.Printed().find(text) != std::string::npos; }, text);
  }

  std::unique_ptr<Pod> Begun(const record::Record& job) {
    auto pod = kube_.StartPod(job);
    pod->StartLauncher();
    AwaitPrinted(*pod, "begun");
    return pod;
  }

  record::StoredOutcome Attempt(const record::Record& job, std::uint32_t attempt) {
    const auto stored = record::OutcomeFromJson(
        kube_.Stored(record::RunResultName(record::RunKey(job.id, attempt))));
    EXPECT_TRUE(stored) << "attempt " << attempt;
    return stored ? *stored : record::StoredOutcome();
  }

  PodHarness kube_;
};

TEST_F(PodFault, DeletedPodIsPreempted) {
  const auto job = GatedJob();
  const auto pod = Begun(job);
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 122);
  EXPECT_EQ(pod->EndCollector(), 0);
  const auto outcome = kube_.Outcome(job).outcome;
  EXPECT_EQ(outcome.state, JobState::kPreempted);
  EXPECT_EQ(outcome.exit_code, 122);
}

TEST_F(PodFault, DeletedPodOfCancelledJobIsCancelled) {
  const auto job = GatedJob();
  const auto pod = Begun(job);
  ASSERT_TRUE(store::PutBytes(kube_.store(), pod::CancelName(job.id), "",
                              store::Precondition::Absent(), {}));
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 126);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.state, JobState::kCancelled);
}

TEST_F(PodFault, PreemptedJobRestoresCheckpointOnNewMachine) {
  auto job = kube_.ShellJob(
      "cd $KINETIC_CHECKPOINT_DIR; echo step $KINETIC_ATTEMPT >> steps; cat steps; "
      "test $KINETIC_ATTEMPT = 2 && exit; trap 'exit 3' TERM; echo begun; "
      "while true; do sleep 0.02; done");
  job.spec.retry.attempts = 2;
  const auto first = Begun(job);
  first->Terminate();
  EXPECT_EQ(first->AwaitLauncher(), 200);
  EXPECT_EQ(first->EndCollector(), 0);
  EXPECT_FALSE(kube_.HasResult(job));
  EXPECT_EQ(Attempt(job, 1).outcome.state, JobState::kPreempted);
  std::filesystem::remove_all(first->folder());

  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(kube_.Outcome(job).outcome.attempt, 2U);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "step 1\nbegun\nstep 1\nstep 2\n");
  EXPECT_THAT(kube_.Text(job, Stream::kSystem),
              HasSubstr("restored checkpoint 1 of attempt 1: 1 file, 7 B"));
  const auto log = kube_.Log(job);
  for (std::size_t i = 0; i < log.size(); ++i) EXPECT_EQ(log[i].sequence, i);
  EXPECT_EQ(kube_.Outcome(job).log_records, log.size());
}

TEST_F(PodFault, RetryNeedsAnotherPod) {
  auto job = kube_.ShellJob("echo attempt $KINETIC_ATTEMPT; test $KINETIC_ATTEMPT = 2 || exit 75");
  job.spec.retry.attempts = 2;
  job.spec.retry.on_exit_codes = {75};
  EXPECT_EQ(kube_.RunPod(job), 200);
  EXPECT_EQ(kube_.last->PrintedEnd(), "");
  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "attempt 1\nattempt 2\n");
  EXPECT_EQ(kube_.Text(job, Stream::kSystem), "attempt 1 of 2: exited with code 75; retrying\n");
}

TEST_F(PodFault, ResultHasTheTimeOfAllAttemptsOnTheirNodes) {
  auto job = kube_.ShellJob("echo begun; test $KINETIC_ATTEMPT = 2 || { sleep 0.3; exit 75; }");
  job.price = JobPrice{"us-west4", Provisioning::kSpot, Price{0.30, "2026-11-28"}};
  job.spec.retry.attempts = 2;
  job.spec.retry.on_exit_codes = {75};
  EXPECT_EQ(kube_.RunPod(job), 200);
  const auto first = Attempt(job, 1).node_time;
  EXPECT_GE(first, std::chrono::milliseconds(300));
  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_GT(kube_.Outcome(job).node_time, first);
  const auto indexed = record::NewestJobs(kube_.store(), 1, {});
  ASSERT_TRUE(indexed && indexed->size() == 1);
  EXPECT_EQ(indexed->front().price, job.price);
  EXPECT_GT(indexed->front().node_time, first);
}

TEST_F(PodFault, PodWithoutAttemptLeftEndsJob) {
  const auto job = GatedJob();
  const auto lost = Begun(job);
  lost->KillContainer();
  lost->KillCollector();  // with its machine
  EXPECT_EQ(kube_.RunPod(job), 122);
  const auto outcome = kube_.Outcome(job).outcome;
  EXPECT_EQ(outcome.state, JobState::kPreempted);
  EXPECT_THAT(outcome.reason, HasSubstr("no attempts left (of 1)"));
}

TEST_F(PodFault, ExistingResultIsNotReplaced) {
  const auto job = kube_.ShellJob("echo once; exit 3");
  EXPECT_EQ(kube_.RunPod(job), 3);
  const std::string result = kube_.Stored(record::ResultName(job.id));
  EXPECT_EQ(kube_.RunPod(job), 3);
  EXPECT_EQ(kube_.Stored(record::ResultName(job.id)), result);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "once\n");
}

TEST_F(PodFault, KilledContainerLeavesLogAndNoResult) {
  const auto job = GatedJob();
  const auto pod = Begun(job);
  pod->KillContainer();
  Eventually([&] { return pod->PrintedEnd() == "unknown -"; }, "the last line");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_FALSE(kube_.HasResult(job));
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "begun\n");
  EXPECT_EQ(kube_.Text(job, Stream::kSystem),
            "all processes in the container were killed, probably because it ran out of memory\n");
  EXPECT_EQ(Attempt(job, 1).outcome.state, JobState::kLost);
  EXPECT_EQ(Attempt(job, 1).log_records, 2U);
}

TEST_F(PodFault, DetectsContainerKilledBeforeStart) {
  const auto job = GatedJob();
  const auto pod = kube_.StartPod(job);
  AwaitPrinted(*pod, "waiting for the job's container");
  pod->FreezeCollector();
  pod->StartLauncher();
  Eventually([&] { return pod->Has("launcher.lock"); }, "the launcher begins");
  pod->KillContainer();
  pod->ThawCollector();
  Eventually([&] { return pod->PrintedEnd() == "unknown -"; }, "the last line");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(Attempt(job, 1).outcome.phase, Phase::kStart);
}

TEST_F(PodFault, FunctionReturnedBeforeKillHasSucceeded) {
  const auto job = kube_.FunctionJob(
      "import atexit, time\n"
      "def main():\n"
      "    atexit.register(time.sleep, 60)\n"
      "    return 5\n");
  const auto pod = kube_.StartPod(job);
  pod->StartLauncher();
  Eventually([&] { return pod->Has("returned"); }, "the function returns");
  pod->KillContainer();
  AwaitPrinted(*pod, "end ");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "5");
}

TEST_F(PodFault, KillAfterProgramEndChangesNothing) {
  const auto job = GatedJob("exit 6");
  const auto pod = Begun(job);
  pod->FreezeCollector();
  OpenGate();
  Eventually([&] { return pod->Has("report.json"); }, "the program ends");
  pod->KillContainer();
  pod->ThawCollector();
  AwaitPrinted(*pod, "end ");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.exit_code, 6);
}

TEST_F(PodFault, CollectorResumesWhileProgramRuns) {
  const auto job = GatedJob(R"(seq 1000; echo '{"kinetic.metrics": {"step": 1}}')");
  const auto pod = Begun(job);
  pod->KillCollector();
  OpenGate();
  Eventually([&] { return pod->Has("report.json"); }, "the program ends");
  pod->StartCollector();
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(kube_.Outcome(job).outcome.attempt, 1U);
  const auto log = kube_.Log(job);
  ASSERT_EQ(log.size(), 1002U);
  for (std::size_t i = 0; i < log.size(); ++i) ASSERT_EQ(log[i].sequence, i);
  EXPECT_TRUE(kube_.Outcome(job).outcome.metrics.empty())
      << "rows before the restart would be missing";
}

TEST_F(PodFault, CollectorResumesBeforeProgramStarts) {
  const auto job = kube_.FunctionJob("def main(): return 7\n");
  const auto pod = kube_.StartPod(job);
  AwaitPrinted(*pod, "waiting for the job's container");
  pod->KillCollector();
  pod->StartLauncher();
  Eventually([&] { return pod->Has("launcher.lock"); }, "the launcher begins");
  pod->StartCollector();
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "7");
  EXPECT_EQ(kube_.Outcome(job).outcome.attempt, 1U);
}

TEST_F(PodFault, RestartedCollectorRepeatsEndLine) {
  const auto job = kube_.ShellJob("true");
  const auto pod = kube_.StartPod(job);
  pod->StartLauncher();
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  AwaitPrinted(*pod, "end ");
  const std::string end = pod->PrintedEnd();
  pod->KillCollector();
  pod->StartCollector();
  AwaitPrinted(*pod, "end ");
  EXPECT_EQ(pod->PrintedEnd(), end);
  EXPECT_EQ(pod->EndCollector(), 0);
}

TEST_F(PodFault, PodDeletedBeforeStartIsPreempted) {
  const auto job = GatedJob();
  const auto pod = kube_.StartPod(job);
  AwaitPrinted(*pod, "waiting for the job's container");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.state, JobState::kPreempted);
}

TEST_F(PodFault, PendingTimeoutDoesNotApplyAfterStart) {
  auto job = GatedJob("exit 75");
  job.spec.timeouts.pending = std::chrono::milliseconds(1500);
  job.spec.retry.attempts = 2;
  job.spec.retry.on_exit_codes = {75};
  const auto pod = Begun(job);
  pod->KillCollector();
  const auto late = job.created + std::chrono::milliseconds(1500);
  Eventually([&] { return SystemClock().Now() > late; }, "timeouts.pending passes");
  pod->StartCollector();
  AwaitPrinted(*pod, "begun");
  OpenGate();
  EXPECT_EQ(pod->AwaitLauncher(), 200);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.RunPod(job), 75) << "nor to another attempt";
  EXPECT_EQ(kube_.Outcome(job).outcome.attempt, 2U);
}

TEST_F(PodFault, CollectorResumesWhileProgramStops) {
  auto job = kube_.ShellJob(
      "trap 'touch " + (kube_.tree / "asked").native() + "; until test -e " + Gate().native() +
      "; do sleep 0.02; done; echo saved; exit 3' TERM; echo begun; while true; do sleep 0.02; "
      "done");
  job.spec.timeouts.grace = std::chrono::milliseconds(20'000);
  const auto pod = Begun(job);
  pod->Terminate();
  Eventually([&] { return std::filesystem::exists(kube_.tree / "asked"); },
             "the program receives SIGTERM");
  pod->KillCollector();
  pod->StartCollector();
  AwaitPrinted(*pod, "begun");
  OpenGate();
  EXPECT_EQ(pod->AwaitLauncher(), 122);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "begun\nsaved\n");
}

TEST_F(PodFault, StopBeforeRecordNeedsAnotherPod) {
  const auto job = GatedJob();
  kube_.Submit(job);
  const Path record = Path(kube_.store().Location()) / record::RecordName(job.id);
  std::filesystem::rename(record, kube_.tree / "record");
  const auto pod = kube_.StartPod(job);
  AwaitPrinted(*pod, "waiting for the record");
  pod->StartLauncher();
  Eventually([&] { return pod->Has("launcher.lock"); }, "the launcher begins");
  pod->Terminate();
  EXPECT_EQ(pod->AwaitLauncher(), 200);
  EXPECT_EQ(pod->EndCollector(), 0);
}

TEST_F(PodFault, WaitsForUnavailableStore) {
  const auto job = GatedJob();
  const auto pod = Begun(job);
  const Path store(kube_.store().Location());
  std::filesystem::rename(store, kube_.tree / "elsewhere");
  OpenGate();
  AwaitPrinted(*pod, "waiting for the store");
  std::filesystem::rename(kube_.tree / "elsewhere", store);
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "begun\ndone\n");
}

TEST_F(PodFault, WaitsForMissingRecord) {
  const auto job = kube_.ShellJob("echo late");
  kube_.Submit(job);
  const Path record = Path(kube_.store().Location()) / record::RecordName(job.id);
  std::filesystem::rename(record, kube_.tree / "record");
  const auto pod = kube_.StartPod(job);
  AwaitPrinted(*pod, "waiting for the record");
  std::filesystem::rename(kube_.tree / "record", record);
  pod->StartLauncher();
  EXPECT_EQ(pod->AwaitLauncher(), 0);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "late\n");
}

}  // namespace
}  // namespace kinetic::test
