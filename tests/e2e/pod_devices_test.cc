#include "e2e/pod_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Jobs that requested TPUs and have a fake JAX.
class PodDevices : public ::testing::Test {
 protected:
  record::Record WithJax(record::Record job, const std::string& platform) {
    const std::string version = PythonVersion();
    job.environment = {kube_.PutBundle({{"lib/python" + version + "/site-packages/jax.py",
                                         "class Device:\n    platform = '" + platform +
                                             "'\n"
                                             "__version__ = '0.5.3'\n"
                                             "def local_devices():\n    return [Device()] * 4\n"}}),
                       version, 1, 1};
    return job;
  }
  int Run(const record::Record& job) {
    return kube_.RunPod(job,
                        {.environment = {{"PATH", kPath}, {"KINETIC_CHIPS", "google.com/tpu=4"}}});
  }
  void ExpectRejected(const record::Record& job) {
    EXPECT_EQ(Run(job), 201) << kube_.last->Printed();
    const auto outcome = kube_.Outcome(job).outcome;
    EXPECT_EQ(outcome.exit_code, 123);
    EXPECT_EQ(outcome.exit_source, ExitSource::kKinetic);
    EXPECT_EQ(outcome.phase, Phase::kStart);
    EXPECT_THAT(
        outcome.reason,
        AllOf(StartsWith("jax 0.5.3 detects 4 cpu devices and no TPU (the package libtpu is "
                         "not installed); the job requested 4 chips (add jax[tpu] to"),
              EndsWith("set 'env: {KINETIC_CHECK_DEVICES: \"no\"}' to skip this check)")));
    EXPECT_EQ(kube_.Text(job, Stream::kStdout), "");
    EXPECT_FALSE(kube_.last->Has("started"));
  }

  PodHarness kube_;
};

TEST_F(PodDevices, RejectsFunctionWithoutVisibleChips) {
  ExpectRejected(WithJax(kube_.FunctionJob("print('user code')\ndef main(): pass\n"), "cpu"));
}

TEST_F(PodDevices, RejectsCommandWithoutVisibleChips) {
  ExpectRejected(WithJax(kube_.ShellJob("echo user code"), "cpu"));
}

TEST_F(PodDevices, JobCanDisableTheCheck) {
  auto job = WithJax(kube_.FunctionJob("def main(): return 'ran'\n"), "cpu");
  job.spec.env["KINETIC_CHECK_DEVICES"] = "no";
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), R"("ran")");
  EXPECT_THAT(kube_.Text(job, Stream::kSystem), Not(HasSubstr("jax")));
}

TEST_F(PodDevices, AcceptsFrameworkThatSeesChips) {
  const auto job = WithJax(kube_.FunctionJob("import jax\n"
                                             "def main(): return len(jax.local_devices())\n"),
                           "tpu");
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "4");
  EXPECT_EQ(kube_.Text(job, Stream::kSystem), "");
}

}  // namespace
}  // namespace kinetic::test
