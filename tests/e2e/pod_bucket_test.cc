#include "e2e/pod_harness.h"
#include "record/object_names.h"
#include "store/open.h"
#include "support/bucket_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace kinetic::test {
namespace {

/// A pod whose store is in a bucket of the Cloud Storage test server.
class PodBucket : public ::testing::Test {
 protected:
  PodBucket() : kube_(OpenStore(), Cloud()) {}

  std::unique_ptr<store::Store> OpenStore() {
    store::Access access{.fs = PosixFileSystem(), .clock = SystemClock()};
    access.connect = [this](const std::stop_token&) -> Result<std::shared_ptr<http::Transport>> {
      return bucket_.Connect();
    };
    access.gcs.endpoint = bucket_.Url();
    return store::Open("gs://bucket/team", access, {}).value();
  }

  CloudOptions Cloud() {
    CloudOptions options;
    options.storage_endpoint = bucket_.Url();
    return options;
  }

  BucketServer bucket_{SystemClock()};
  PodHarness kube_;
};

TEST_F(PodBucket, StoresValueLogAndOutputs) {
  const auto job = kube_.FunctionJob(
      "import os, pathlib\n"
      "def main():\n"
      "    for i in range(1000): print('line', i)\n"
      "    pathlib.Path(os.environ['KINETIC_OUTPUT_DIR'], 'out.txt').write_text('kept')\n"
      "    return os.environ['KINETIC_OUTPUT_URI']\n");
  EXPECT_EQ(kube_.RunPod(job), 0) << kube_.last->Printed();
  const auto stored = kube_.Outcome(job);
  EXPECT_EQ(stored.outcome.value.ToJson(), "\"gs://bucket/team/outputs/" + job.id + "\"");
  EXPECT_EQ(kube_.Log(job).size(), 1000U);
  EXPECT_EQ(kube_.Stored(record::OutputName(job.id, "out.txt")), "kept");
}

TEST_F(PodBucket, PreemptedJobRestoresCheckpointInAnotherPod) {
  auto job = kube_.ShellJob(
      "cd $KINETIC_CHECKPOINT_DIR; echo step $KINETIC_ATTEMPT >> steps; cat steps; "
      "test $KINETIC_ATTEMPT = 2 && exit; trap 'exit 3' TERM; echo begun; "
      "while true; do sleep 0.02; done");
  job.spec.retry.attempts = 2;
  const auto first = kube_.StartPod(job);
  first->StartLauncher();
  Eventually([&] { return first->Printed().find("begun") != std::string::npos; }, "it runs");
  first->Terminate();
  EXPECT_EQ(first->AwaitLauncher(), 200);
  EXPECT_EQ(first->EndCollector(), 0);
  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "step 1\nbegun\nstep 1\nstep 2\n");
}

}  // namespace
}  // namespace kinetic::test
