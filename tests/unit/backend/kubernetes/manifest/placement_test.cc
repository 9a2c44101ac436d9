#include "backend/kubernetes/manifest/placement.h"

#include "unit/backend/parse.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

using ::testing::ElementsAre;

std::string TextIn(const Value::Map& map, std::string_view key) {
  const Value value(map);
  const Value* found = value.Find(key);
  return found == nullptr || found->AsString() == nullptr ? "" : *found->AsString();
}

constexpr std::string_view kTpuLabel = "cloud.google.com/gke-tpu-accelerator";
constexpr std::string_view kTopologyLabel = "cloud.google.com/gke-tpu-topology";
constexpr std::string_view kGpuLabel = "cloud.google.com/gke-accelerator";
constexpr std::string_view kCountLabel = "cloud.google.com/gke-accelerator-count";

struct Expected {
  std::string name, label, topology, count;
  std::uint32_t chips = 0, pods = 1;
};

class TpuPlacement : public testing::TestWithParam<Expected> {};

TEST_P(TpuPlacement, MatchesGkeNodeLabels) {
  const Expected& expected = GetParam();
  const Placement placement = PlacementOf(AcceleratorNamed(expected.name), false);
  EXPECT_EQ(TextIn(placement.node_selector, kTpuLabel), expected.label);
  EXPECT_EQ(TextIn(placement.node_selector, kTopologyLabel), expected.topology);
  EXPECT_EQ(TextIn(placement.node_selector, kCountLabel), expected.count);
  EXPECT_EQ(placement.resource, "google.com/tpu");
  EXPECT_EQ(placement.chips, expected.chips);
  EXPECT_EQ(placement.pods, expected.pods);
}

