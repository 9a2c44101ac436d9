#include "kinetic/accelerator.h"
#include "kinetic/cluster_spec.h"

#include "base/strings.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/context.h"
#include "jobspec/schema/check.h"
#include "jobspec/schema/shape.h"
#include "json/parse.h"
#include "provision/user.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using jobspec::Diagnostics;
using jobspec::Key;
using jobspec::Shape;
using json::YamlNode;

constexpr std::int64_t kMaxNodes = 10'000;

constexpr Shape kText{.expected = "a string", .text = jobspec::kNotEmpty};
constexpr Shape kFlag{.expected = "true or false", .boolean = true};
constexpr Shape kCount{.expected = "an integer from 1 to 10000",
                       .integer = jobspec::IntegerRule{1, kMaxNodes}};
constexpr Shape kTime{.expected = "a duration from 10m to 365d, such as 30m or 1h30m",
                      .range = jobspec::Range{600'000, 31'536e6, jobspec::MeasureDuration},
                      .text = jobspec::kDuration};
constexpr Shape kIdleTime{.expected = "a duration from 1m to 24h, such as 2m",
                          .range = jobspec::Range{60e3, 86'400e3, jobspec::MeasureDuration},
                          .text = jobspec::kDuration};
constexpr Shape kDisk{.expected = "a size from 32Gi to 64Ti, such as 200Gi",
                      .range = jobspec::Range{0x1p35, 0x1p46, jobspec::MeasureBytes},
                      .text = jobspec::kBytes};
constexpr Shape kAccelerator{.expected = "an accelerator name, such as v5litepod-4",
                             .text = jobspec::kNotEmpty};

constexpr std::array<Key, 8> kPoolKeys{{
    {.name = "accelerator",
     .shape = &kAccelerator,
     .doc = "Accelerator of each node, or of all nodes of a multi-host slice together.",
     .default_value = "",
     .example = "accelerator: v5litepod-4",
     .required = true},
    {.name = "name",
     .shape = &kText,
     .doc = "Name of the node pool.",
     .default_value = "the accelerator's name",
     .example = "name: small"},
    {.name = "spot",
     .shape = &kFlag,
     .doc = "Use Spot nodes, which are cheaper and may be stopped at any time.",
     .default_value = "false",
     .example = "spot: true"},
    {.name = "flex_start",
     .shape = &kFlag,
     .doc = "Wait for capacity (flex-start). Nodes exist for at most seven days.",
     .default_value = "false",
     .example = "flex_start: true"},
    {.name = "reservation",
     .shape = &kText,
     .doc = "Reservation that the nodes use.",
     .default_value = "none",
     .example = "reservation: team-tpus"},
    {.name = "max_nodes",
     .shape = &kCount,
     .doc = "Maximum number of nodes. Idle nodes are deleted.",
     .default_value = "as many as one job needs, or as an existing pool has",
     .example = "max_nodes: 4"},
    {.name = "idle_time",
     .shape = &kIdleTime,
     .doc = "Time after which an idle node is deleted.",
     .default_value = "2m, or as an existing pool has",
     .example = "idle_time: 10m"},
    {.name = "disk",
     .shape = &kDisk,
     .doc = "Size of the nodes' boot disks, of which GKE reserves up to a half.",
     .default_value = "GKE's default, 100Gi",
     .example = "disk: 500Gi"},
}};
constexpr Shape kPool{.expected = "a map with accelerator", .keys = kPoolKeys};
constexpr Shape kPools{.expected = "a list of node pools", .items = &kPool};

constexpr Shape kUser{.expected = "an email address, such as ana@example.com",
                      .text = jobspec::TextRule{.pattern = "", .accepts = provision::IsEmail}};
constexpr Shape kUsers{.expected = "a list of email addresses", .items = &kUser};

constexpr Shape kZones{.expected = "a list of zones", .items = &kText, .min_items = 1};

constexpr std::array<Key, 9> kClusterKeys{{
    {.name = "project",
     .shape = &kText,
     .doc = "Google Cloud project.",
     .default_value = "the setting project",
     .example = "project: my-project"},
    {.name = "location",
     .shape = &kText,
     .doc = "Zone of the cluster.",
     .default_value = "a zone that has the first accelerator",
     .example = "location: us-west4-a"},
    {.name = "locations",
     .shape = &kZones,
     .doc = "Zones for the cluster. The first one with the machine types and quota is used.",
     .default_value = "none",
     .example = "locations: [us-west4-a, us-west4-b]"},
    {.name = "name",
     .shape = &kText,
     .doc = "Name of the cluster, its repository and its profile.",
     .default_value = "kinetic",
     .example = "name: team"},
    {.name = "network",
     .shape = &kText,
     .doc = "Existing VPC network.",
     .default_value = "default",
     .example = "network: research"},
    {.name = "private_nodes",
     .shape = &kFlag,
     .doc = "Create the nodes without external addresses.",
     .default_value = "false",
     .example = "private_nodes: true"},
    {.name = "down_when_idle",
     .shape = &kTime,
     .doc = "Delete the cluster after this time without jobs.",
     .default_value = "never",
     .example = "down_when_idle: 30m"},
    {.name = "pools",
     .shape = &kPools,
     .doc = "Node pools.",
     .default_value = "none",
     .example = "pools: [{accelerator: v5litepod-1}]"},
    {.name = "users",
     .shape = &kUsers,
     .doc = "People with their own namespace and store.",
     .default_value = "none",
     .example = "users: [ana@example.com]"},
}};
constexpr Shape kClusterFile{.expected = "a map", .keys = kClusterKeys};

/// A key that users may expect, and what to do instead.
struct UnsupportedKey {
  std::string_view name;
  std::string_view message;
};
constexpr std::array<UnsupportedKey, 3> kUnsupported{{
    {"autopilot",
     "Autopilot clusters cannot be created yet; create it with gcloud, then join it with 'kinetic "
     "init --cluster NAME'"},
    {"queued_provisioning", "queued provisioning is not supported yet; use flex_start: true"},
    {"ttl", "the time limit begins when you set it; use 'kinetic up --ttl TIME'"},
}};

/// Reports and removes such keys of a map, so that they are not unknown.
void RefuseUnsupported(YamlNode& map, Diagnostics& diagnostics) {
  std::erase_if(map.members, [&](const json::YamlMember& member) {
    const auto* const found =
        std::ranges::find(kUnsupported, member.key.text, &UnsupportedKey::name);
    if (found == kUnsupported.end()) return false;
    diagnostics.Add(member.key, member.key.text + ": " + std::string(found->message));
    return true;
  });
  for (json::YamlMember& member : map.members) {
    for (YamlNode& item : member.value.items) RefuseUnsupported(item, diagnostics);
  }
}

std::string TextAt(const YamlNode& map, std::string_view key) {
  return jobspec::TextOf(jobspec::Find(map, key)).value_or("");
}

std::optional<std::chrono::seconds> TimeAt(const YamlNode& map, std::string_view key) {
  const auto time = ParseDuration(TextAt(map, key));
  return time ? std::optional(std::chrono::floor<std::chrono::seconds>(*time)) : std::nullopt;
}

NodePoolSpec ReadPool(const YamlNode& node, Diagnostics& diagnostics) {
  NodePoolSpec pool;
  pool.name = TextAt(node, "name");
  pool.reservation = TextAt(node, "reservation");
  pool.spot = jobspec::BoolOf(jobspec::Find(node, "spot")).value_or(false);
  pool.flex_start = jobspec::BoolOf(jobspec::Find(node, "flex_start")).value_or(false);
  const auto max_nodes = jobspec::IntOf(jobspec::Find(node, "max_nodes"));
  pool.max_nodes = static_cast<std::uint32_t>(max_nodes.value_or(0));
  pool.idle_time = TimeAt(node, "idle_time");
  pool.disk_bytes = ParseBytes(TextAt(node, "disk")).value_or(0);
  const YamlNode* name = jobspec::Find(node, "accelerator");
  auto accelerator = ParseAccelerator(TextAt(node, "accelerator"));
  if (accelerator) {
    pool.accelerator = std::move(*accelerator);
  } else if (name != nullptr && jobspec::TextOf(name)) {  // else the schema reports it
    diagnostics.Add(*name, accelerator.error().message);
  }
  return pool;
}

ClusterSpec ReadCluster(const YamlNode& root, Diagnostics& diagnostics) {
  ClusterSpec spec;
  spec.project = TextAt(root, "project");
  spec.location = TextAt(root, "location");
  const YamlNode* zones = jobspec::Find(root, "locations");
  spec.locations = jobspec::TextsOf(zones);
  if (zones != nullptr && !spec.location.empty())
    diagnostics.Add(*zones, "locations cannot be combined with location");
  if (const std::string name = TextAt(root, "name"); !name.empty()) spec.name = name;
  spec.network = TextAt(root, "network");
  spec.private_nodes = jobspec::BoolOf(jobspec::Find(root, "private_nodes")).value_or(false);
  spec.down_when_idle = TimeAt(root, "down_when_idle");
  spec.users = jobspec::TextsOf(jobspec::Find(root, "users"));
  const YamlNode* pools = jobspec::Find(root, "pools");
  if (pools == nullptr) return spec;
  for (const YamlNode& pool : pools->items) spec.pools.push_back(ReadPool(pool, diagnostics));
  return spec;
}

}  // namespace

Result<ClusterSpec> ParseClusterFile(std::string_view text, std::string_view file) {
  Diagnostics diagnostics(Printable(file), text);
  auto root = json::ParseYaml(text);
  if (!root) {
    jobspec::AddSyntaxError(root.error(), text, diagnostics);
    return Failure(diagnostics.Finish());
  }
  if (!jobspec::CheckTree(*root, diagnostics)) return Failure(diagnostics.Finish());
  if (root->kind == YamlNode::Kind::kNull) return ClusterSpec{};
  RefuseUnsupported(*root, diagnostics);
  jobspec::Positions positions;
  jobspec::CheckShape(*root, kClusterFile, diagnostics, positions);
  if (root->kind != YamlNode::Kind::kMap) return Failure(diagnostics.Finish());
  ClusterSpec spec = ReadCluster(*root, diagnostics);
  if (!diagnostics.ok()) return Failure(diagnostics.Finish());
  return spec;
}

}  // namespace kinetic::inline v0
