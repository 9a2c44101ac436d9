#include "backend/kubernetes/manifest/lifetime.h"

#include "backend/kubernetes/manifest/placement.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::backend {
namespace {

using namespace std::chrono_literals;

const Value& Rule(const Value& policy, std::size_t index) {
  return policy.Find("rules")->AsList()->at(index);
}

std::string ActionOnDisruption(const RetrySpec& retry) {
  const Value policy = PodFailurePolicy(retry, FailureScope::kJob);
  const Value& rule = Rule(policy, 0);
  EXPECT_NE(rule.Find("onPodConditions"), nullptr);
  return *rule.Find("action")->AsString();
}

TEST(KubernetesFailurePolicy, ReplacesDisruptedPodIfRequested) {
  EXPECT_EQ(ActionOnDisruption({.attempts = 1}), "FailJob");
  EXPECT_EQ(ActionOnDisruption({.attempts = 2}), "Ignore");
  EXPECT_EQ(ActionOnDisruption({.attempts = 2, .on_preempted = false}), "Ignore")
      << "same as a lost node";
  EXPECT_EQ(ActionOnDisruption({.attempts = 2, .on_preempted = false, .on_infrastructure = false}),
            "FailJob");
}

/// The exit codes that count as failures of a pod; all others end the Job.
std::string AgainCodes(const RetrySpec& retry) {
  const Value policy = PodFailurePolicy(retry, FailureScope::kJob);
  const Value* count = Rule(policy, 1).Find("onExitCodes");
  const Value* fail = Rule(policy, 2).Find("onExitCodes");
  EXPECT_EQ(*Rule(policy, 1).Find("action"), Value("Count"));
  EXPECT_EQ(*Rule(policy, 2).Find("action"), Value("FailJob"));
  EXPECT_EQ(*count->Find("operator"), Value("In"));
  EXPECT_EQ(*fail->Find("operator"), Value("NotIn"));
  EXPECT_EQ(*count->Find("containerName"), Value("main"));
  EXPECT_EQ(*fail->Find("containerName"), Value("main"));
  EXPECT_EQ(*count->Find("values"), *fail->Find("values"));
  return count->Find("values")->ToJson();
}

TEST(KubernetesFailurePolicy, OnlyRunnerCodesRequestAnotherAttempt) {
  EXPECT_EQ(AgainCodes({.attempts = 1}), "[200]");
  EXPECT_EQ(AgainCodes({.attempts = 3}), "[128,200,203,255]");
  EXPECT_EQ(AgainCodes({.attempts = 3, .on_infrastructure = false, .on_exit_codes = {75}}),
            "[200]");
}

TEST(KubernetesFailurePolicy, RetriesContainerKilledWithItsLauncher) {
  EXPECT_EQ(AgainCodes({.attempts = 3, .on_exit_codes = {75, 137}}), "[128,137,200,203,255]");
  EXPECT_EQ(AgainCodes({.attempts = 1, .on_exit_codes = {137}}), "[200]");
}

TEST(KubernetesFailurePolicy, AllowsForRejectedPods) {
  EXPECT_EQ(BackoffLimit({.attempts = 1}), 3);
  EXPECT_EQ(BackoffLimit({.attempts = 5}), 7);
  EXPECT_EQ(BackoffLimit({.attempts = 5}, 4), 22) << "each attempt of each task may end a pod";
}

TEST(KubernetesLifetime, AddsTimeForCollectorToGracePeriod) {
  EXPECT_EQ(TerminationGrace({}), 150s);
  EXPECT_EQ(TerminationGrace({.grace = 1500ms}), 122s);
}

TEST(KubernetesLifetime, SetsDeadlineForJobWithTimeouts) {
  JobSpec spec;
  EXPECT_EQ(ActiveDeadline(spec), std::nullopt);
  spec.timeouts.run = 1h;
  EXPECT_EQ(ActiveDeadline(spec), std::nullopt) << "pending has no limit";
  spec.timeouts.pending = 30min;
  EXPECT_EQ(ActiveDeadline(spec), 2h + 150s);
  spec.retry.attempts = 3;
  EXPECT_EQ(ActiveDeadline(spec), 5h + 450s);
}

TEST(KubernetesLifetime, LimitsHugeTimes) {
  JobSpec spec;
  spec.timeouts.pending = std::chrono::milliseconds::max();
  spec.timeouts.run = std::chrono::milliseconds::max();
  spec.timeouts.grace = std::chrono::milliseconds::max();
  spec.retry.attempts = 100;
  EXPECT_EQ(ActiveDeadline(spec), std::chrono::hours{10 * 365 * 24});
}

TEST(KubernetesResources, FormatsQuantities) {
  EXPECT_EQ(BytesQuantity(0), "0");
  EXPECT_EQ(BytesQuantity(1000), "1000");
  EXPECT_EQ(BytesQuantity(1536), "1536");
  EXPECT_EQ(BytesQuantity(2048), "2Ki");
  EXPECT_EQ(BytesQuantity(std::uint64_t{32} << 30), "32Gi");
  EXPECT_EQ(BytesQuantity(std::uint64_t{1536} << 20), "1536Mi");
  EXPECT_EQ(BytesQuantity(std::uint64_t{3} << 40), "3Ti");
  EXPECT_EQ(CpuQuantity(8), "8");
  EXPECT_EQ(CpuQuantity(0.5), "500m");
  EXPECT_EQ(CpuQuantity(0.3), "300m");
  EXPECT_EQ(CpuQuantity(0.0001), "1m");
  EXPECT_EQ(CpuQuantity(1e300), "1000000000");
}

TEST(KubernetesResources, LimitsMemoryAndDiskButNotCpus) {
  Placement placement;
  placement.resource = "google.com/tpu";
  placement.chips = 4;
  EXPECT_EQ(
      ResourcesOf({.cpu = 2, .memory_bytes = 1 << 30, .disk_bytes = 1 << 20}, placement).ToJson(),
      R"({"requests":{"cpu":"2","memory":"1Gi","ephemeral-storage":"1Mi",)"
      R"("google.com/tpu":"4"},"limits":{"memory":"1Gi","ephemeral-storage":"1Mi",)"
      R"("google.com/tpu":"4"}})");
  EXPECT_EQ(ResourcesOf({}, {}).ToJson(), "{}");
}

}  // namespace
}  // namespace kinetic::backend
