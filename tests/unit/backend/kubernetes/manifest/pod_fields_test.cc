#include "backend/kubernetes/manifest/pod_fields.h"

#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "unit/backend/parse.h"
#include "unit/backend/sample_manifest_request.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

using ::testing::ElementsAre;

Value PlainPod() {
  record::Record record = SampleRecord();
  record.secret_names = {"WANDB_API_KEY"};
  record.spec.data["/data"] = {.source = "/home/ana/data"};
  const auto plain = PodTemplate(SampleRequest(record),
                                 PlacementOf(record.spec.accelerators.front(), false), "kinetic-x");
  EXPECT_TRUE(plain);
  return plain.value_or(Value());
}

std::vector<std::string> Problems(std::string_view pod) {
  std::vector<std::string> keys;
  for (const auto& problem : MergePodFields(PlainPod(), Json(pod)).problems) {
    EXPECT_FALSE(problem.reason.empty());
    keys.push_back(problem.key);
  }
  return keys;
}

Value MergedAt(std::string_view pod, const PodPath& path) {
  const PodFields fields = MergePodFields(PlainPod(), Json(pod));
  for (const auto& problem : fields.problems) {
    ADD_FAILURE() << problem.key << ": " << problem.reason;
  }
  const Value* found = FindAt(fields.merged, path);
  return found == nullptr ? Value() : *found;
}

TEST(KubernetesPodFields, EmptyFieldsKeepPodUnchanged) {
  const auto same = WithPodFields(PlainPod(), Value());
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, PlainPod());
}

TEST(KubernetesPodFields, AddOtherFields) {
  EXPECT_EQ(MergedAt(R"({"spec":{"priorityClassName":"high"}})", {"spec", "priorityClassName"}),
            Value("high"));
  EXPECT_EQ(MergedAt(R"({"metadata":{"labels":{"team":"a"}}})", {"metadata", "labels", "team"}),
            Value("a"));
  EXPECT_EQ(
      MergedAt(R"({"metadata":{"annotations":{"cluster-autoscaler.kubernetes.io/safe-to-evict":
               null}}})",
               {"metadata", "annotations"}),
      Value(Value::Map{}));
  EXPECT_EQ(MergedAt(R"({"spec":{"nodeSelector":{"cloud.google.com/compute-class":"x"}}})",
                     {"spec", "nodeSelector", "cloud.google.com/gke-tpu-topology"}),
            Value("2x2"));
  EXPECT_EQ(MergedAt(R"({"spec":{"nodeSelector":{"cloud.google.com/gke-tpu-topology":null}}})",
                     {"spec", "nodeSelector", "cloud.google.com/gke-tpu-topology"}),
            Value());
  EXPECT_EQ(MergedAt(R"({"spec":{"tolerations":[{"key":"team","operator":"Exists"}]}})",
                     {"spec", "tolerations"})
                .AsList()
                ->size(),
            2U);
}

TEST(KubernetesPodFields, AddToJobContainer) {
  const std::string main = R"({"spec":{"containers":[{"name":"main",)";
  EXPECT_EQ(MergedAt(main + R"("env":[{"name":"X","value":"1"}]}]}})",
                     {"spec", "containers", "main", "env", "X", "value"}),
            Value("1"));
  EXPECT_EQ(MergedAt(main + R"("volumeMounts":[{"name":"v","mountPath":"/v"}]}]}})",
                     {"spec", "containers", "main", "volumeMounts", "/v", "name"}),
            Value("v"));
  EXPECT_EQ(MergedAt(main + R"("resources":{"limits":{"cpu":"4"}}}]}})",
                     {"spec", "containers", "main", "resources", "limits"})
                .ToJson(),
            R"({"google.com/tpu":"4","cpu":"4"})");
  EXPECT_EQ(MergedAt(main + R"("imagePullPolicy":"Never"}]}})",
                     {"spec", "containers", "main", "imagePullPolicy"}),
            Value("Never"));
}

TEST(KubernetesPodFields, AddContainersAfterCollector) {
  const Value containers = MergedAt(
      R"({"spec":{"initContainers":[{"name":"proxy","image":"p","restartPolicy":"Always"}]}})",
      {"spec", "initContainers"});
  ASSERT_EQ(containers.AsList()->size(), 2U);
  EXPECT_EQ(*containers.AsList()->at(1).Find("name"), Value("proxy"));
}

TEST(KubernetesPodFields, ChangeCollectorResources) {
  EXPECT_EQ(MergedAt(R"({"spec":{"initContainers":[{"name":"collector",
                  "resources":{"limits":{"memory":"1Gi"}}}]}})",
                     {"spec", "initContainers", "collector", "resources", "limits", "memory"}),
            Value("1Gi"));
}

struct Refused {
  std::string name, pod, key;
};

class KubernetesPodFieldsRefused : public testing::TestWithParam<Refused> {};

TEST_P(KubernetesPodFieldsRefused, WithLocation) {
  EXPECT_THAT(Problems(GetParam().pod), ElementsAre(GetParam().key));
}

std::string Main(const std::string& members) {
  return R"({"spec":{"containers":[{"name":"main",)" + members + "}]}}";
}

std::string Collector(const std::string& members) {
  return R"({"spec":{"initContainers":[{"name":"collector",)" + members + "}]}}";
}

const std::string kMainKey = "pod.spec.containers[0].";

