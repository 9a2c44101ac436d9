#include "target/kubernetes_warm.h"

#include "target/kubernetes_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::target {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

WarmRequest Sample() {
  WarmRequest request;
  request.spec.name = "train";
  request.spec.run = Command{.shell = "true", .argv = {}};
  Accelerator cpu;
  cpu.name = "cpu";
  cpu.kind = AcceleratorKind::kCpu;
  request.spec.accelerators = {cpu};
  request.image = "registry.example/team/environments:cpu-1@sha256:aa";
  request.cluster.name_space = "ml";
  request.cluster.runner_image = "registry.example/kinetic-runner:1";
  return request;
}

Value SetOf(const WarmRequest& request) {
  auto set = WarmSet(request);
  EXPECT_TRUE(set) << set.error().message;
  return *std::move(set);
}

Value Json(const std::string& text) { return *Value::FromJson(text); }

TEST(WarmSet, HasBothImagesAndAsksForNothing) {
  const Value set = SetOf(Sample());
  EXPECT_THAT(TextAt(set, {"metadata", "name"}), HasSubstr("kinetic-warm-"));
  const std::string text = set.ToJson();
  EXPECT_THAT(text, HasSubstr("registry.example/team/environments:cpu-1@sha256:aa"));
  EXPECT_THAT(text, HasSubstr("registry.example/kinetic-runner:1"));
  EXPECT_EQ(text.find("resources"), std::string::npos);
  EXPECT_EQ(TextAt(set, {"spec", "template", "spec", "nodeSelector", "kubernetes.io/arch"}),
            "amd64");
}

TEST(WarmSet, GoesWhereTheJobWould) {
  WarmRequest request = Sample();
  request.spec.pod = Json(R"({"spec":{"nodeSelector":{"disk":"fast"},
    "tolerations":[{"key":"team","operator":"Exists"}]}})");
  request.pool = "tpus";
  const Value set = SetOf(request);
  const Value* const pod = At(set, {"spec", "template", "spec"});
  EXPECT_EQ(TextAt(*pod, {"nodeSelector", "disk"}), "fast");
  EXPECT_EQ(TextAt(*pod, {"nodeSelector", "cloud.google.com/gke-nodepool"}), "tpus");
  EXPECT_EQ(ListAt(*pod, {"tolerations"}).size(), 1U);
}

TEST(WarmSet, IsNamedByWhatItIsFor) {
  const auto name = [](const WarmRequest& request) {
    return std::string(TextAt(SetOf(request), {"metadata", "name"}));
  };
  WarmRequest other = Sample();
  other.spec.name = "another";
  EXPECT_EQ(name(Sample()), name(other));
  other.image += "b";
  EXPECT_NE(name(Sample()), name(other));
}

Value PodWith(const std::string& collector, const std::string& main) {
  return Json(R"({"status":{"initContainerStatuses":[{"name":"collector","state":)" + collector +
              R"(}],"containerStatuses":[{"name":"main","state":)" + main + "}]}}");
}

TEST(WarmState, IsSettledWhenBothImagesAreThere) {
  const std::string ended = R"({"terminated":{"exitCode":0}})";
  EXPECT_FALSE(WarmStateOf(Json("{}")).settled);
  EXPECT_FALSE(WarmStateOf(PodWith(ended, R"({"waiting":{"reason":"PodInitializing"}})")).settled);
  EXPECT_FALSE(
      WarmStateOf(PodWith(R"({"waiting":{"reason":"ContainerCreating"}})", ended)).settled);
  for (const char* const main : {R"({"terminated":{"exitCode":0}})", R"({"running":{}})",
                                 R"({"waiting":{"reason":"CrashLoopBackOff"}})"}) {
    const WarmState state = WarmStateOf(PodWith(ended, main));
    EXPECT_TRUE(state.settled) << main;
    EXPECT_EQ(state.failed, "") << main;
  }
}

TEST(WarmState, AnImageThatCannotBeHadIsTold) {
  const WarmState state = WarmStateOf(
      PodWith(R"({"terminated":{"exitCode":0}})",
              R"({"waiting":{"reason":"ErrImagePull","message":"none:1: not found"}})"));
  EXPECT_TRUE(state.settled);
  EXPECT_EQ(state.failed, "none:1: not found");
}

TEST(GoDuration, IsReadAsGoWritesIt) {
  EXPECT_EQ(ParseGoDuration("2.3s"), milliseconds(2300));
  EXPECT_EQ(ParseGoDuration("1m2.5s"), milliseconds(62'500));
  EXPECT_EQ(ParseGoDuration("1h0m0.001s"), milliseconds(3'600'001));
  EXPECT_EQ(ParseGoDuration("450ms"), milliseconds(450));
  for (const char* const wrong : {"", "2.3", "s", "2.3 s", "-1s", "2x"}) {
    EXPECT_FALSE(ParseGoDuration(wrong)) << wrong;
  }
}

TEST(PulledImage, SaysHowLongItTookOrThatItWasThere) {
  const auto pulled = PulledImage(Json(
      R"({"reason":"Pulled","message":"Successfully pulled image \"a/b:1\" in 2.303s (2.4s including waiting). Image size: 5 bytes."})"));
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->name, "a/b:1");
  EXPECT_EQ(pulled->pulled_in, milliseconds(2303));
  EXPECT_FALSE(pulled->was_there);
  const auto there = PulledImage(Json(
      R"({"reason":"Pulled","message":"Container image \"a/b:1\" already present on machine"})"));
  ASSERT_TRUE(there);
  EXPECT_TRUE(there->was_there);
  EXPECT_FALSE(there->pulled_in);
  EXPECT_FALSE(PulledImage(Json(R"({"reason":"Pulling","message":"Pulling image \"a\""})")));
  EXPECT_FALSE(PulledImage(Json(R"({"reason":"Pulled","message":"done"})")));
}

}  // namespace
}  // namespace kinetic::target
