#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

Value EventOf(const char* kind, const std::string& name) {
  return Value::Map{{"involvedObject", Value::Map{{"kind", kind}, {"name", name}}}};
}

TEST(KubernetesObserved, MatchesEventsOfJob) {
  EXPECT_TRUE(IsEventOf(EventOf("Job", "kinetic-a"), ObjectNamesOf("a")));
  EXPECT_TRUE(IsEventOf(EventOf("Pod", "kinetic-a-x7k2p"), ObjectNamesOf("a")));
  EXPECT_TRUE(IsEventOf(EventOf("Workload", "job-kinetic-a-0f3e1"), ObjectNamesOf("a")));
  // If a Job's name is long, its pods' names have no dash.
  const std::string longest(58, 'n');
  EXPECT_TRUE(IsEventOf(EventOf("Pod", longest + "x7k2p"), {longest, longest, {}}));
}

TEST(KubernetesObserved, IgnoresEventsOfOtherJobs) {
  EXPECT_FALSE(IsEventOf(EventOf("Job", "kinetic-ab"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(EventOf("Job", "kinetic-a-b"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(EventOf("Pod", "kinetic-b-x7k2p"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(EventOf("Pod", "kinetic-a-b-x7k2p"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(EventOf("Workload", "job-kinetic-ab-0f3e1"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(EventOf("Node", "kinetic-a"), ObjectNamesOf("a")));
  EXPECT_FALSE(IsEventOf(Value(), ObjectNamesOf("a")));
}

Value Says(const char* kind, const std::string& message) {
  return Value::Map{{"involvedObject", Value::Map{{"kind", kind}, {"name", "kinetic-a"}}},
                    {"message", message}};
}

TEST(KubernetesObserved, NamesPodsThatEventsReport) {
  EXPECT_EQ(PodNamedBy(Says("Job", "Created pod: kinetic-a-x7k2p")), "kinetic-a-x7k2p");
  EXPECT_EQ(PodNamedBy(Says("Job", "Deleted pod: kinetic-a-x7k2p")), "kinetic-a-x7k2p");
  EXPECT_EQ(PodNamedBy(Says("Job", "Job completed")), "");
  EXPECT_EQ(PodNamedBy(Says("Pod", "Created pod: x")), "");
  EXPECT_EQ(PodNamedBy(Value()), "");
}

}  // namespace
}  // namespace kinetic::backend
