#include "runner/devices/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Kind = FrameworkReport::Kind;

constexpr Chips kTpus{ChipKind::kTpu, 4};
constexpr Chips kGpus{ChipKind::kGpu, 2};
constexpr const char* kAnyway = "set 'env: {KINETIC_CHECK_DEVICES: \"no\"}' to skip this check";

FrameworkReport Jax(std::map<std::string, std::int64_t> devices, bool supported = true,
                    std::string message = {}) {
  return {"jax", Kind::kReported, "0.5.3", std::move(devices), supported, std::move(message)};
}

FrameworkReport Torch(std::map<std::string, std::int64_t> devices, bool supported = true,
                      std::string message = {}) {
  return {"torch",   Kind::kReported,   supported ? "2.6.0+cu124" : "2.6.0+cpu", std::move(devices),
          supported, std::move(message)};
}

DeviceCheckResult Classify(const Chips& requested, const std::vector<FrameworkReport>& reports,
                           const std::optional<MissingChips>& missing = std::nullopt) {
  return ClassifyFrameworkReports(requested, requested.count, reports, missing);
}

void ExpectNothing(const DeviceCheckResult& result) {
  EXPECT_FALSE(result.fault) << result.fault->message;
  EXPECT_THAT(result.notes, IsEmpty());
}

