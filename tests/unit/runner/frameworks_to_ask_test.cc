#include "runner/device_check.h"

#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using Asked = std::vector<std::string>;

TEST(FrameworksToAskTest, AreThoseThatCanDriveThem) {
  EXPECT_EQ(FrameworksToAsk(ChipKind::kTpu, {}), Asked{"jax"});
  EXPECT_EQ(FrameworksToAsk(ChipKind::kGpu, {}), (Asked{"jax", "torch"}));
}

TEST(FrameworksToAskTest, AreNoneWhenTheJobSaysSo) {
  const std::map<std::string, std::string> no{{"KINETIC_CHECK_DEVICES", "no"}};
  EXPECT_EQ(FrameworksToAsk(ChipKind::kTpu, no), Asked{});
  EXPECT_EQ(FrameworksToAsk(ChipKind::kGpu, no), Asked{});
  EXPECT_EQ(FrameworksToAsk(ChipKind::kTpu, {{"KINETIC_CHECK_DEVICES", "yes"}}), Asked{"jax"});
}

TEST(FrameworksToAskTest, AreWithoutOneThatIsToUseOtherPlatforms) {
  const auto tpu = [](const std::string& name, const std::string& value) {
    return FrameworksToAsk(ChipKind::kTpu, {{name, value}});
  };
  EXPECT_EQ(tpu("JAX_PLATFORMS", "cpu"), Asked{});
  EXPECT_EQ(tpu("JAX_PLATFORMS", "cuda,cpu"), Asked{});
  EXPECT_EQ(tpu("JAX_PLATFORM_NAME", "cpu"), Asked{});
  EXPECT_EQ(tpu("JAX_PLATFORMS", ""), Asked{"jax"});
  EXPECT_EQ(tpu("JAX_PLATFORMS", "TPU, cpu"), Asked{"jax"});
  EXPECT_EQ(tpu("CUDA_VISIBLE_DEVICES", ""), Asked{"jax"});
  const auto gpu = [](const std::string& name, const std::string& value) {
    return FrameworksToAsk(ChipKind::kGpu, {{name, value}});
  };
  EXPECT_EQ(gpu("JAX_PLATFORMS", "cpu"), Asked{"torch"});
  EXPECT_EQ(gpu("JAX_PLATFORMS", "gpu"), (Asked{"jax", "torch"}));
  EXPECT_EQ(gpu("JAX_PLATFORMS", "cpu,cuda"), (Asked{"jax", "torch"}));
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", ""), Asked{});
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", "-1"), Asked{});
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", "0"), (Asked{"jax", "torch"}));
}

}  // namespace
}  // namespace kinetic::runner
