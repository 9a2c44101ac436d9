#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/failover.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "unit/backend/snapshot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

/// A recorded snapshot whose Job has another accelerator to fall back to.
class Waiting {
 public:
  explicit Waiting(const std::string& name, minutes timeout = minutes(5)) : file_(name) {
    Value job = *file_.object().Find("job");
    Value metadata = *job.Find("metadata");
    Value::Map annotations = MapAt(metadata, {"annotations"});
    annotations.emplace_back(std::string(kAcceleratorAnnotation), "v6e-1");
    AnnotateFallbacks(annotations, timeout,
                      {{.accelerator = "gpu-l4", .timeout = {}, .pod_template = Value::Map{}}});
    metadata.Set("annotations", std::move(annotations));
    job.Set("metadata", std::move(metadata));
    file_.object().Set("job", std::move(job));
  }

  /// Returns the snapshot at a time after the Job's creation.
  SnapshotView After(seconds age) const {
    SnapshotView view = file_.Read();
    view.requested.accelerator = "v6e-1";
    view.now = *SubmittedAt(*view.job) + age;
    return view;
  }

 private:
  SnapshotFile file_;
};

TEST(KubernetesFallbackDecision, FallsBackIfNoNodeOfKindIsCreated) {
  const Waiting waiting("no_such_pool");
  const FallbackDecision early = DecideFallback(waiting.After(seconds(5)));
  EXPECT_FALSE(early.is_over);
  EXPECT_EQ(early.until, waiting.After(minutes(3)).now);
  const FallbackDecision late = DecideFallback(waiting.After(minutes(3)));
  EXPECT_TRUE(late.is_over);
  EXPECT_THAT(late.reason, HasSubstr("no node has"));
  const Waiting other("no_such_label");
  EXPECT_TRUE(DecideFallback(other.After(minutes(4))).is_over);
}

TEST(KubernetesFallbackDecision, WaitsForBusyNodesUntilTimeout) {
  const Waiting waiting("taken");
  EXPECT_FALSE(DecideFallback(waiting.After(minutes(4))).is_over);
  EXPECT_TRUE(DecideFallback(waiting.After(minutes(5))).is_over);
  EXPECT_EQ(DecideFallback(waiting.After(minutes(4))).until, waiting.After(minutes(5)).now);
}

TEST(KubernetesFallbackDecision, FallsBackIfAutoscalerFails) {
  for (const char* name : {"stockout", "cloud_quota", "addresses", "at_bound"}) {
    const Waiting waiting(name);
    EXPECT_TRUE(DecideFallback(waiting.After(seconds(5))).is_over) << name;
  }
}

/// Node auto-provisioning may still create a pool.
TEST(KubernetesFallbackDecision, WaitsForPoolIfNoneMatches) {
  const Waiting waiting("misfit");
  EXPECT_FALSE(DecideFallback(waiting.After(seconds(5))).is_over);
  EXPECT_TRUE(DecideFallback(waiting.After(minutes(3))).is_over);
}

TEST(KubernetesFallbackDecision, WaitsForNodeBeingCreated) {
  const Waiting waiting("scaling_up", minutes(1));
  const auto now = waiting.After(minutes(2));
  ASSERT_EQ(Explain(now).cause, Cause::kScalingUp);
  const FallbackDecision timeout = DecideFallback(now);
  EXPECT_FALSE(timeout.is_over);
  EXPECT_EQ(timeout.until, *Explain(now).since + minutes(10));
}

TEST(KubernetesFallbackDecision, KeepsJobWithNodeOrWithoutFallback) {
  for (const char* name : {"running", "image_not_found", "succeeded", "out_of_memory"}) {
    const Waiting waiting(name);
    const FallbackDecision timeout = DecideFallback(waiting.After(minutes(60)));
    EXPECT_FALSE(timeout.is_over) << name;
    EXPECT_EQ(timeout.until, std::nullopt) << name;
  }
  const SnapshotFile file("no_such_pool");
  SnapshotView alone = file.Read();
  alone.now += minutes(60);
  EXPECT_FALSE(DecideFallback(alone).is_over);
}

TEST(KubernetesFallbackDecision, PendingTimeoutCoversAllAccelerators) {
  const Waiting waiting("no_such_pool");
  SnapshotView late = waiting.After(minutes(3));
  late.requested.pending = minutes(3);
  EXPECT_FALSE(DecideFallback(late).is_over);
  ASSERT_TRUE(GiveUp(late));
  EXPECT_EQ(GiveUp(late)->cause, Cause::kNoSuchPool);
}

TEST(KubernetesFallbackDecision, ExplanationNamesCurrentAndNextAccelerator) {
  const Waiting waiting("misfit");
  const SnapshotView now = waiting.After(minutes(11));
  const Explanation explanation = Explain(now);
  EXPECT_TRUE(ExplainWithoutFallbacks(now).final);
  EXPECT_FALSE(explanation.final) << "another accelerator is left";
  EXPECT_THAT(explanation.advice, StartsWith("a client that follows the job tries gpu-l4 next"));
  EXPECT_FALSE(GiveUp(now));
  EXPECT_THAT(StateOf(now).reason, StartsWith("v6e-1: "));
}

}  // namespace
}  // namespace kinetic::backend
