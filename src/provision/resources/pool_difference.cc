#include "provision/resources/pool_difference.h"

#include "base/strings.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/resources/gke.h"

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

/// Returns the name of a specific reservation without its project, or "".
std::string ReservationOf(const Value& config) {
  const Value* value = FirstOf(config.Find("reservationAffinity"), "values");
  if (value == nullptr || value->AsString() == nullptr) return "";
  return value->AsString()->substr(value->AsString()->rfind('/') + 1);
}

std::string TopologyOf(const Value& pool) {
  const Value* policy = pool.Find("placementPolicy");
  return policy != nullptr ? json::TextAt(*policy, "tpuTopology") : "";
}

/// Returns "1 nvidia-l4", or "" without GPUs.
std::string GpusOf(const Value& config) {
  const Value* gpus = FirstOf(&config, "accelerators");
  if (gpus == nullptr) return "";
  return json::TextAt(*gpus, "acceleratorCount") + " " + json::TextAt(*gpus, "acceleratorType");
}

std::string GpusOf(const Accelerator& accelerator) {
  if (accelerator.kind != AcceleratorKind::kGpu) return "";
  return std::to_string(accelerator.chips) + " " + accelerator.node_label;
}

}  // namespace

std::string PoolDifference(const Value& existing, const NodePoolSpec& pool) {
  const Value* config = existing.Find("config");
  if (config == nullptr) return "";
  const Accelerator& accelerator = pool.accelerator;
  Differences differences;
  differences.Text("machine type", json::TextAt(*config, "machineType"),
                   jobspec::MachineOf(accelerator));
  differences.Text("topology", TopologyOf(existing), IsMultiHost(pool) ? accelerator.topology : "");
  differences.Text("GPUs", GpusOf(*config), GpusOf(accelerator));
  differences.Flag("Spot nodes", HasFlag(*config, "spot"), pool.spot);
  differences.Flag("flex-start", HasFlag(*config, "flexStart"), pool.flex_start);
  differences.Text("reservation", ReservationOf(*config), pool.reservation);
  return differences.Joined();
}

bool IsMultiHost(const NodePoolSpec& pool) {
  return pool.accelerator.kind == AcceleratorKind::kTpu && pool.accelerator.hosts > 1;
}

}  // namespace kinetic::provision
