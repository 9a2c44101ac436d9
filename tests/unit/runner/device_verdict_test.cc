#include "runner/device_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Kind = DeviceAnswer::Kind;

constexpr Chips kTpus{ChipKind::kTpu, 4};
constexpr Chips kGpus{ChipKind::kGpu, 2};
constexpr const char* kAnyway =
    "'env: {KINETIC_CHECK_DEVICES: \"no\"}' runs the program without "
    "this check";

DeviceAnswer Jax(std::map<std::string, std::int64_t> devices, bool supported = true,
                 std::string said = {}) {
  return {"jax", Kind::kAnswered, "0.5.3", std::move(devices), supported, std::move(said)};
}

DeviceAnswer Torch(std::map<std::string, std::int64_t> devices, bool supported = true,
                   std::string said = {}) {
  return {"torch",   Kind::kAnswered, supported ? "2.6.0+cu124" : "2.6.0+cpu", std::move(devices),
          supported, std::move(said)};
}

DeviceVerdict Judge(const Chips& asked, const std::vector<DeviceAnswer>& answers,
                    const std::optional<MissingChips>& missing = std::nullopt) {
  return JudgeDevices(asked, asked.count, answers, missing);
}

void ExpectNothing(const DeviceVerdict& verdict) {
  EXPECT_FALSE(verdict.fault) << verdict.fault->message;
  EXPECT_THAT(verdict.notes, IsEmpty());
}