// Copied from Google's tables, independently of kinetic's.
INSTANTIATE_TEST_SUITE_P(
    All, TpuPlacement,
    testing::Values(Expected{"v3-8", "tpu-v3-device", "2x2", "", 4},
                    Expected{"v3-32", "tpu-v3-slice", "4x4", "", 4, 4},
                    Expected{"v4-8", "tpu-v4-podslice", "2x2x1", "", 4},
                    Expected{"v4-16", "tpu-v4-podslice", "2x2x2", "", 4, 2},
                    Expected{"v5litepod-1", "tpu-v5-lite-podslice", "1x1", "", 1},
                    Expected{"v5litepod-4", "tpu-v5-lite-podslice", "2x2", "", 4},
                    Expected{"v5litepod-8", "tpu-v5-lite-podslice", "2x4", "", 8},
                    Expected{"v5litepod-8-4t", "tpu-v5-lite-podslice", "2x4", "4", 4, 2},
                    Expected{"v5litepod-16", "tpu-v5-lite-podslice", "4x4", "", 4, 4},
                    Expected{"v5p-8", "tpu-v5p-slice", "2x2x1", "", 4},
                    Expected{"v5p-4x4x12", "tpu-v5p-slice", "4x4x12", "", 4, 48},
                    Expected{"v6e-1", "tpu-v6e-slice", "1x1", "", 1},
                    Expected{"v6e-4", "tpu-v6e-slice", "2x2", "", 4},
                    Expected{"v6e-8", "tpu-v6e-slice", "2x4", "", 8},
                    Expected{"v6e-8-4t", "tpu-v6e-slice", "2x4", "4", 4, 2},
                    Expected{"tpu7x-2", "tpu7x", "1x1x1", "", 1},
                    Expected{"tpu7x-8", "tpu7x", "2x2x1", "", 4},
                    Expected{"tpu7x-128", "tpu7x", "4x4x4", "", 4, 16}),
    [](const auto& param_info) {
      std::string name = param_info.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(KubernetesPlacement, MatchesGkeGpuLabels) {
  const std::map<std::string, std::string> labels{{"l4", "nvidia-l4"},
                                                  {"t4", "nvidia-tesla-t4"},
                                                  {"p4", "nvidia-tesla-p4"},
                                                  {"p100", "nvidia-tesla-p100"},
                                                  {"v100", "nvidia-tesla-v100"},
                                                  {"a100", "nvidia-tesla-a100"},
                                                  {"a100-80gb", "nvidia-a100-80gb"},
                                                  {"h100", "nvidia-h100-80gb"},
                                                  {"h100-mega", "nvidia-h100-mega-80gb"},
                                                  {"h200", "nvidia-h200-141gb"},
                                                  {"b200", "nvidia-b200"},
                                                  {"rtx-pro-6000", "nvidia-rtx-pro-6000"}};
  std::size_t kinds = 0;
  for (const Accelerator& accelerator : Accelerators()) {
    if (accelerator.kind != AcceleratorKind::kGpu) continue;
    const Placement placement = PlacementOf(accelerator, false);
    ASSERT_TRUE(labels.contains(accelerator.generation)) << accelerator.name;
    EXPECT_EQ(TextIn(placement.node_selector, kGpuLabel), labels.at(accelerator.generation));
    EXPECT_EQ(placement.chips, accelerator.chips) << accelerator.name;
    kinds += accelerator.chips > 0 ? 1 : 0;
  }
  EXPECT_GE(kinds, labels.size());
}

TEST(KubernetesPlacement, AvoidsSpotNodesUnlessRequested) {
  const Value affinity = PlacementOf(AcceleratorNamed("v6e-1"), false).affinity;
  EXPECT_EQ(affinity.ToJson(),
            R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
            R"("nodeSelectorTerms":[{"matchExpressions":[{)"
            R"("key":"cloud.google.com/gke-spot","operator":"DoesNotExist"}]}]}}})");
  EXPECT_TRUE(PlacementOf(AcceleratorNamed("v6e-1"), true).affinity.IsNull());
}

/// Properties of every accelerator.
TEST(KubernetesPlacement, IsCompleteForEveryAccelerator) {
  std::map<std::string, std::string> places;
  for (const Accelerator& accelerator : Accelerators()) {
    SCOPED_TRACE(accelerator.name);
    const Placement placement = PlacementOf(accelerator, false);
    EXPECT_EQ(TextIn(placement.node_selector, "kubernetes.io/arch"), "amd64");
    EXPECT_EQ(placement.chips * placement.pods, accelerator.chips);
    EXPECT_EQ(placement.pods, accelerator.hosts);
    const bool tpu = accelerator.kind == AcceleratorKind::kTpu;
    const bool gpu = accelerator.kind == AcceleratorKind::kGpu;
    EXPECT_EQ(placement.resource, tpu ? "google.com/tpu" : gpu ? "nvidia.com/gpu" : "");
    EXPECT_EQ(TextIn(placement.node_selector, kTpuLabel).empty(), !tpu);
    EXPECT_EQ(TextIn(placement.node_selector, kTopologyLabel), accelerator.topology);
    EXPECT_EQ(TextIn(placement.node_selector, kGpuLabel).empty(), !gpu);
    const Value expected = Value::Map{{"key", tpu || gpu ? placement.resource : "kinetic.dev/jobs"},
                                      {"operator", "Exists"},
                                      {"effect", "NoSchedule"}};
    EXPECT_THAT(placement.tolerations, ElementsAre(expected));
    // No two accelerators have equal requests.
    const std::string words =
        Value(placement.node_selector).ToJson() + std::to_string(placement.chips);
    EXPECT_EQ(places.emplace(words, accelerator.name).first->second, accelerator.name);
  }
}

TEST(KubernetesPlacement, NamesTheOnlyWorkerOfTpu7x) {
  EXPECT_THAT(
      PlacementOf(AcceleratorNamed("tpu7x-8"), false).variables,
      ElementsAre(std::pair("TPU_WORKER_ID", "0"), std::pair("TPU_WORKER_HOSTNAMES", "localhost")));
  for (const char* name : {"tpu7x-16", "v6e-8", "gpu-l4", "cpu"}) {
    EXPECT_TRUE(PlacementOf(AcceleratorNamed(name), false).variables.empty()) << name;
  }
}

TEST(KubernetesPlacement, SelectsAndToleratesSpotNodes) {
  const Placement placement = PlacementOf(AcceleratorNamed("gpu-l4"), true);
  EXPECT_EQ(TextIn(placement.node_selector, "cloud.google.com/gke-spot"), "true");
  const Value spot = Value::Map{{"key", "cloud.google.com/gke-spot"},
                                {"operator", "Equal"},
                                {"value", "true"},
                                {"effect", "NoSchedule"}};
  EXPECT_THAT(placement.tolerations, ElementsAre(testing::_, spot));
  EXPECT_THAT(PlacementOf(AcceleratorNamed("cpu"), true).tolerations,
              ElementsAre(testing::_, spot));
}

TEST(KubernetesPlacement, SelectsFlexStartNodesAndReservations) {
  JobSpec spec;
  spec.flex_start = true;
  const Accelerator tpu = AcceleratorNamed("v6e-1");
  EXPECT_EQ(TextIn(PlacementOf(spec, tpu).node_selector, "cloud.google.com/gke-flex-start"),
            "true");
  spec.flex_start = false;
  spec.reservation = "team";
  const Placement placement = PlacementOf(spec, tpu);
  EXPECT_EQ(TextIn(placement.node_selector, "cloud.google.com/reservation-name"), "team");
  EXPECT_EQ(TextIn(placement.node_selector, "cloud.google.com/reservation-affinity"), "specific");
  spec.reservation = "";
  EXPECT_EQ(PlacementOf(spec, tpu).node_selector, PlacementOf(tpu, false).node_selector);
}

TEST(KubernetesPlacement, DividesPendingTimeoutAmongAccelerators) {
  JobSpec spec;
  spec.accelerators = {AcceleratorNamed("v6e-1"), AcceleratorNamed("v5litepod-1"),
                       AcceleratorNamed("gpu-l4")};
  EXPECT_EQ(FallbackTimeout(spec, 0), std::chrono::minutes(10));
  EXPECT_EQ(FallbackTimeout(spec, 2), std::nullopt);
  spec.timeouts.pending = std::chrono::minutes(18);
  EXPECT_EQ(FallbackTimeout(spec, 0), std::chrono::minutes(6));
  EXPECT_EQ(FallbackTimeout(spec, 1), std::chrono::minutes(6));
  EXPECT_EQ(FallbackTimeout(spec, 2), std::nullopt);
  spec.accelerators.resize(1);
  EXPECT_EQ(FallbackTimeout(spec, 0), std::nullopt);
}

}  // namespace
}  // namespace kinetic::backend
