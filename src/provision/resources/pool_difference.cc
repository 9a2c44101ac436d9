#include "provision/resources/pool_difference.h"

#include "base/strings.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/resources/gke.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// Collects what differs, as text.
class Differences {
 public:
  void Text(std::string_view what, const std::string& now, const std::string& desired) {
    if (now == desired) return;
    const std::string name(what);
    if (now.empty()) return Add("has no " + name);
    Add("has " + name + " " + now + (desired.empty() ? "" : " instead of " + desired));
  }
  void Flag(std::string_view what, bool now, bool desired) {
    if (now != desired) Add((now ? "has " : "has no ") + std::string(what));
  }
  std::string Joined() const { return Join(found_, ", "); }

 private:
  void Add(std::string text) { found_.push_back(std::move(text)); }

  std::vector<std::string> found_;
};

const Value* FirstOf(const Value* object, std::string_view key) {
  const Value* list = object != nullptr ? object->Find(key) : nullptr;
  const bool has_items = list != nullptr && list->AsList() != nullptr && !list->AsList()->empty();
  return has_items ? &list->AsList()->front() : nullptr;
}

/// Returns the name of a specific reservation, or "".
std::string ReservationOf(const Value& config) {
  const Value* value = FirstOf(config.Find("reservationAffinity"), "values");
  if (value == nullptr || value->AsString() == nullptr) return "";
  return *value->AsString();
}

/// Returns a reservation without its project, but with its block: "team/reservationBlocks/b".
std::string WithoutProject(std::string_view reservation) {
  constexpr std::string_view kFolder = "reservations/";
  const std::size_t folder = reservation.find(kFolder);
  return std::string(
      folder == std::string_view::npos ? reservation : reservation.substr(folder + kFolder.size()));
}

std::string TopologyOf(const Value& pool) {
  const Value* policy = pool.Find("placementPolicy");
  return policy != nullptr ? json::TextAt(*policy, "tpuTopology") : "";
}

/// Returns "1 nvidia-l4", or "" without GPUs. GKE may also list the chips of a TPU.
std::string GpusOf(const Value& config) {
  const Value* gpus = FirstOf(&config, "accelerators");
  if (gpus == nullptr || !json::TextAt(*gpus, "acceleratorType").starts_with("nvidia")) return "";
  return json::TextAt(*gpus, "acceleratorCount") + " " + json::TextAt(*gpus, "acceleratorType");
}

std::string GpusOf(const Accelerator& accelerator) {
  if (accelerator.kind != AcceleratorKind::kGpu) return "";
  return std::to_string(accelerator.chips) + " " + accelerator.node_label;
}

/// Returns the number at the start of a text, or 0.
std::uint32_t NumberAt(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Returns the chips of a machine type: 4 for "ct5lp-hightpu-4t".
std::uint32_t ChipsOf(std::string_view machine) {
  return machine.ends_with('t') ? NumberAt(machine.substr(machine.rfind('-') + 1)) : 0;
}

}  // namespace

std::string PoolDifference(const Value& existing, const NodePoolSpec& pool) {
  const Value* config = existing.Find("config");
  if (config == nullptr) return "";
  const Accelerator& accelerator = pool.accelerator;
  Differences differences;
  differences.Text("machine type", json::TextAt(*config, "machineType"),
                   jobspec::MachineOf(accelerator));
  // GKE may return the topology of a single host, which was not requested.
  differences.Text("topology", SliceNodes(existing) == 0 ? "" : TopologyOf(existing), "");
  differences.Text("GPUs", GpusOf(*config), GpusOf(accelerator));
  differences.Flag("Spot nodes", HasFlag(*config, "spot"), pool.spot);
  differences.Flag("flex-start", HasFlag(*config, "flexStart"), pool.flex_start);
  differences.Text("reservation", WithoutProject(ReservationOf(*config)),
                   WithoutProject(pool.reservation));
  return differences.Joined();
}

std::uint32_t SliceNodes(const Value& existing) {
  const std::string topology = TopologyOf(existing);
  const Value* config = existing.Find("config");
  const std::uint32_t chips = config == nullptr ? 0 : ChipsOf(json::TextAt(*config, "machineType"));
  if (topology.empty() || chips == 0) return 0;
  std::uint32_t all_chips = 1;
  for (std::size_t at = 0; at < topology.size();
       at = std::min(topology.find('x', at), topology.size() - 1) + 1)
    all_chips *= NumberAt(std::string_view(topology).substr(at));
  return all_chips > chips ? all_chips / chips : 0;
}

Status CheckSliceSize(const std::string& pool, std::uint32_t slice_nodes, std::uint32_t max_nodes) {
  if (slice_nodes == 0 || max_nodes == slice_nodes) return {};
  const std::string right = std::to_string(slice_nodes);
  return Fail(ErrorCode::kInvalidArgument,
              "node pool " + Printable(pool) + " is a multi-host slice of " + right +
                  " nodes, so its maximum number of nodes cannot be " + std::to_string(max_nodes),
              "use " + right + "; for another slice, add a node pool with another name");
}

}  // namespace kinetic::provision
