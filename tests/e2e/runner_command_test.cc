#include "e2e/runner_harness.h"
#include "local/process_identity.h"
#include "local/runtime.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunnerCommand, StoresExitCodeStreamsAndOutputs) {
  RunnerHarness runner;
  const auto job = runner.ShellJob(
      "cat data.txt; echo oops >&2; mkdir $KINETIC_OUTPUT_DIR/a; echo x > $KINETIC_OUTPUT_DIR/a/b;"
      "ln -s /etc/passwd $KINETIC_OUTPUT_DIR/evil; ln -s a/b $KINETIC_OUTPUT_DIR/good; exit 3");
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  EXPECT_EQ(stored.outcome.exit_code, 3);
  EXPECT_EQ(stored.outcome.exit_source, ExitSource::kProgram);
  EXPECT_EQ(stored.outcome.reason, "exited with code 3");
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "data\n");
  EXPECT_EQ(runner.Text(job, Stream::kStderr), "oops\n");
  EXPECT_EQ(runner.Stored(record::OutputName(job.id, "a/b")), "x\n");
  EXPECT_EQ(runner.Stored(record::OutputName(job.id, "good")), "x\n");
  EXPECT_EQ(runner.Stored(record::OutputName(job.id, "evil")), "");
}

TEST(RunnerCommand, EnvironmentDoesNotInheritFromCaller) {
  RunnerHarness runner;
  runner.secrets = {{"TOKEN", "s3cret-value"}};
  auto job = runner.ShellJob("env | sort; pwd; cat; ls -d $HOME $TMPDIR $KINETIC_OUTPUT_DIR");
  job.spec.env = {{"COLOUR", "blue"}};
  ASSERT_EQ(::setenv("FROM_THE_CALLER", "1", 1), 0);
  EXPECT_EQ(runner.Run(job).outcome.state, JobState::kSucceeded);
  const std::string text = runner.Text(job, Stream::kStdout);
  EXPECT_THAT(text, HasSubstr("COLOUR=blue\n"));
  EXPECT_THAT(text, HasSubstr("TOKEN=***\n"));
  EXPECT_THAT(text, HasSubstr("KINETIC_JOB_ID=" + job.id + "\n"));
  EXPECT_THAT(text, HasSubstr("KINETIC_ATTEMPT=1\n"));
  EXPECT_THAT(text, HasSubstr("LC_ALL=C.UTF-8\n"));
  EXPECT_THAT(text, HasSubstr(runner.RuntimeOf(job).Work().native() + "\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("FROM_THE_CALLER")));
}

TEST(RunnerCommand, MaterializesDataAtItsPaths) {
  RunnerHarness runner;
  auto job = runner.ShellJob("cat sets/a/x $KINETIC_DATA_DIR/data/one; true");
  job.data["sets/a"] = {runner.PutBundle({{"x", "folder\n"}}), false};
  job.data["/data/one"] = {runner.PutBundle({{"original-name", "file\n"}}), true};
  EXPECT_EQ(runner.Run(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "folder\nfile\n");
}

TEST(RunnerCommand, MissingProgramFailsBeforeUserCode) {
  RunnerHarness runner;
  auto job = runner.ShellJob("");
  job.spec.run = Command{{}, {"no-such-program", "x"}};
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.exit_code, 123);
  EXPECT_EQ(stored.outcome.phase, Phase::kStart);
  EXPECT_THAT(stored.outcome.reason, StartsWith("the program 'no-such-program' is not in"));
}

TEST(RunnerCommand, RetriesExitCodeInEmptyFolder) {
  RunnerHarness runner;
  auto job = runner.ShellJob(
      "echo attempt $KINETIC_ATTEMPT; test ! -e left || echo stale; touch left;"
      "test $KINETIC_ATTEMPT = 2 || exit 75");
  job.spec.retry.attempts = 3;
  job.spec.retry.on_exit_codes = {75};
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.attempt, 2U);
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "attempt 1\nattempt 2\n");
  EXPECT_THAT(runner.Text(job, Stream::kSystem), HasSubstr("attempt 1 of 3: exited with code 75"));
  const auto log = runner.Log(job);
  for (std::size_t i = 0; i < log.size(); ++i) EXPECT_EQ(log[i].sequence, i);
  EXPECT_EQ(log.back().attempt, 2U);
  EXPECT_THAT(runner.Stored(record::RunResultName(record::RunKey(job.id, 1))), HasSubstr("75"));
}

TEST(RunnerCommand, StopsAfterLastAttempt) {
  RunnerHarness runner;
  auto job = runner.ShellJob("exit 75");
  job.spec.retry.attempts = 2;
  job.spec.retry.on_exit_codes = {75};
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.exit_code, 75);
  EXPECT_EQ(stored.outcome.attempt, 2U);
}

TEST(RunnerCommand, RejectsChangedRecord) {
  RunnerHarness runner;
  const auto job = runner.ShellJob("true");
  ASSERT_TRUE(store::PutBytes(runner.store(), record::RecordName(job.id), "{}",
                              store::Precondition::Absent(), {}));
  local::LaunchRequest request;
  request.job_id = job.id;
  request.record_sha256 = Sha256::Of("something else").Hex();
  request.store = (runner.tree / "store").native();
  request.state_dir = runner.tree / "state";
  const Path file = runner.tree.Write("request", ToJson(request));
  const std::string command = std::string(KINETIC_RUNNER) + " supervise < " + file.native() +
                              " 2> " + (runner.tree / "said").native();
  EXPECT_NE(::system(command.c_str()), 0);
  EXPECT_THAT(runner.tree.Read("said"), HasSubstr("has SHA-256"));
}

TEST(RunnerCommand, MissingBundleFailsBeforeUserCode) {
  RunnerHarness runner;
  auto job = runner.ShellJob("true");
  job.tree = Sha256::Of("not there");
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.exit_code, 123);
  EXPECT_EQ(stored.outcome.phase, Phase::kPull);
}

TEST(RunnerCommand, QueueIsFirstComeFirstServed) {
  RunnerHarness runner;
  runner.concurrency = 1;
  const std::string line = "echo $KINETIC_JOB_ID >> " + (runner.tree / "order").native() +
                           "; until test -e " + (runner.tree / "go").native() +
                           "; do sleep 0.01; done";
  std::vector<record::Record> jobs;
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(runner.ShellJob(line));
    runner.Start(jobs.back());
    expected += jobs.back().id + "\n";
  }
  runner.AwaitRunning(jobs[0]);
  runner.AwaitStatus(jobs[2], [&](const record::AttemptStatus& status) {
    return status.state == JobState::kQueued &&
           status.reason == "waiting for 2 jobs; concurrency is 1";
  });
  runner.tree.Write("go", "");
  for (const auto& job : jobs) {
    EXPECT_EQ(runner.Await(job).outcome.state, JobState::kSucceeded);
  }
  EXPECT_EQ(runner.tree.Read("order"), expected);
}

}  // namespace
}  // namespace kinetic::test
