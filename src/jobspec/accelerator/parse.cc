#include "kinetic/accelerator.h"

#include "base/never_destroyed.h"
#include "base/strings.h"
#include "jobspec/accelerator/table.h"

#include <algorithm>
#include <array>

namespace kinetic::inline v0 {
namespace {

using jobspec::GpuKind;
using jobspec::Topology;
using jobspec::TpuGeneration;

constexpr std::size_t kMaxShown = 60;
constexpr std::uint32_t kChipsOfPart = 4;  // per machine, in a slice that spans two machines

std::string Truncated(std::string_view name) {
  return Printable(name.substr(0, kMaxShown)) + (name.size() > kMaxShown ? "…" : "");
}

/// `rest` follows the name in the message.
Failure Reject(std::string_view name, const std::string& rest) {
  return Fail(ErrorCode::kInvalidArgument, Truncated(name) + rest);
}

Failure RejectSize(std::string_view name, const std::string& valid) {
  return Reject(name, " is not a valid size\n  valid: " + valid);
}

std::string SizesOf(const TpuGeneration& generation) {
  std::vector<std::string> names;
  for (const auto& topology : generation.topologies) {
    const Accelerator tpu = jobspec::MakeTpu(generation, topology);
    names.push_back(tpu.name + " (" + tpu.topology + ")");
    if (topology != generation.divisible) continue;
    names.push_back(jobspec::MakeTpu(generation, topology, kChipsOfPart).name + " (two machines)");
  }
  std::string sizes = Join(names, ", ");
  if (generation.largest_custom) {
    sizes += ", or a topology of ascending multiples of four, such as " +
             std::string(generation.name) + "-4x4x12";
  }
  return sizes;
}

std::optional<Topology> ParseTopology(std::string_view text) {
  const auto pieces = Split(text, 'x');
  if (pieces.size() < 2 || pieces.size() > 3) return std::nullopt;
  std::array<std::uint32_t, 3> sides{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto side = ParseInt(pieces[i]);
    if (!side || *side < 1 || *side > 1024) return std::nullopt;
    sides[i] = static_cast<std::uint32_t>(*side);
  }
  return Topology{sides[0], sides[1], sides[2]};
}

bool IsCustomShape(const Topology& shape, const Topology& largest) {
  return shape.z != 0 && shape.x % 4 == 0 && shape.y % 4 == 0 && shape.z % 4 == 0 &&
         shape.x <= shape.y && shape.y <= shape.z && shape.x <= largest.x && shape.y <= largest.y &&
         shape.z <= largest.z;
}

/// Parses a slice size with the suffix of its machine type: "8-4t".
Result<Accelerator> ParseDivided(const TpuGeneration& generation, std::string_view size,
                                 std::string_view machine, std::string_view name) {
  const auto& shape = generation.divisible;
  if (shape) {
    const auto chips = std::int64_t{shape->chips()};
    const bool whole = ParseInt(size) == chips || ParseTopology(size) == shape;
    if (whole && machine == std::to_string(kChipsOfPart) + "t") {
      return jobspec::MakeTpu(generation, *shape, kChipsOfPart);
    }
    if (whole && machine == std::to_string(chips) + "t")
      return jobspec::MakeTpu(generation, *shape);
  }
  return RejectSize(name, SizesOf(generation));
}

Result<Accelerator> ParseTpu(const TpuGeneration& generation, std::string_view rest,
                             std::string_view name) {
  if (const auto machine = rest.rfind('-'); machine != std::string_view::npos) {
    return ParseDivided(generation, rest.substr(0, machine), rest.substr(machine + 1), name);
  }
  const auto size = ParseInt(rest);
  const auto shape = ParseTopology(rest);
  for (const auto& topology : generation.topologies) {
    if (shape == topology || size == std::int64_t{topology.chips()} * generation.size_per_chip) {
      return jobspec::MakeTpu(generation, topology);
    }
  }
  if (shape && generation.largest_custom && IsCustomShape(*shape, *generation.largest_custom)) {
    return jobspec::MakeTpu(generation, *shape);
  }
  return RejectSize(name, SizesOf(generation));
}

Result<Accelerator> ParseGpu(const GpuKind& kind, std::string_view rest, std::string_view name) {
  if (kind.machines.empty()) {
    return Reject(name, " is not supported: machines with " + std::string(kind.name) +
                            " are ARM64, and kinetic requires x86-64");
  }
  const auto count = rest.empty() ? 1 : ParseInt(rest.substr(1));
  std::vector<std::string> names;
  for (const auto& machine : kind.machines) {
    if (count == std::int64_t{machine.gpus}) return jobspec::MakeGpu(kind, machine);
    names.push_back(jobspec::MakeGpu(kind, machine).name);
  }
  return RejectSize(name, Join(names, ", "));
}

/// Returns the text after `kind` if it is empty or xCOUNT, otherwise nullopt.
std::optional<std::string_view> CountAfter(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  if (text.empty() || (text[0] == 'x' && ParseInt(text.substr(1)))) return text;
  return std::nullopt;
}

/// Returns the size after `generation-`, or nullopt if there is none.
std::optional<std::string_view> SizeAfter(std::string_view text, std::string_view generation) {
  if (generation.empty() || !text.starts_with(generation)) return std::nullopt;
  text.remove_prefix(generation.size());
  if (text.empty()) return text;
  if (text[0] != '-') return std::nullopt;
  return text.substr(1);
}

/// Returns the nearest name. Other tools separate the number of GPUs by a colon: "a100:2".
std::optional<std::string> NearestAccelerator(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& accelerator : Accelerators()) names.push_back(accelerator.name);
  std::string own = "gpu-" + ToLower(name.substr(0, kMaxShown));
  const std::size_t colon = own.find(':');
  if (colon != std::string::npos) own[colon] = 'x';
  if (own.ends_with("x1")) own.resize(own.size() - 2);
  if (std::ranges::find(names, own) != names.end()) return own;
  return Nearest(name.substr(0, kMaxShown), names);
}

/// Returns the first accelerator of each generation whose names begin with `start`: "gpu", "v5".
std::vector<std::string> FirstOfEachGeneration(std::string_view start) {
  std::vector<std::string> names;
  std::string_view generation;
  for (const auto& accelerator : Accelerators()) {
    const bool is_tpu = accelerator.kind == AcceleratorKind::kTpu && start == "tpu";
    if (!accelerator.name.starts_with(start) && !is_tpu) continue;
    if (std::exchange(generation, accelerator.generation) == accelerator.generation) continue;
    names.push_back(accelerator.name);
  }
  return names;
}

Failure UnknownAccelerator(std::string_view name) {
  const std::string start = ToLower(Trim(name));
  const auto begun = start.size() > 1 ? FirstOfEachGeneration(start) : std::vector<std::string>();
  if (start.empty())
    return Fail(ErrorCode::kInvalidArgument, "the name of the accelerator is empty");
  if (!begun.empty()) return Reject(name, " is incomplete; choose one of: " + Join(begun, ", "));
  const auto nearest = NearestAccelerator(name);
  return Reject(name, " is not an accelerator; " +
                          (nearest ? "did you mean " + *nearest + "?"
                                   : std::string("run 'kinetic accelerators' to list them")));
}

}  // namespace

