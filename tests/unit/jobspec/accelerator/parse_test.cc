#include "kinetic/accelerator.h"

#include <gtest/gtest.h>

#include <set>

namespace kinetic {
namespace {

Accelerator ParseName(std::string_view name) {
  const auto accelerator = ParseAccelerator(name);
  EXPECT_TRUE(accelerator) << name << ": " << (accelerator ? "" : accelerator.error().message);
  return accelerator.value_or(Accelerator{});
}

std::string NameError(std::string_view name) {
  const auto accelerator = ParseAccelerator(name);
  EXPECT_FALSE(accelerator) << name;
  return accelerator ? "" : accelerator.error().message;
}

TEST(Accelerator, NamesSlicesByMachineCount) {
  for (const std::string generation : {"v5litepod", "v6e"}) {
    const Accelerator one = ParseName(generation + "-8");
    EXPECT_EQ(one.hosts, 1);
    EXPECT_TRUE(one.machine_type.ends_with("-8t")) << one.machine_type;
    const Accelerator two = ParseName(generation + "-8-4t");
    EXPECT_EQ(two.name, generation + "-8-4t");
    EXPECT_EQ(two.hosts, 2);
    EXPECT_EQ(two.chips, 8);
    EXPECT_EQ(two.topology, "2x4");
    EXPECT_TRUE(two.machine_type.ends_with("-4t")) << two.machine_type;
    EXPECT_EQ(ParseName(two.name), two);
    EXPECT_EQ(ParseName(generation + "-2x4-4t"), two);
    EXPECT_EQ(ParseName(generation + "-2x4-8t"), one);
  }
  EXPECT_NE(NameError("v6e-8-2t").find("v6e-8-4t (two machines)"), std::string::npos);
  EXPECT_NE(NameError("v6e-16-8t"), "");
  EXPECT_NE(NameError("v4-16-4t"), "");
}

TEST(Accelerator, NamesAnEmptyNameInTheError) {
  EXPECT_EQ(NameError(" "), "the name of the accelerator is empty");
}

TEST(Accelerator, SizesMatchGoogleCloud) {
  const Accelerator v5p = ParseName("v5p-8");
  EXPECT_EQ(v5p.kind, AcceleratorKind::kTpu);
  EXPECT_EQ(v5p.chips, 4U);
  EXPECT_EQ(v5p.hosts, 1U);
  EXPECT_EQ(v5p.topology, "2x2x1");
  EXPECT_EQ(v5p.machine_type, "ct5p-hightpu-4t");
  EXPECT_EQ(v5p.node_label, "tpu-v5p-slice");

  const Accelerator v5e = ParseName("v5litepod-8");
  EXPECT_EQ(v5e.chips, 8U);
  EXPECT_EQ(v5e.hosts, 1U);
  EXPECT_EQ(v5e.topology, "2x4");
  EXPECT_EQ(v5e.machine_type, "ct5lp-hightpu-8t");
  EXPECT_EQ(v5e.node_label, "tpu-v5-lite-podslice");
}

TEST(Accelerator, LargeSlicesUseMachinesWithFourChips) {
  const Accelerator slice = ParseName("v6e-256");
  EXPECT_EQ(slice.topology, "16x16");
  EXPECT_EQ(slice.hosts, 64U);
  EXPECT_EQ(slice.machine_type, "ct6e-standard-4t");
  const Accelerator pod = ParseName("v4-12x16x16");
  EXPECT_EQ(pod.topology, "12x16x16");
  EXPECT_EQ(pod.chips, 3072U);
  EXPECT_EQ(pod.hosts, 768U);
}

TEST(Accelerator, SingleHostV3IsDevice) {
  EXPECT_EQ(ParseName("v3-8").node_label, "tpu-v3-device");
  EXPECT_EQ(ParseName("v3-8").machine_type, "ct3-hightpu-4t");
  EXPECT_EQ(ParseName("v3-32").node_label, "tpu-v3-slice");
  EXPECT_EQ(ParseName("v3-32").machine_type, "ct3p-hightpu-4t");
  EXPECT_EQ(ParseName("v3-2048").topology, "32x32");
}

TEST(Accelerator, Tpu7xHasSingleChipMachine) {
  const Accelerator one = ParseName("tpu7x-2");
  EXPECT_EQ(one.topology, "1x1x1");
  EXPECT_EQ(one.machine_type, "tpu7x-standard-1t");
  EXPECT_EQ(ParseName("tpu7x-128").topology, "4x4x4");
  NameError("v5p-2");
}

TEST(Accelerator, AcceptsTopologies) {
  EXPECT_EQ(ParseName("v5p-2x2x2"), ParseName("v5p-16"));
  EXPECT_EQ(ParseName("v5e-2x4"), ParseName("v5litepod-8"));
  EXPECT_EQ(ParseName("v5p-4x4x12").name, "v5p-4x4x12");
  EXPECT_EQ(ParseName("v5p-4x4x12").chips, 192U);
  EXPECT_EQ(ParseName("tpu7x-16x16x36").chips, 9216U);
}

TEST(Accelerator, AcceptsPrefixesCaseAndAliases) {
  for (const char* name :
       {"tpu-v5e-1", "TPU:V5E-1", " v5e-1 ", "v5litepod-1x1", "tpu-v5litepod-1"}) {
    EXPECT_EQ(ParseName(name), ParseName("v5litepod-1")) << name;
  }
  for (const char* name : {"l4", "gpu:l4", "nvidia-l4", "gpu-nvidia-l4", "gpu-l4x1", "GPU-L4"}) {
    EXPECT_EQ(ParseName(name), ParseName("gpu-l4")) << name;
  }
}

TEST(Accelerator, MapsGpusToMachines) {
  EXPECT_EQ(ParseName("gpu-l4x2").machine_type, "g2-standard-24");
  EXPECT_EQ(ParseName("gpu-a100x16").machine_type, "a2-megagpu-16g");
  EXPECT_EQ(ParseName("gpu-a100-80gbx8").node_label, "nvidia-a100-80gb");
  EXPECT_EQ(ParseName("h100-megax8").machine_type, "a3-megagpu-8g");
  EXPECT_EQ(ParseName("gpu-rtx-pro-6000x4").chips, 4U);
  EXPECT_NE(NameError("gpu-a100-80gbx16").find("gpu-a100-80gbx8"), std::string::npos);
  EXPECT_EQ(NameError("gpu-h200"), "gpu-h200 is not a valid size\n  valid: gpu-h200x8");
}

TEST(Accelerator, RejectsArmMachines) {
  EXPECT_EQ(
      NameError("gpu-gb200x4"),
      "gpu-gb200x4 is not supported: machines with gb200 are ARM64, and kinetic requires x86-64");
}

TEST(Accelerator, InvalidSizesListValidOnes) {
  EXPECT_NE(NameError("v5litepod-3").find("v5litepod-4 (2x2)"), std::string::npos);
  EXPECT_NE(NameError("v5e").find("v5litepod-4 (2x2)"), std::string::npos);
  EXPECT_NE(NameError("v6e-4x2").find("v6e-8 (2x4)"), std::string::npos);
  EXPECT_NE(NameError("v5p-12x4x4").find("ascending multiples of four"), std::string::npos);
  NameError("v4-16x16x20");
  NameError("v4-4294967297x1x1");
  NameError("v5p--8");
  NameError("v5p-8x");
  NameError("v3-2x4");
}

TEST(Accelerator, UnknownNamesSuggestNearest) {
  EXPECT_NE(NameError("v5litpod-4").find("did you mean v5litepod-4?"), std::string::npos);
  EXPECT_NE(NameError("A100:2").find("did you mean gpu-a100x2?"), std::string::npos);
  EXPECT_NE(NameError("l4:1").find("did you mean gpu-l4?"), std::string::npos);
  EXPECT_NE(NameError("gpu-l40").find("did you mean gpu-l4?"), std::string::npos);
  for (const char* name : {"", "gpu", "tpu", "4", "tpu-l4", "gpu-v5e-1", "v5e-4:spot"})
    NameError(name);
  const std::string message = NameError(std::string(5000, 'x') + "\n\x01");
  EXPECT_LT(message.size(), 400U);
}

TEST(Accelerator, TableIsConsistent) {
  std::set<std::string> names;
  for (const auto& accelerator : Accelerators()) {
    EXPECT_TRUE(names.insert(accelerator.name).second) << accelerator.name;
    EXPECT_EQ(ParseName(accelerator.name), accelerator);
    if (accelerator.kind == AcceleratorKind::kCpu) continue;
    EXPECT_FALSE(accelerator.machine_type.empty());
    EXPECT_FALSE(accelerator.node_label.empty());
    EXPECT_EQ(accelerator.chips % accelerator.hosts, 0U);
    if (accelerator.kind != AcceleratorKind::kTpu) continue;
    const bool divided = accelerator.name.ends_with("t");
    EXPECT_EQ(
        ParseName(accelerator.generation + "-" + accelerator.topology + (divided ? "-4t" : "")),
        accelerator);
  }
  EXPECT_GT(names.size(), 90U);
}

}  // namespace
}  // namespace kinetic