void ExpectFault(const DeviceCheckResult& result, const std::string& message,
                 const std::string& hint) {
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(result.fault->message, message);
  EXPECT_EQ(result.fault->hint, hint + "; " + kAnyway);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(DeviceCheckResultTest, AcceptsFrameworksThatSeeAllChips) {
  ExpectNothing(Classify(kTpus, {Jax({{"tpu", 4}})}));
  ExpectNothing(Classify(kTpus, {Jax({{"tpu", 8}})}));  // two cores a chip
  ExpectNothing(Classify(kGpus, {Jax({{"gpu", 2}}), Torch({{"gpu", 2}})}));
  ExpectNothing(Classify(kGpus, {Jax({{"cuda", 2}})}));
  ExpectNothing(Classify(kGpus, {{.framework = "jax"}, Torch({{"gpu", 2}})}));
}

TEST(DeviceCheckResultTest, AcceptsJobsWithoutFramework) {
  ExpectNothing(Classify(kTpus, {}));
  ExpectNothing(Classify(kGpus, {{.framework = "jax"}, {.framework = "torch"}}));
}

TEST(DeviceCheckResultTest, WarnsAboutMissingDeviceFiles) {
  const MissingChips missing{0, "/dev/accel*"};
  EXPECT_THAT(Classify(kTpus, {}, missing).notes,
              ElementsAre("the job requested 4 TPU chips, but its container has none "
                          "(/dev/accel*); the program may use the CPU instead"));
  ExpectNothing(Classify(kTpus, {Jax({{"tpu", 4}})}, missing));
}

TEST(DeviceCheckResultTest, RejectsJaxWithoutLibtpu) {
  ExpectFault(
      Classify(kTpus, {Jax({{"cpu", 1}}, false)}),
      "jax 0.5.3 detects 1 cpu device and no TPU (the package libtpu is not installed); the "
      "job requested 4 chips",
      "add jax[tpu] to the dependencies, or install it in the job's image");
}

TEST(DeviceCheckResultTest, RejectsJaxWithoutCudaPlugin) {
  ExpectFault(
      Classify({ChipKind::kGpu, 1}, {Jax({{"cpu", 1}}, false)}),
      "jax 0.5.3 detects 1 cpu device and no GPU (its CUDA plugin is not installed); the job "
      "requested 1 GPU",
      "add jax[cuda12] to the dependencies, or install it in the job's image");
}

TEST(DeviceCheckResultTest, RejectsTorchWithoutCuda) {
  ExpectFault(
      Classify(kGpus, {Torch({}, false)}),
      "torch 2.6.0+cpu detects no GPU (it was built without CUDA); the job requested 2 GPUs",
      "install torch from PyPI or from an index with CUDA, such as "
      "https://download.pytorch.org/whl/cu126, not from …/whl/cpu");
}

TEST(DeviceCheckResultTest, NamesMissingDeviceFiles) {
  const std::string node =
      "retry on another node, and ask the cluster administrator to check the node's driver and "
      "device plugin";
  ExpectFault(
      Classify(kTpus, {Jax({{"cpu", 1}}, true, "a warning")},
               MissingChips{0, "/dev/accel*, /dev/vfio/*"}),
      "jax 0.5.3 detects 1 cpu device and no TPU (the container has none of the device files "
      "/dev/accel*, /dev/vfio/*); the job requested 4 chips",
      node);
  ExpectFault(Classify(kGpus, {Torch({{"gpu", 1}})}, MissingChips{1, "/dev/nvidia*"}),
              "torch 2.6.0+cu124 detects 1 gpu device (the container has 1 of the device files "
              "/dev/nvidia*); the job requested 2 GPUs",
              node);
}

TEST(DeviceCheckResultTest, FallsBackToTheFrameworksMessage) {
  ExpectFault(Classify(kTpus, {Jax({}, true, "Unable to initialize backend 'tpu'")}),
              "jax 0.5.3 detects no TPU (its message: Unable to initialize backend 'tpu'); the job "
              "requested 4 chips",
              "check that the libtpu version matches this jax version");
  ExpectFault(Classify(kGpus, {Torch({})}),
              "torch 2.6.0+cu124 detects no GPU; the job requested 2 GPUs",
              "check that the node's driver supports the CUDA version that it was built with");
}

TEST(DeviceCheckResultTest, RejectsTooFewDevices) {
  ExpectFault(Classify(kTpus, {Jax({{"tpu", 2}}, false)}),
              "jax 0.5.3 detects 2 tpu devices; the job requested 4 chips",
              "check that the libtpu version matches this jax version");
}

TEST(DeviceCheckResultTest, AcceptsLimitedDevices) {
  ExpectNothing(ClassifyFrameworkReports(kTpus, 1, {Jax({{"tpu", 1}})}, std::nullopt));
  EXPECT_TRUE(ClassifyFrameworkReports(kTpus, 1, {Jax({{"cpu", 1}})}, std::nullopt).fault);
}

TEST(DeviceCheckResultTest, NamesAllFrameworksWithoutDevices) {
  ExpectFault(
      Classify(kGpus, {Jax({{"cpu", 1}}, false), Torch({}, false)}),
      "jax 0.5.3 detects 1 cpu device and no GPU (its CUDA plugin is not installed), and torch "
      "2.6.0+cpu detects no GPU (it was built without CUDA); the job requested 2 GPUs",
      "add jax[cuda12] to the dependencies, or install it in the job's image; install "
      "torch from PyPI or from an index with CUDA, such as "
      "https://download.pytorch.org/whl/cu126, not from …/whl/cpu");
  const auto node = Classify(kGpus, {Jax({}), Torch({})}, MissingChips{0, "/dev/nvidia*"});
  ASSERT_TRUE(node.fault);
  EXPECT_EQ(node.fault->hint.find("another node"), node.fault->hint.rfind("another node"));
}

TEST(DeviceCheckResultTest, AcceptsOneFrameworkThatSeesTheChips) {
  const auto result = Classify(kGpus, {Jax({{"cpu", 1}}, false), Torch({{"gpu", 2}})});
  EXPECT_FALSE(result.fault);
  EXPECT_THAT(result.notes,
              ElementsAre("jax 0.5.3 detects 1 cpu device and no GPU (its CUDA plugin is not "
                          "installed); the job requested 2 GPUs: add jax[cuda12] to the "
                          "dependencies, or install it in the job's image"));
}

TEST(DeviceCheckResultTest, FailedProbeLetsTheJobStart) {
  const FrameworkReport unknown{.framework = "jax", .kind = Kind::kFailed, .message = "no jaxlib"};
  const std::string failure = "could not check whether jax detects the 2 GPUs: no jaxlib";
  EXPECT_THAT(Classify(kGpus, {unknown, Torch({{"gpu", 2}})}).notes, ElementsAre(failure));
  const auto result = Classify(kGpus, {unknown, Torch({}, false)}, MissingChips{0, "/dev/nvidia*"});
  EXPECT_FALSE(result.fault);
  EXPECT_THAT(
      result.notes,
      ElementsAre(failure, HasSubstr("torch 2.6.0+cpu detects no GPU (it was built without CUDA)"),
                  HasSubstr("its container has none (/dev/nvidia*)")));
}

}  // namespace
}  // namespace kinetic::runner