Result<Accelerator> ParseAccelerator(std::string_view name) {
  const std::string lower = ToLower(Trim(name));
  std::string_view text = lower;
  if (text == "cpu") return jobspec::MakeCpu();
  if (text.ends_with(":spot")) {
    return Reject(name, " is not an accelerator; request spot capacity with `spot: true`");
  }
  const bool gpu_only = text.starts_with("gpu-") || text.starts_with("gpu:");
  const bool tpu_only = text.starts_with("tpu-") || text.starts_with("tpu:");
  if (gpu_only || tpu_only) text.remove_prefix(4);
  for (const auto& generation : jobspec::TpuGenerations()) {
    if (gpu_only) break;
    auto size = SizeAfter(text, generation.name);
    if (!size) size = SizeAfter(text, generation.alias);
    if (size) return ParseTpu(generation, *size, name);
  }
  for (const auto& kind : jobspec::GpuKinds()) {
    if (tpu_only) break;
    auto count = CountAfter(text, kind.name);
    if (!count) count = CountAfter(text, kind.node_label);
    if (count) return ParseGpu(kind, *count, name);
  }
  return UnknownAccelerator(name);
}

std::span<const Accelerator> Accelerators() {
  static const auto& list = NeverDestroyed<std::vector<Accelerator>>([] {
    std::vector<Accelerator> all{jobspec::MakeCpu()};
    for (const auto& kind : jobspec::GpuKinds()) {
      for (const auto& machine : kind.machines) all.push_back(jobspec::MakeGpu(kind, machine));
    }
    for (const auto& generation : jobspec::TpuGenerations()) {
      for (const auto& shape : generation.topologies) {
        all.push_back(jobspec::MakeTpu(generation, shape));
        if (shape == generation.divisible) {
          all.push_back(jobspec::MakeTpu(generation, shape, kChipsOfPart));
        }
      }
    }
    return all;
  }());
  return list;
}

}  // namespace kinetic::inline v0
