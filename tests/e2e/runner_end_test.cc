#include "e2e/runner_harness.h"
#include "local/process_identity.h"
#include "record/index.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// Starts a daemon without environment, and waits in the foreground.
constexpr const char* kStubborn =
    "trap '' TERM; (trap '' TERM; setsid env -i sleep 600 < /dev/null > /dev/null 2>&1 &);"
    "echo up; while :; do sleep 0.05; done";

void AwaitText(RunnerHarness& runner, const record::Record& job, const std::string& text) {
  Eventually(
      [&] {
        std::error_code ignored;
        for (const auto& file :
             std::filesystem::directory_iterator(runner.RuntimeOf(job).Spool(), ignored)) {
          if (runner.tree.Read(file.path().lexically_relative(runner.tree.path()).native())
                  .find(text) != std::string::npos) {
            return true;
          }
        }
        return false;
      },
      text);
}

TEST(RunnerEnd, CancelTerminatesAllProcesses) {
  RunnerHarness runner;
  auto job = runner.ShellJob(kStubborn);
  job.spec.timeouts.grace = milliseconds(200);
  runner.Start(job);
  AwaitText(runner, job, "up\n");
  const auto supervisor = runner.Supervisor(job);
  const auto before = local::ProcessesOf(job.nonce, static_cast<pid_t>(supervisor.pid));
  EXPECT_GE(before.size(), 2U);
  runner.Cancel(job);
  const auto stored = runner.Await(job);
  EXPECT_EQ(stored.outcome.state, JobState::kCancelled);
  EXPECT_EQ(stored.outcome.exit_code, 126);
  EXPECT_EQ(stored.outcome.exit_source, ExitSource::kKinetic);
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "up\n");
  for (const auto& process : before) {
    EXPECT_NE(local::StartTime(process.pid), process.start_time) << process.pid;
  }
}

TEST(RunnerEnd, CancelAllowsGracePeriod) {
  RunnerHarness runner;
  auto job = runner.ShellJob("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.02; done");
  runner.Start(job);
  AwaitText(runner, job, "up\n");
  runner.Cancel(job);
  EXPECT_EQ(runner.Await(job).outcome.state, JobState::kCancelled);
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "up\nbye\n");
}

TEST(RunnerEnd, SigtermToSupervisorCancelsJob) {
  RunnerHarness runner;
  const auto job = runner.ShellJob("sleep 600");
  runner.Start(job);
  runner.AwaitRunning(job);
  ::kill(static_cast<pid_t>(runner.Supervisor(job).pid), SIGHUP);
  ::kill(static_cast<pid_t>(runner.Supervisor(job).pid), SIGTERM);
  const auto stored = runner.Await(job);
  EXPECT_EQ(stored.outcome.state, JobState::kCancelled);
  EXPECT_THAT(stored.outcome.reason, HasSubstr("SIGTERM"));
}

TEST(RunnerEnd, CancelsQueuedJob) {
  RunnerHarness runner;
  runner.concurrency = 1;
  const auto first = runner.ShellJob("sleep 600");
  const auto second = runner.ShellJob("true");
  runner.Start(first);
  runner.AwaitRunning(first);
  runner.Start(second);
  runner.Cancel(second);
  const auto stored = runner.Await(second);
  EXPECT_EQ(stored.outcome.state, JobState::kCancelled);
  EXPECT_EQ(stored.outcome.phase, Phase::kQueue);
  runner.Cancel(first);
  runner.Await(first);
}

TEST(RunnerEnd, RunTimeoutEndsProgram) {
  RunnerHarness runner;
  auto job = runner.ShellJob("sleep 600");
  job.spec.timeouts.run = milliseconds(200);
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  EXPECT_EQ(stored.outcome.exit_code, 124);
  EXPECT_EQ(stored.outcome.exit_source, ExitSource::kKinetic);
  EXPECT_THAT(stored.outcome.reason, HasSubstr("exceeded its time limit (200 ms)"));
}

TEST(RunnerEnd, PendingTimeoutEndsQueuedJob) {
  RunnerHarness runner;
  runner.concurrency = 1;
  const auto first = runner.ShellJob("sleep 600");
  runner.Start(first);
  runner.AwaitRunning(first);
  auto second = runner.ShellJob("true");
  second.spec.timeouts.pending = milliseconds(300);
  const auto stored = runner.Run(second);
  EXPECT_EQ(stored.outcome.exit_code, 121);
  EXPECT_EQ(stored.outcome.phase, Phase::kQueue);
  runner.Cancel(first);
  runner.Await(first);
}

