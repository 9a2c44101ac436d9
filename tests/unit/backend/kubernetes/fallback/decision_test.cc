#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/fallback/annotations.h"
#include "backend/kubernetes/fallback/failover.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "unit/backend/situation_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

/// A recorded situation whose Job has another accelerator to fall back to.
class Waiting {
 public:
  explicit Waiting(const std::string& name, minutes patience = minutes(5)) : file_(name) {
    Value job = *file_.object().Find("job");
    Value metadata = *job.Find("metadata");
    Value::Map annotations = MapAt(metadata, {"annotations"});
    annotations.emplace_back(std::string(kAcceleratorAnnotation), "v6e-1");
    AnnotateChoices(annotations, patience,
                    {{.accelerator = "gpu-l4", .patience = {}, .pod_template = Value::Map{}}});
    metadata.Set("annotations", std::move(annotations));
    job.Set("metadata", std::move(metadata));
    file_.object().Set("job", std::move(job));
  }

  /// Returns the situation at a time after the Job's creation.
  PodSituation After(seconds age) const {
    PodSituation situation = file_.Read();
    situation.wanted.accelerator = "v6e-1";
    situation.now = *SubmittedAt(*situation.job) + age;
    return situation;
  }

 private:
  SituationFile file_;
};

TEST(KubernetesPatience, MovesOnIfNoNodeOfKindIsCreated) {
  const Waiting waiting("no_such_pool");
  const Patience early = PatienceWith(waiting.After(seconds(5)));
  EXPECT_FALSE(early.is_over);
  EXPECT_EQ(early.until, waiting.After(seconds(20)).now);
  const Patience late = PatienceWith(waiting.After(seconds(20)));
  EXPECT_TRUE(late.is_over);
  EXPECT_THAT(late.reason, HasSubstr("no node has"));
  const Waiting other("no_such_label");
  EXPECT_TRUE(PatienceWith(other.After(seconds(21))).is_over);
}

TEST(KubernetesPatience, WaitsForBusyNodesUntilTimeout) {
  const Waiting waiting("taken");
  EXPECT_FALSE(PatienceWith(waiting.After(minutes(4))).is_over);
  EXPECT_TRUE(PatienceWith(waiting.After(minutes(5))).is_over);
  EXPECT_EQ(PatienceWith(waiting.After(minutes(4))).until, waiting.After(minutes(5)).now);
}

TEST(KubernetesPatience, MovesOnIfAutoscalerFails) {
  for (const char* name : {"stockout", "cloud_quota", "addresses", "at_bound", "misfit"}) {
    const Waiting waiting(name);
    EXPECT_TRUE(PatienceWith(waiting.After(seconds(5))).is_over) << name;
  }
}

TEST(KubernetesPatience, WaitsForNodeBeingCreated) {
  const Waiting waiting("scaling_up", minutes(1));
  const auto now = waiting.After(minutes(2));
  ASSERT_EQ(Explain(now).cause, Cause::kScalingUp);
  const Patience patience = PatienceWith(now);
  EXPECT_FALSE(patience.is_over);
  EXPECT_EQ(patience.until, *Explain(now).since + minutes(10));
}

TEST(KubernetesPatience, KeepsJobWithNodeOrWithoutFallback) {
  for (const char* name : {"running", "image_absent", "succeeded", "out_of_memory"}) {
    const Waiting waiting(name);
    const Patience patience = PatienceWith(waiting.After(minutes(60)));
    EXPECT_FALSE(patience.is_over) << name;
    EXPECT_EQ(patience.until, std::nullopt) << name;
  }
  const SituationFile file("no_such_pool");
  PodSituation alone = file.Read();
  alone.now += minutes(60);
  EXPECT_FALSE(PatienceWith(alone).is_over);
}

TEST(KubernetesPatience, PendingTimeoutCoversAllAccelerators) {
  const Waiting waiting("no_such_pool");
  PodSituation late = waiting.After(minutes(3));
  late.wanted.pending = minutes(3);
  EXPECT_FALSE(PatienceWith(late).is_over);
  ASSERT_TRUE(GiveUp(late));
  EXPECT_EQ(GiveUp(late)->cause, Cause::kNoSuchPool);
}

TEST(KubernetesPatience, ExplanationNamesCurrentAndNextAccelerator) {
  const Waiting waiting("misfit");
  const PodSituation now = waiting.After(seconds(5));
  const Explanation explanation = Explain(now);
  EXPECT_TRUE(ExplainPresent(now).final);
  EXPECT_FALSE(explanation.final) << "another accelerator is left";
  EXPECT_THAT(explanation.advice, StartsWith("a client that follows the job tries gpu-l4 next"));
  EXPECT_FALSE(GiveUp(now));
  EXPECT_THAT(StateOf(now).reason, StartsWith("v6e-1: "));
}

}  // namespace
}  // namespace kinetic::backend
