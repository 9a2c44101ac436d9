#include "kinetic/job_file.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "unit/backend/parse.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace kinetic::backend {
namespace {

using ::testing::IsEmpty;

/// Returns whether each reported key is rejected.
std::map<std::string, bool> KubernetesLimitations(const JobSpec& spec,
                                                  const ClusterProfile& cluster = {}) {
  std::map<std::string, bool> found;
  for (const auto& limitation : CheckSpecForKubernetes(spec, cluster, {})) {
    EXPECT_FALSE(limitation.reason.empty()) << limitation.key;
    found[limitation.key] = limitation.refused;
  }
  return found;
}

JobSpec PlainClusterJob() {
  JobSpec spec;
  spec.accelerators.push_back(AcceleratorNamed("cpu"));
  spec.function = FunctionReference{"m", "f"};
  return spec;
}

TEST(KubernetesCheck, AcceptsSupportedKeys) {
  JobSpec spec = PlainClusterJob();
  EXPECT_THAT(KubernetesLimitations(spec), IsEmpty());
  spec.accelerators = {AcceleratorNamed("v5litepod-8"), AcceleratorNamed("gpu-h100x8")};
  spec.image = ImageSpec{.uri = "ghcr.io/org/train:1", .dockerfile = {}, .context = {}};
  spec.resources = {.cpu = 8, .memory_bytes = 1 << 30, .disk_bytes = 1 << 30, .shm_bytes = 1};
  spec.spot = true;
  spec.retry.attempts = 3;
  spec.timeouts.run = std::chrono::hours(1);
  spec.queue = "team-a";
  spec.secrets = {"WANDB_*"};
  spec.data["/data"] = {.source = "/home/ana/data"};
  spec.pod = Value::Map{{"spec", Value::Map{{"priorityClassName", "high"}}}};
  EXPECT_THAT(KubernetesLimitations(spec), IsEmpty());
}

TEST(KubernetesCheck, RejectsUnsupportedKeys) {
  JobSpec spec = PlainClusterJob();
  spec.accelerators = {AcceleratorNamed("v5litepod-16")};
  spec.steps = Value::List{Value("a")};
  spec.dependencies.file = "/home/ana/requirements.txt";
  spec.image = ImageSpec{.uri = "", .dockerfile = "Dockerfile", .context = {}};
  spec.data["/weights"] = {.source = "gs://b/p", .mount = true};
  spec.slices = 2;
  spec.max_cost = "20 USD";
  const std::map<std::string, bool> expected{{"accelerator", true},      {"steps", true},
                                             {"dependencies", false},    {"slices", true},
                                             {"image.dockerfile", true}, {"data./weights", true},
                                             {"max_cost", true}};
  EXPECT_EQ(KubernetesLimitations(spec), expected);
}

TEST(KubernetesCheck, AcceptsArrayWithOneAccelerator) {
  JobSpec spec = PlainClusterJob();
  spec.array = ArraySpec{.count = 3, .parallel = 5, .max_failed = 0, .tasks_per_pod = 2};
  EXPECT_THAT(KubernetesLimitations(spec), IsEmpty());
  spec.accelerators = {AcceleratorNamed("v5litepod-4"), AcceleratorNamed("v5litepod-1")};
  const std::map<std::string, bool> expected{{"accelerator", true}};
  EXPECT_EQ(KubernetesLimitations(spec), expected);
}

TEST(KubernetesCheck, RejectsMultiHostAccelerator) {
  JobSpec spec = PlainClusterJob();
  spec.accelerators = {AcceleratorNamed("v5litepod-4"), AcceleratorNamed("v5p-16")};
  const auto found = CheckSpecForKubernetes(spec, {}, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "accelerator");
  EXPECT_TRUE(found[0].reason.starts_with("v5p-16 spans 2 machines")) << found[0].reason;
}

TEST(KubernetesCheck, RejectsTheNetworkOfTheNodeOnGke) {
  JobSpec spec = PlainClusterJob();
  spec.pod = Value::Map{{"spec", Value::Map{{"hostNetwork", true}}}};
  EXPECT_THAT(KubernetesLimitations(spec), IsEmpty());
  ClusterProfile gke;
  gke.project = "my-project";
  const std::map<std::string, bool> expected{{"pod.spec.hostNetwork", true}};
  EXPECT_EQ(KubernetesLimitations(spec, gke), expected);
}

TEST(KubernetesCheck, RejectsDataAtReservedPaths) {
  for (const std::string path : {"/kinetic", "/kinetic/x", "/proc/1", "/dev", "/sys/x"}) {
    JobSpec spec = PlainClusterJob();
    spec.data[path] = {.source = "/home/ana/data"};
    EXPECT_EQ(KubernetesLimitations(spec).count("data." + path), 1U) << path;
  }
  for (const std::string path : {"/kinetics", "/devices", "/data/kinetic", "sets"}) {
    JobSpec spec = PlainClusterJob();
    spec.data[path] = {.source = "/home/ana/data"};
    EXPECT_THAT(KubernetesLimitations(spec), IsEmpty()) << path;
  }
}

TEST(KubernetesCheck, IgnoresPythonAndDependenciesWithImage) {
  JobSpec spec = PlainClusterJob();
  spec.python = "3.12";
  spec.dependencies.file = "/home/ana/requirements.txt";
  EXPECT_THAT(KubernetesLimitations(spec), IsEmpty());
  ClusterProfile cluster;
  cluster.image = "ghcr.io/org/base:1";
  EXPECT_THAT(KubernetesLimitations(spec, cluster), IsEmpty());
  spec.image = ImageSpec{.uri = "ghcr.io/org/own:1"};
  EXPECT_EQ(KubernetesLimitations(spec, cluster),
            (std::map<std::string, bool>{{"python", false}, {"dependencies", false}}));
}

TEST(KubernetesCheck, RejectsInvalidQueueName) {
  for (const auto& queue : {std::string("team a"), std::string("-team"), std::string(64, 'a')}) {
    JobSpec spec = PlainClusterJob();
    spec.queue = queue;
    EXPECT_EQ(KubernetesLimitations(spec), (std::map<std::string, bool>{{"queue", true}})) << queue;
  }
}

TEST(KubernetesCheck, ReportsLocationOfPodFields) {
  const auto spec = ParseJobFile(R"(run: ./train
accelerator: v5litepod-4
secrets: [WANDB_API_KEY, "AWS_*"]
pod:
  spec:
    priorityClassName: high
    containers:
      - name: main
        env: [{name: WANDB_API_KEY, value: x}]
        command: [sh]
)",
                                 "job.yaml", {.directory = "/tmp"});
  ASSERT_TRUE(spec) << spec.error().message;
  std::map<std::string, std::string> places;
  for (const auto& limitation : CheckSpecForKubernetes(*spec, {}, {})) {
    ASSERT_TRUE(spec->positions.contains(limitation.key)) << limitation.key;
    places[limitation.key] = spec->positions.at(limitation.key).ToString();
  }
  const std::map<std::string, std::string> expected{
      {"pod.spec.containers[0].env[0]", "job.yaml:9:15"},
      {"pod.spec.containers[0].command", "job.yaml:10:18"}};
  EXPECT_EQ(places, expected);
}

}  // namespace
}  // namespace kinetic::backend