void ExpectFault(const DeviceVerdict& verdict, const std::string& message,
                 const std::string& hint) {
  ASSERT_TRUE(verdict.fault);
  EXPECT_EQ(verdict.fault->code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(verdict.fault->message, message);
  EXPECT_EQ(verdict.fault->hint, hint + "; " + kAnyway);
  EXPECT_THAT(verdict.notes, IsEmpty());
}

TEST(DeviceVerdictTest, NothingIsSaidWhenAllAreSeen) {
  ExpectNothing(Judge(kTpus, {Jax({{"tpu", 4}})}));
  ExpectNothing(Judge(kTpus, {Jax({{"tpu", 8}})}));  // two cores a chip
  ExpectNothing(Judge(kGpus, {Jax({{"gpu", 2}}), Torch({{"gpu", 2}})}));
  ExpectNothing(Judge(kGpus, {Jax({{"cuda", 2}})}));
  ExpectNothing(Judge(kGpus, {{.framework = "jax"}, Torch({{"gpu", 2}})}));
}

TEST(DeviceVerdictTest, NothingIsSaidWhereNoFrameworkIsInstalled) {
  ExpectNothing(Judge(kTpus, {}));
  ExpectNothing(Judge(kGpus, {{.framework = "jax"}, {.framework = "torch"}}));
}

TEST(DeviceVerdictTest, DeviceFilesCountWhereNoFrameworkSees) {
  const MissingChips missing{0, "/dev/accel*"};
  EXPECT_THAT(Judge(kTpus, {}, missing).notes,
              ElementsAre("the job asked for 4 TPU chips, and its container has none "
                          "(/dev/accel*): what runs now may use the processor instead"));
  ExpectNothing(Judge(kTpus, {Jax({{"tpu", 4}})}, missing));
}

TEST(DeviceVerdictTest, JaxWithoutWhatDrivesTpus) {
  ExpectFault(Judge(kTpus, {Jax({{"cpu", 1}}, false)}),
              "jax 0.5.3 sees 1 cpu device and no TPU (the package libtpu is not installed); the "
              "job asked for 4 chips",
              "name jax[tpu] among the dependencies, or install it in the job's image");
}

TEST(DeviceVerdictTest, JaxWithoutWhatDrivesGpus) {
  ExpectFault(Judge({ChipKind::kGpu, 1}, {Jax({{"cpu", 1}}, false)}),
              "jax 0.5.3 sees 1 cpu device and no GPU (its CUDA plugin is not installed); the job "
              "asked for 1 GPU",
              "name jax[cuda12] among the dependencies, or install it in the job's image");
}

TEST(DeviceVerdictTest, TorchWithoutCuda) {
  ExpectFault(Judge(kGpus, {Torch({}, false)}),
              "torch 2.6.0+cpu sees no GPU (it is built without CUDA); the job asked for 2 GPUs",
              "take torch from PyPI or from an index with CUDA, such as "
              "https://download.pytorch.org/whl/cu126, not from …/whl/cpu");
}

TEST(DeviceVerdictTest, ContainersWithoutDeviceFiles) {
  const std::string node =
      "run it again on another node, and ask who runs the cluster for the node's driver and device "
      "plugin";
  ExpectFault(Judge(kTpus, {Jax({{"cpu", 1}}, true, "a warning")},
                    MissingChips{0, "/dev/accel*, /dev/vfio/*"}),
              "jax 0.5.3 sees 1 cpu device and no TPU (the container has none of the device files "
              "/dev/accel*, /dev/vfio/*); the job asked for 4 chips",
              node);
  ExpectFault(Judge(kGpus, {Torch({{"gpu", 1}})}, MissingChips{1, "/dev/nvidia*"}),
              "torch 2.6.0+cu124 sees 1 gpu device (the container has 1 of the device files "
              "/dev/nvidia*); the job asked for 2 GPUs",
              node);
}

TEST(DeviceVerdictTest, WhatAFrameworkSaidIsTheReasonWhenNothingElseIs) {
  ExpectFault(Judge(kTpus, {Jax({}, true, "Unable to initialize backend 'tpu'")}),
              "jax 0.5.3 sees no TPU (it said: Unable to initialize backend 'tpu'); the job asked "
              "for 4 chips",
              "see that libtpu is of the version that this jax is made for");
  ExpectFault(Judge(kGpus, {Torch({})}), "torch 2.6.0+cu124 sees no GPU; the job asked for 2 GPUs",
              "see that the node's driver is new enough for the CUDA that it is built with");
}

TEST(DeviceVerdictTest, FewerThanAskedForAreTooFew) {
  ExpectFault(Judge(kTpus, {Jax({{"tpu", 2}}, false)}),
              "jax 0.5.3 sees 2 tpu devices; the job asked for 4 chips",
              "see that libtpu is of the version that this jax is made for");
}

TEST(DeviceVerdictTest, AJobMayTellItsFrameworksToUseFewer) {
  ExpectNothing(JudgeDevices(kTpus, 1, {Jax({{"tpu", 1}})}, std::nullopt));
  EXPECT_TRUE(JudgeDevices(kTpus, 1, {Jax({{"cpu", 1}})}, std::nullopt).fault);
}

TEST(DeviceVerdictTest, AllThatSeeNothingAreNamed) {
  ExpectFault(
      Judge(kGpus, {Jax({{"cpu", 1}}, false), Torch({}, false)}),
      "jax 0.5.3 sees 1 cpu device and no GPU (its CUDA plugin is not installed), and torch "
      "2.6.0+cpu sees no GPU (it is built without CUDA); the job asked for 2 GPUs",
      "name jax[cuda12] among the dependencies, or install it in the job's image; take "
      "torch from PyPI or from an index with CUDA, such as "
      "https://download.pytorch.org/whl/cu126, not from …/whl/cpu");
  const auto node = Judge(kGpus, {Jax({}), Torch({})}, MissingChips{0, "/dev/nvidia*"});
  ASSERT_TRUE(node.fault);
  EXPECT_EQ(node.fault->hint.find("another node"), node.fault->hint.rfind("another node"));
}

TEST(DeviceVerdictTest, OneThatSeesThemIsEnough) {
  const auto verdict = Judge(kGpus, {Jax({{"cpu", 1}}, false), Torch({{"gpu", 2}})});
  EXPECT_FALSE(verdict.fault);
  EXPECT_THAT(verdict.notes,
              ElementsAre("jax 0.5.3 sees 1 cpu device and no GPU (its CUDA plugin is not "
                          "installed); the job asked for 2 GPUs: name jax[cuda12] among the "
                          "dependencies, or install it in the job's image"));
}

TEST(DeviceVerdictTest, OneThatCouldNotBeAskedLetsTheJobBegin) {
  const DeviceAnswer unknown{.framework = "jax", .kind = Kind::kUnknown, .said = "no jaxlib"};
  const std::string said = "jax could not be asked whether it sees the 2 GPUs: no jaxlib";
  EXPECT_THAT(Judge(kGpus, {unknown, Torch({{"gpu", 2}})}).notes, ElementsAre(said));
  const auto verdict = Judge(kGpus, {unknown, Torch({}, false)}, MissingChips{0, "/dev/nvidia*"});
  EXPECT_FALSE(verdict.fault);
  EXPECT_THAT(verdict.notes,
              ElementsAre(said, HasSubstr("torch 2.6.0+cpu sees no GPU (it is built without CUDA)"),
                          HasSubstr("its container has none (/dev/nvidia*)")));
}

}  // namespace
}  // namespace kinetic::runner