INSTANTIATE_TEST_SUITE_P(
    All, KubernetesPodFieldsRefused,
    testing::Values(
        Refused{"misplaced", R"({"priorityClassName":"high"})", "pod.priorityClassName"},
        Refused{"name", R"({"metadata":{"name":"x"}})", "pod.metadata.name"},
        Refused{"restart", R"({"spec":{"restartPolicy":"OnFailure"}})", "pod.spec.restartPolicy"},
        Refused{"norestart", R"({"spec":{"restartPolicy":null}})", "pod.spec.restartPolicy"},
        Refused{"deadline", R"({"spec":{"activeDeadlineSeconds":5}})",
                "pod.spec.activeDeadlineSeconds"},
        Refused{"grace", R"({"spec":{"terminationGracePeriodSeconds":5}})",
                "pod.spec.terminationGracePeriodSeconds"},
        Refused{"shared", R"({"spec":{"shareProcessNamespace":true}})",
                "pod.spec.shareProcessNamespace"},
        Refused{"image", Main(R"("image":"x")"), kMainKey + "image"},
        Refused{"command", Main(R"("command":["x"])"), kMainKey + "command"},
        Refused{"args", Main(R"("args":["x"])"), kMainKey + "args"},
        Refused{"folder", Main(R"("workingDir":"/x")"), kMainKey + "workingDir"},
        Refused{"tty", Main(R"("tty":true)"), kMainKey + "tty"},
        Refused{"chips", Main(R"("resources":{"limits":{"google.com/tpu":"8"}})"),
                kMainKey + "resources.limits.google.com/tpu"},
        Refused{"gpus", Main(R"("resources":{"limits":{"nvidia.com/gpu":"1"}})"),
                kMainKey + "resources.limits.nvidia.com/gpu"},
        Refused{"secret",
                Main(R"("env":[{"name":"A","value":""},)"
                     R"({"name":"WANDB_API_KEY","value":"x","valueFrom":null}])"),
                kMainKey + "env[1]"},
        Refused{"nosecret", Main(R"("env":[{"name":"WANDB_API_KEY","$patch":"delete"}])"),
                kMainKey + "env[0]"},
        Refused{"variable", Main(R"("env":[{"name":"KINETIC_JOB_ID","value":"x"}])"),
                kMainKey + "env[0]"},
        Refused{"mount", Main(R"("volumeMounts":[{"mountPath":"/data","name":"other"}])"),
                kMainKey + "volumeMounts[0]"},
        Refused{"shadow", Main(R"("volumeMounts":[{"mountPath":"/kinetic/bin/","name":"v"}])"),
                kMainKey + "volumeMounts[0]"},
        Refused{"nomount", Main(R"("volumeMounts":[{"$patch":"replace"}])"),
                kMainKey + "volumeMounts"},
        Refused{"volume",
                R"({"spec":{"volumes":[{"name":"v"},)"
                R"({"name":"kinetic","hostPath":{"path":"/"}}]}})",
                "pod.spec.volumes[1]"},
        Refused{"novolumes", R"({"spec":{"volumes":[{"$patch":"replace"}]}})", "pod.spec.volumes"},
        Refused{"second", R"({"spec":{"containers":[{"name":"other","image":"x"}]}})",
                "pod.spec.containers[0]"},
        Refused{"nomain", R"({"spec":{"containers":[{"name":"main","$patch":"delete"}]}})",
                "pod.spec.containers"},
        Refused{"collector", Collector(R"("image":"x")"), "pod.spec.initContainers[0].image"},
        Refused{"collectorenv", Collector(R"("env":[{"name":"X","value":"1"}])"),
                "pod.spec.initContainers[0].env"},
        Refused{"collectortype", Collector(R"("restartPolicy":null)"),
                "pod.spec.initContainers[0].restartPolicy"},
        Refused{"managed", R"({"metadata":{"labels":{"app.kubernetes.io/managed-by":"me"}}})",
                "pod.metadata.labels.app.kubernetes.io/managed-by"},
        Refused{"queue", R"({"metadata":{"labels":{"kueue.x-k8s.io/queue-name":"q"}}})",
                "pod.metadata.labels.kueue.x-k8s.io/queue-name"},
        Refused{"unmergeable", R"({"spec":{"containers":[{"image":"x"}]}})",
                "pod.spec.containers[0]"},
        Refused{"kind", R"({"spec":[]})", "pod.spec"}, Refused{"list", "[]", "pod"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(KubernetesPodFields, CannotRemoveCollector) {
  EXPECT_THAT(Problems(R"({"spec":{"initContainers":[{"name":"collector","$patch":"delete"}]}})"),
              ElementsAre("pod.spec.initContainers"));
  EXPECT_THAT(Problems(R"({"spec":{"initContainers":[{"$patch":"replace"},{"name":"x"}]}})"),
              ElementsAre("pod.spec.initContainers"));
}

TEST(KubernetesPodFields, AllProblemsAreInOneError) {
  const auto merged =
      WithPodFields(PlainPod(), Json(R"({"spec":{"restartPolicy":"Always","hostPID":true}})"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(merged.error().message.find("pod.spec.restartPolicy: cannot be changed"),
            std::string::npos);
  EXPECT_NE(merged.error().message.find("\npod.spec.hostPID: cannot be changed"),
            std::string::npos);
}

}  // namespace
}  // namespace kinetic::backend
