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

}  // namespace
}  // namespace kinetic::test
