#include "e2e/runner_harness.h"
#include "record/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace kinetic::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunnerCheckpoint : public ::testing::Test {
 protected:
  std::size_t Saved(const record::Record& job) {
    const auto listed = record::ListCheckpoints(runner_.store(), job.id, {});
    EXPECT_TRUE(listed);
    return listed ? listed->size() : 0;
  }

  RunnerHarness runner_;
};

TEST_F(RunnerCheckpoint, RestoresCheckpointOfPreviousAttempt) {
  auto job = runner_.ShellJob(
      "cd $KINETIC_CHECKPOINT_DIR; echo $KINETIC_ATTEMPT >> steps; cat steps; "
      "test $KINETIC_ATTEMPT = 3 || exit 75");
  job.spec.retry.attempts = 3;
  job.spec.retry.on_exit_codes = {75};
  EXPECT_EQ(runner_.Run(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(runner_.Text(job, Stream::kStdout), "1\n1\n2\n1\n2\n3\n");
  EXPECT_THAT(runner_.Text(job, Stream::kSystem),
              HasSubstr("restored checkpoint 2 of attempt 2: 1 file, 4 B"));
  EXPECT_EQ(Saved(job), 2U);
}

TEST_F(RunnerCheckpoint, DoesNotRestoreStateOfKilledProgram) {
  const Path gate = runner_.tree / "gate";
  auto job = runner_.ShellJob(
      "cd $KINETIC_CHECKPOINT_DIR; ls; test $KINETIC_ATTEMPT = 1 || exit 0; echo whole > state; "
      "until test -e " +
      gate.native() + "; do sleep 0.05; done; echo half > state; echo half > more; kill -9 $$");
  job.spec.retry.attempts = 2;
  job.spec.retry.on_exit_codes = {137};
  runner_.Start(job);
  Eventually([&] { return Saved(job) == 1; }, "a checkpoint while the program runs");
  std::ofstream(gate).flush();
  EXPECT_EQ(runner_.Await(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(runner_.Text(job, Stream::kStdout), "state\n");
  EXPECT_EQ(Saved(job), 1U);
}

}  // namespace
}  // namespace kinetic::test
