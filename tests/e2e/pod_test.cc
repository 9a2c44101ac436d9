#include "base/digest.h"
#include "e2e/pod_harness.h"
#include "record/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class InAPod : public ::testing::Test {
 protected:
  PodHarness kube_;
};

TEST_F(InAPod, AFunctionsValueComesBack) {
  const auto job = kube_.FunctionJob(
      "def main(n):\n    print('hello')\n    return {'twice': 2 * n}\n", "main", {{}, {{"n", 21}}});
  EXPECT_EQ(kube_.RunPod(job), 0);
  const auto stored = kube_.Outcome(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded);
  EXPECT_EQ(stored.outcome.value.ToJson(), R"({"twice":42})");
  EXPECT_EQ(stored.written_by, "runner");
  EXPECT_EQ(stored.log_records, 1U);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "hello\n");
  EXPECT_EQ(kube_.last->Output(), "hello\n");
  const auto printed = kube_.last->PrintedRecords();
  ASSERT_EQ(printed.size(), 1U) << kube_.last->Printed();
  EXPECT_EQ(printed[0].text, "hello\n");
  EXPECT_EQ(kube_.last->PrintedEnd(),
            "succeeded " + Sha256::Of(kube_.Stored(record::ResultName(job.id))).Hex());
}

TEST_F(InAPod, AnExceptionComesBackWithItsTraceback) {
  const auto job = kube_.FunctionJob("def main():\n    raise ValueError('no')\n");
  EXPECT_EQ(kube_.RunPod(job), 1);
  const auto stored = kube_.Outcome(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  ASSERT_TRUE(stored.outcome.exception);
  EXPECT_EQ(stored.outcome.exception->type, "ValueError");
  EXPECT_EQ(stored.outcome.exception->message, "no");
  ASSERT_EQ(stored.outcome.exception->traceback.size(), 1U);
  EXPECT_EQ(stored.outcome.exception->traceback[0].code, "raise ValueError('no')");
}

TEST_F(InAPod, ACommandsExitCodeIsTheContainers) {
  const auto job = kube_.ShellJob("cat data.txt; echo oops >&2; exit 7");
  EXPECT_EQ(kube_.RunPod(job), 7);
  EXPECT_EQ(kube_.Outcome(job).outcome.exit_code, 7);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "data\n");
  EXPECT_EQ(kube_.Text(job, Stream::kStderr), "oops\n");
}

}  // namespace
}  // namespace kinetic::test
