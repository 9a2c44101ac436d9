#include "kinetic/accelerator.h"

#include "base/strings.h"
#include "spec/accelerator_table.h"

#include <array>

namespace kinetic {
namespace {

using spec::GpuKind;
using spec::Topology;
using spec::TpuGeneration;

constexpr std::size_t kLongestShown = 60;
constexpr std::uint32_t kChipsOfPart = 4;  // of each machine of a slice that is divided

std::string Shown(std::string_view name) {
  return Printable(name.substr(0, kLongestShown)) + (name.size() > kLongestShown ? "…" : "");
}

Failure Refuse(std::string_view found, const std::string& rest) {
  return Fail(ErrorCode::kInvalidArgument, "found " + Shown(found) + ", expected " + rest);
}

std::string SizesOf(const TpuGeneration& generation) {
  std::vector<std::string> names;
  for (const auto& topology : generation.topologies) {
    const Accelerator tpu = spec::MakeTpu(generation, topology);
    names.push_back(tpu.name + " (" + tpu.topology + ")");
    if (topology != generation.divisible) continue;
    names.push_back(spec::MakeTpu(generation, topology, kChipsOfPart).name +
                    " (the same on two machines)");
  }
  std::string sizes = Join(names, ", ");
  if (generation.largest_custom) {
    sizes += ", or a topology of multiples of four in rising order, such as " +
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

/// "8-4t": a slice of which the machines are named too, as their type ends.
Result<Accelerator> ParseDivided(const TpuGeneration& generation, std::string_view size,
                                 std::string_view machine, std::string_view name) {
  const auto& shape = generation.divisible;
  if (shape) {
    const auto chips = std::int64_t{shape->chips()};
    const bool whole = ParseInt(size) == chips || ParseTopology(size) == shape;
    if (whole && machine == std::to_string(kChipsOfPart) + "t") {
      return spec::MakeTpu(generation, *shape, kChipsOfPart);
    }
    if (whole && machine == std::to_string(chips) + "t") return spec::MakeTpu(generation, *shape);
  }
  return Refuse(name, SizesOf(generation));
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
      return spec::MakeTpu(generation, topology);
    }
  }
  if (shape && generation.largest_custom && IsCustomShape(*shape, *generation.largest_custom)) {
    return spec::MakeTpu(generation, *shape);
  }
  return Refuse(name, SizesOf(generation));
}

Result<Accelerator> ParseGpu(const GpuKind& kind, std::string_view rest, std::string_view name) {
  if (kind.machines.empty()) {
    return Refuse(name, "a machine of x86-64: those with " + std::string(kind.name) + " are ARM64");
  }
  const auto count = rest.empty() ? 1 : ParseInt(rest.substr(1));
  std::vector<std::string> names;
  for (const auto& machine : kind.machines) {
    if (count == std::int64_t{machine.gpus}) return spec::MakeGpu(kind, machine);
    names.push_back(spec::MakeGpu(kind, machine).name);
  }
  return Refuse(name, Join(names, ", "));
}

/// What follows `kind` in `text` when that is nothing or xCOUNT.
std::optional<std::string_view> CountAfter(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  if (text.empty() || (text[0] == 'x' && ParseInt(text.substr(1)))) return text;
  return std::nullopt;
}

/// What follows `generation` in `text` when that is nothing or -SIZE.
std::optional<std::string_view> SizeAfter(std::string_view text, std::string_view generation) {
  if (generation.empty() || !text.starts_with(generation)) return std::nullopt;
  text.remove_prefix(generation.size());
  if (text.empty()) return text;
  if (text[0] != '-') return std::nullopt;
  return text.substr(1);
}

Failure Unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& accelerator : Accelerators()) names.push_back(accelerator.name);
  const auto nearest = Nearest(name.substr(0, kLongestShown), names);
  return Refuse(name, "cpu, gpu-KIND, gpu-KINDxCOUNT, or a TPU such as v5litepod-4" +
                          (nearest ? "; did you mean " + *nearest + "?" : std::string()));
}

}  // namespace

Result<Accelerator> ParseAccelerator(std::string_view name) {
  const std::string lower = ToLower(Trim(name));
  std::string_view text = lower;
  if (text == "cpu") return spec::MakeCpu();
  if (text.ends_with(":spot")) {
    return Refuse(name, "the accelerator alone; capacity that can be taken away is `spot: true`");
  }
  const bool gpu_only = text.starts_with("gpu-") || text.starts_with("gpu:");
  const bool tpu_only = text.starts_with("tpu-") || text.starts_with("tpu:");
  if (gpu_only || tpu_only) text.remove_prefix(4);
  for (const auto& generation : spec::TpuGenerations()) {
    if (gpu_only) break;
    auto size = SizeAfter(text, generation.name);
    if (!size) size = SizeAfter(text, generation.alias);
    if (size) return ParseTpu(generation, *size, name);
  }
  for (const auto& kind : spec::GpuKinds()) {
    if (tpu_only) break;
    auto count = CountAfter(text, kind.name);
    if (!count) count = CountAfter(text, kind.node_label);
    if (count) return ParseGpu(kind, *count, name);
  }
  return Unknown(name);
}

std::span<const Accelerator> Accelerators() {
  static const auto kList = [] {
    std::vector<Accelerator> all{spec::MakeCpu()};
    for (const auto& kind : spec::GpuKinds()) {
      for (const auto& machine : kind.machines) all.push_back(spec::MakeGpu(kind, machine));
    }
    for (const auto& generation : spec::TpuGenerations()) {
      for (const auto& shape : generation.topologies) {
        all.push_back(spec::MakeTpu(generation, shape));
        if (shape == generation.divisible) {
          all.push_back(spec::MakeTpu(generation, shape, kChipsOfPart));
        }
      }
    }
    return all;
  }();
  return kList;
}

}  // namespace kinetic
