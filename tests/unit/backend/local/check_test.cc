#include "backend/local/target.h"

#include <gmock/gmock.h>

#include <map>

namespace kinetic::backend {
namespace {

using ::testing::IsEmpty;

/// Returns whether each reported key is rejected.
std::map<std::string, bool> LocalLimitations(const JobSpec& spec) {
  std::map<std::string, bool> found;
  for (const auto& limitation : CheckSpecForLocal(spec)) {
    EXPECT_FALSE(limitation.reason.empty()) << limitation.key;
    found[limitation.key] = limitation.refused;
  }
  return found;
}

JobSpec PlainLocalJob() {
  JobSpec spec;
  spec.accelerators.push_back({.name = "cpu"});
  spec.function = FunctionReference{"m", "f"};
  return spec;
}

TEST(LocalCheck, AcceptsPlainJob) { EXPECT_THAT(LocalLimitations(PlainLocalJob()), IsEmpty()); }

TEST(LocalCheck, AcceptsMemoryTimeoutsAndRetries) {
  JobSpec spec = PlainLocalJob();
  spec.resources.memory_bytes = 1 << 30;
  spec.timeouts.run = std::chrono::minutes(1);
  spec.timeouts.pending = std::chrono::minutes(1);
  spec.retry.attempts = 3;
  EXPECT_THAT(LocalLimitations(spec), IsEmpty());
}

TEST(LocalCheck, WarnsAboutMoreMemoryThanTheMachineHas) {
  JobSpec spec = PlainLocalJob();
  spec.resources.memory_bytes = std::uint64_t{1} << 60U;
  EXPECT_EQ(LocalLimitations(spec), (std::map<std::string, bool>{{"resources.memory", false}}));
}

TEST(LocalCheck, IgnoresKeysForCostAndPlacement) {
  JobSpec spec = PlainLocalJob();
  spec.image = ImageSpec{.uri = "python:3.12"};
  spec.resources.cpu = 8;
  spec.resources.disk_bytes = 1;
  spec.resources.shm_bytes = 1;
  spec.spot = true;
  spec.queue = "team-a";
  spec.pod = Value::Map{{"nodeSelector", Value::Map{}}};
  spec.max_cost = "20 USD";
  const std::map<std::string, bool> expected{{"image", false},          {"resources.cpu", false},
                                             {"resources.disk", false}, {"resources.shm", false},
                                             {"spot", false},           {"max_cost", false},
                                             {"queue", false},          {"pod", false}};
  EXPECT_EQ(LocalLimitations(spec), expected);
}

TEST(LocalCheck, RejectsKeysThatChangeTheResult) {
  JobSpec spec = PlainLocalJob();
  spec.steps = Value::List{Value("a")};
  spec.accelerators = {{.kind = AcceleratorKind::kTpu, .name = "v5litepod-1"}};
  spec.slices = 2;
  const std::map<std::string, bool> expected{
      {"steps", true}, {"accelerator", true}, {"slices", true}};
  EXPECT_EQ(LocalLimitations(spec), expected);
}

TEST(LocalCheck, AcceptsCpuAlternative) {
  JobSpec spec = PlainLocalJob();
  spec.accelerators.insert(spec.accelerators.begin(),
                           {.kind = AcceleratorKind::kGpu, .name = "gpu-l4"});
  EXPECT_THAT(LocalLimitations(spec), IsEmpty());
}

TEST(LocalCheck, AcceptsDataThatItCanPlace) {
  JobSpec spec = PlainLocalJob();
  spec.data["sets"] = {.source = "/home/ana/sets"};
  spec.data["live"] = {.source = "/home/ana/live", .mount = true};
  spec.data["/usr/no-such-folder"] = {.source = "/home/ana/data"};
  const std::map<std::string, bool> expected{{"data.live", true},
                                             {"data./usr/no-such-folder", true}};
  EXPECT_EQ(LocalLimitations(spec), expected);
}

TEST(LocalCheck, AcceptsAbsoluteDataUsedByArgument) {
  JobSpec spec = PlainLocalJob();
  const std::string path = "/usr/no-such-folder";
  spec.data[path] = {.source = "/home/ana/data"};
  spec.args.named = {{"inputs", Value::List{Value::Map{{"$path", path + "/train.csv"}}}}};
  EXPECT_THAT(LocalLimitations(spec), IsEmpty());
  spec.args.named = {{"inputs", Value::Map{{"$path", path + "base"}}}};
  EXPECT_TRUE(LocalLimitations(spec).contains("data." + path));
}

}  // namespace
}  // namespace kinetic::backend
