#include "jobspec/accelerator/table.h"

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::jobspec {
namespace {

constexpr std::array<Topology, 8> kV3{
    {{2, 2}, {4, 4}, {4, 8}, {8, 8}, {8, 16}, {16, 16}, {16, 32}, {32, 32}}};

constexpr std::array<Topology, 8> kFlat{
    {{1, 1}, {2, 2}, {2, 4}, {4, 4}, {4, 8}, {8, 8}, {8, 16}, {16, 16}}};

constexpr Topology kTwoHosts{2, 4};

constexpr std::array<Topology, 13> kCube{{{1, 1, 1},
                                          {2, 2, 1},
                                          {2, 2, 2},
                                          {2, 2, 4},
                                          {2, 4, 4},
                                          {4, 4, 4},
                                          {4, 4, 8},
                                          {4, 8, 8},
                                          {8, 8, 8},
                                          {8, 8, 16},
                                          {8, 16, 16},
                                          {16, 16, 16},
                                          {16, 16, 24}}};

// Only tpu7x has one-chip machines; the largest v4 slice of GKE has 3072 chips.
constexpr auto kV4 = std::span(kCube).subspan(1, 10);
constexpr auto kV5p = std::span(kCube).subspan(1);

constexpr std::array<TpuGeneration, 6> kTpus{{
    {.name = "v3",
     .node_label = "tpu-v3-slice",
     .machine_prefix = "ct3p-hightpu-",
     .single_node_label = "tpu-v3-device",
     .single_machine_prefix = "ct3-hightpu-",
     .size_per_chip = 2,
     .topologies = kV3},
    {.name = "v4",
     .node_label = "tpu-v4-podslice",
     .machine_prefix = "ct4p-hightpu-",
     .size_per_chip = 2,
     .topologies = kV4,
     .largest_custom = Topology{12, 16, 16}},
    {.name = "v5litepod",
     .alias = "v5e",
     .node_label = "tpu-v5-lite-podslice",
     .machine_prefix = "ct5lp-hightpu-",
     .topologies = kFlat,
     .divisible = kTwoHosts},
    {.name = "v5p",
     .node_label = "tpu-v5p-slice",
     .machine_prefix = "ct5p-hightpu-",
     .size_per_chip = 2,
     .topologies = kV5p,
     .largest_custom = Topology{16, 16, 24}},
    {.name = "v6e",
     .node_label = "tpu-v6e-slice",
     .machine_prefix = "ct6e-standard-",
     .topologies = kFlat,
     .divisible = kTwoHosts},
    {.name = "tpu7x",
     .alias = "v7x",
     .node_label = "tpu7x",
     .machine_prefix = "tpu7x-standard-",
     .size_per_chip = 2,
     .topologies = kCube,
     .largest_custom = Topology{16, 16, 36}},
}};

using Machine = GpuKind::Machine;

constexpr std::array<Machine, 4> kL4{
    {{1, "g2-standard-4"}, {2, "g2-standard-24"}, {4, "g2-standard-48"}, {8, "g2-standard-96"}}};
constexpr std::array<Machine, 3> kN1{
    {{1, "n1-standard-4"}, {2, "n1-standard-8"}, {4, "n1-standard-16"}}};
constexpr std::array<Machine, 4> kV100{
    {{1, "n1-standard-8"}, {2, "n1-standard-16"}, {4, "n1-standard-32"}, {8, "n1-standard-64"}}};
constexpr std::array<Machine, 5> kA100{{{1, "a2-highgpu-1g"},
                                        {2, "a2-highgpu-2g"},
                                        {4, "a2-highgpu-4g"},
                                        {8, "a2-highgpu-8g"},
                                        {16, "a2-megagpu-16g"}}};
constexpr std::array<Machine, 4> kA100Ultra{
    {{1, "a2-ultragpu-1g"}, {2, "a2-ultragpu-2g"}, {4, "a2-ultragpu-4g"}, {8, "a2-ultragpu-8g"}}};
constexpr std::array<Machine, 4> kH100{
    {{1, "a3-highgpu-1g"}, {2, "a3-highgpu-2g"}, {4, "a3-highgpu-4g"}, {8, "a3-highgpu-8g"}}};
constexpr std::array<Machine, 1> kH100Mega{{{8, "a3-megagpu-8g"}}};
constexpr std::array<Machine, 1> kH200{{{8, "a3-ultragpu-8g"}}};
constexpr std::array<Machine, 1> kB200{{{8, "a4-highgpu-8g"}}};
constexpr std::array<Machine, 4> kRtxPro{
    {{1, "g4-standard-48"}, {2, "g4-standard-96"}, {4, "g4-standard-192"}, {8, "g4-standard-384"}}};

constexpr std::array<GpuKind, 13> kGpus{{
    {"l4", "nvidia-l4", kL4},
    {"t4", "nvidia-tesla-t4", kN1},
    {"p4", "nvidia-tesla-p4", kN1},
    {"p100", "nvidia-tesla-p100", kN1},
    {"v100", "nvidia-tesla-v100", kV100},
    {"a100", "nvidia-tesla-a100", kA100},
    {"a100-80gb", "nvidia-a100-80gb", kA100Ultra},
    {"h100", "nvidia-h100-80gb", kH100},
    {"h100-mega", "nvidia-h100-mega-80gb", kH100Mega},
    {"h200", "nvidia-h200-141gb", kH200},
    {"b200", "nvidia-b200", kB200},
    {"gb200", "nvidia-gb200", {}},  // ARM64 machines: listed for a specific error
    {"rtx-pro-6000", "nvidia-rtx-pro-6000", kRtxPro},
}};

std::string Text(const Topology& topology) {
  std::string text = std::to_string(topology.x) + "x" + std::to_string(topology.y);
  if (topology.z != 0) text += "x" + std::to_string(topology.z);
  return text;
}

/// A 2-D slice of up to eight chips, or a 3-D slice of up to four, is one machine.
std::uint32_t ChipsOfHost(const Topology& topology) {
  const std::uint32_t chips = topology.chips();
  if (topology.z == 0 && chips <= 8) return chips;
  return std::min(chips, 4U);
}

}  // namespace

std::span<const TpuGeneration> TpuGenerations() { return kTpus; }

std::span<const GpuKind> GpuKinds() { return kGpus; }

Accelerator MakeTpu(const TpuGeneration& generation, const Topology& topology,
                    std::uint32_t chips_of_host) {
  const std::uint32_t chips = topology.chips();
  const bool divided = chips_of_host != 0 && chips_of_host != ChipsOfHost(topology);
  if (!divided) chips_of_host = ChipsOfHost(topology);
  const bool single = chips == chips_of_host && !generation.single_node_label.empty();
  const auto sized = generation.topologies;
  const bool has_size = std::ranges::find(sized, topology) != sized.end();
  Accelerator tpu;
  tpu.kind = AcceleratorKind::kTpu;
  tpu.generation = generation.name;
  tpu.name = tpu.generation + "-" +
             (has_size ? std::to_string(chips * generation.size_per_chip) : Text(topology));
  if (divided) tpu.name += "-" + std::to_string(chips_of_host) + "t";
  tpu.chips = chips;
  tpu.hosts = chips / chips_of_host;
  tpu.topology = Text(topology);
  tpu.machine_type = single ? generation.single_machine_prefix : generation.machine_prefix;
  tpu.machine_type += std::to_string(chips_of_host) + "t";
  tpu.node_label = single ? generation.single_node_label : generation.node_label;
  return tpu;
}

Accelerator MakeGpu(const GpuKind& kind, const GpuKind::Machine& machine) {
  Accelerator gpu;
  gpu.kind = AcceleratorKind::kGpu;
  gpu.generation = kind.name;
  gpu.name = "gpu-" + gpu.generation;
  if (machine.gpus != 1) gpu.name += "x" + std::to_string(machine.gpus);
  gpu.chips = machine.gpus;
  gpu.machine_type = machine.type;
  gpu.node_label = kind.node_label;
  return gpu;
}

Accelerator MakeCpu() {
  Accelerator cpu;
  cpu.name = "cpu";
  return cpu;
}

}  // namespace kinetic::jobspec
