#include "e2e/runner_harness.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace kinetic::test {
namespace {

TEST(RunnerOutput, StoresFilesWhileRunningAndSyncsFolderAtTheEnd) {
  RunnerHarness runner;
  const Path gate = runner.tree / "gate";
  const auto job = runner.ShellJob(
      "cd $KINETIC_OUTPUT_DIR; echo early > early; echo gone > gone; until test -e " +
      gate.native() + "; do sleep 0.05; done; rm gone; echo late > late");
  const auto stored = [&](std::string_view name) {
    return runner.Stored(record::OutputName(job.id, name));
  };
  runner.Start(job);
  Eventually([&] { return stored("early") == "early\n" && stored("gone") == "gone\n"; },
             "outputs while the program runs");
  std::ofstream(gate).flush();
  EXPECT_EQ(runner.Await(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(stored("early"), "early\n");
  EXPECT_EQ(stored("late"), "late\n");
  EXPECT_EQ(stored("gone"), "");
}

TEST(RunnerOutput, FoldersThatTheProgramReplacedByLinksAreNotFollowed) {
  RunnerHarness runner;
  const std::string foreign = runner.tree.Write("foreign/key", "precious").parent_path().native();
  const auto replaced = runner.ShellJob("cd ..; rm -r $KINETIC_OUTPUT_DIR; ln -s " + foreign +
                                        " $KINETIC_OUTPUT_DIR");
  const Outcome outcome = runner.Run(replaced).outcome;
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.phase, Phase::kCollect);
  EXPECT_THAT(outcome.reason, ::testing::HasSubstr("symbolic link"));
  EXPECT_EQ(runner.Stored(record::OutputName(replaced.id, "key")), "");

  const auto checkpoint = runner.ShellJob("rm -r $KINETIC_CHECKPOINT_DIR; ln -s " + foreign +
                                          " $KINETIC_CHECKPOINT_DIR; exit 3");
  EXPECT_EQ(runner.Run(checkpoint).outcome.exit_code, 3);
  EXPECT_THAT(runner.Text(checkpoint, Stream::kSystem),
              ::testing::HasSubstr("the checkpoint was not saved"));
  EXPECT_EQ(runner.Stored(record::CheckpointName(checkpoint.id, 1)), "");

  const auto value = runner.FunctionJob(
      "import os\n"
      "def main():\n"
      "    folder = os.path.dirname(os.environ['KINETIC_OUTPUT_DIR'])\n"
      "    os.rename(folder + '/exchange', folder + '/old')\n"
      "    os.symlink('" +
      foreign + "', folder + '/exchange')\n");
  EXPECT_EQ(runner.Run(value).outcome.state, JobState::kFailed);
  EXPECT_EQ(ReadWhole(foreign + "/key"), "precious");
}

TEST(RunnerOutput, FolderThatTheProgramMadeAgainIsStored) {
  RunnerHarness runner;
  const auto job = runner.ShellJob(
      "rm -r $KINETIC_OUTPUT_DIR; mkdir $KINETIC_OUTPUT_DIR; echo new > $KINETIC_OUTPUT_DIR/a");
  EXPECT_EQ(runner.Run(job).outcome.state, JobState::kSucceeded);
  EXPECT_EQ(runner.Stored(record::OutputName(job.id, "a")), "new\n");
}

}  // namespace
}  // namespace kinetic::test