TEST(RunnerEnd, ReportsDeathBySignal) {
  RunnerHarness runner;
  const auto killed = runner.Run(runner.ShellJob("kill -9 $$"));
  EXPECT_EQ(killed.outcome.exit_code, 137);
  EXPECT_EQ(killed.outcome.reason, "killed by SIGKILL (128+9)");
  const auto crashed = runner.Run(runner.FunctionJob(
      "import os, signal\ndef main():\n    os.kill(os.getpid(), signal.SIGSEGV)\n"));
  EXPECT_EQ(crashed.outcome.exit_code, 139);
  EXPECT_THAT(crashed.outcome.reason, HasSubstr("SIGSEGV"));
}

TEST(RunnerEnd, ReportsMemoryLimit) {
  RunnerHarness runner;
  auto job = runner.FunctionJob(
      "import time\n"
      "def main():\n"
      "    data = []\n"
      "    for _ in range(400):\n"
      "        data.append(bytearray(b'x' * 1048576))\n"
      "        time.sleep(0.001)\n"
      "    time.sleep(1)\n");
  job.spec.resources.memory_bytes = 128U << 20;
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.exit_code, 137) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.reason, "killed: exceeded its memory limit of 128 MiB");
}

TEST(RunnerEnd, KilledSupervisorKillsProgramAndDaemons) {
  RunnerHarness runner;
  const auto job =
      runner.ShellJob("(setsid sleep 600 < /dev/null > /dev/null 2>&1 &); echo up; sleep 600");
  runner.Start(job);
  AwaitText(runner, job, "up\n");
  const auto supervisor = runner.Supervisor(job);
  EXPECT_TRUE(local::IsAlive(supervisor));
  ASSERT_EQ(::kill(static_cast<pid_t>(supervisor.pid), SIGKILL), 0);
  Eventually([&] { return !local::IsAlive(supervisor); }, "the supervisor dies");
  Eventually([&] { return local::ProcessesOf(job.nonce).empty(); }, "the program and daemon die");
  EXPECT_FALSE(runner.HasResult(job));
}

TEST(RunnerEnd, DeathOfSupervisorWakesQueue) {
  RunnerHarness runner;
  runner.concurrency = 1;
  const auto first = runner.ShellJob("sleep 600");
  runner.Start(first);
  runner.AwaitRunning(first);
  const auto second = runner.ShellJob("true");
  runner.Start(second);
  ::kill(static_cast<pid_t>(runner.Supervisor(first).pid), SIGKILL);
  EXPECT_EQ(runner.Await(second).outcome.state, JobState::kSucceeded);
  ASSERT_TRUE(local::EndProcesses(first.nonce, milliseconds(0), SystemClock(), {}));
}

/// Runs a job for which a client stores an end meanwhile. Returns the end that counts.
JobState EndOfJobThatEndedAs(JobState state) {
  RunnerHarness runner;
  const auto job = runner.ShellJob("until [ -e go ]; do sleep 0.02; done");
  runner.Start(job);
  runner.AwaitRunning(job);
  record::StoredOutcome stored;
  stored.job = KeyOf(job);
  stored.outcome.state = state;
  stored.outcome.exit_code = 125;
  stored.written_by = "client";
  EXPECT_TRUE(store::PutBytes(runner.store(), record::ResultName(job.id), record::ToJson(stored),
                              store::Precondition::Absent(), {}));
  JobSummary summary = record::SummaryOf(job);
  summary.state = state;
  summary.attempt = 1;
  EXPECT_TRUE(record::WriteIndex(runner.store(), summary, {}));
  std::ofstream(runner.RuntimeOf(job).Work() / "go").close();
  while (!std::filesystem::exists(runner.RuntimeOf(job).Finished())) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  const auto indexed = record::NewestJobs(runner.store(), 1, {});
  EXPECT_EQ(indexed->front().state, runner.Await(job).outcome.state);
  return indexed->front().state;
}

TEST(RunnerEnd, KeepsAnExistingResult) {
  EXPECT_EQ(EndOfJobThatEndedAs(JobState::kCancelled), JobState::kCancelled);
}

TEST(RunnerEnd, ReplacesAWrongLoss) {
  EXPECT_EQ(EndOfJobThatEndedAs(JobState::kLost), JobState::kSucceeded);
}

TEST(RunnerEnd, CleansUpRuntimeFolder) {
  RunnerHarness runner;
  const auto job = runner.ShellJob("mkdir -p $HOME/a; touch $HOME/a/b; chmod 0 $HOME/a");
  runner.Run(job);
  const auto runtime = runner.RuntimeOf(job);
  for (const Path& folder : {runtime.Work(), runtime.Home(), runtime.Output()}) {
    EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  }
  EXPECT_THAT(std::filesystem::directory_iterator(runtime.Spool()),
              std::filesystem::directory_iterator());
}

}  // namespace
}  // namespace kinetic::test
