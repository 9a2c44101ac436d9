#include "e2e/runner_harness.h"
#include "record/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;

TEST(RunnerFunction, ReturnsItsValueAndKeepsItsLog) {
  RunnerHarness runner;
  Arguments args;
  args.named = {{"name", "world"}, {"data", Value::Map{{"$path", "job.py"}}}};
  const auto job = runner.FunctionJob(
      "import os\n"
      "def main(name, data):\n"
      "    print('hello', name)\n"
      "    return {'name': name, 'size': os.path.getsize(data), 'pair': (1, 2.5)}\n",
      "main", args);
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.exit_code, 0);
  EXPECT_EQ(stored.outcome.value.ToJson(),
            R"({"name":"world","size":132,"pair":{"$tuple":[1,2.5]}})");
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "hello world\n");
  EXPECT_EQ(stored.log_records, runner.Log(job).size());
}

}  // namespace
}  // namespace kinetic::test
