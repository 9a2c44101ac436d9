#include "e2e/runner_harness.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// Returns a function with the value 42 whose process then executes `before_exit`, and waits for
/// the file `go` in its work folder.
std::string Hanging(std::string_view before_exit) {
  return "import atexit, os, sys, threading, time\n"
         "def wait():\n"
         "    while not os.path.exists('go'): time.sleep(0.01)\n"
         "def main():\n"
         "    " +
         std::string(before_exit) +
         "\n"
         "    return {'answer': 42}\n";
}

void AwaitValue(RunnerHarness& runner, const record::Record& job) {
  const std::string name = record::ValueName(record::RunKey(job.id, 1));
  Eventually([&] { return !runner.Stored(name).empty(); }, "value.json");
  EXPECT_EQ(runner.Stored(name), R"({"answer":42})");
  EXPECT_FALSE(runner.HasResult(job));
}

TEST(RunnerValue, IsStoredWhileTheInterpreterExits) {
  for (const char* before_exit :
       {"atexit.register(wait)", "threading.Thread(target=wait).start()"}) {
    RunnerHarness runner;
    const auto job = runner.FunctionJob(Hanging(before_exit));
    runner.Start(job);
    AwaitValue(runner, job);
    std::ofstream(runner.RuntimeOf(job).Work() / "go").flush();
    const auto stored = runner.Await(job);
    EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
    EXPECT_EQ(stored.outcome.value.ToJson(), R"({"answer":42})");
  }
}

TEST(RunnerValue, HangingExitEndsAtTimeLimitAndFunctionHasSucceeded) {
  RunnerHarness runner;
  auto job = runner.FunctionJob(Hanging("atexit.register(wait)"));
  job.spec.timeouts.run = milliseconds(3000);
  job.spec.timeouts.grace = std::chrono::hours(1);
  runner.Start(job);
  AwaitValue(runner, job);
  const auto stored = runner.Await(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.value.ToJson(), R"({"answer":42})");
  EXPECT_THAT(runner.Text(job, Stream::kSystem), HasSubstr("at timeouts.run, 3.0 s"));
}

TEST(RunnerValue, LateReturnHasFailedWithoutValue) {
  RunnerHarness runner;
  auto job = runner.FunctionJob(
      "import signal, time\n"
      "def main():\n"
      "    ended = []\n"
      "    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))\n"
      "    while not ended: time.sleep(0.01)\n"
      "    return {'answer': 42}\n");
  job.spec.timeouts.run = milliseconds(1000);
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  EXPECT_EQ(stored.outcome.exit_code, 124);
  EXPECT_TRUE(stored.outcome.value.IsNull());
  EXPECT_FALSE(stored.value);
}

}  // namespace
}  // namespace kinetic::test
