#include "backend/kubernetes/manifest/fallback_annotations.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/time/clock.h"
#include "unit/backend/sample_manifest_request.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

WallTime Moment(const char* time) { return ParseTime(time).value_or(WallTime()); }

class KubernetesFallbacks : public testing::Test {
 protected:
  KubernetesFallbacks() : record(SampleRecord()) {
    for (const char* name : {"gpu-l4", "cpu"}) {
      record.spec.accelerators.push_back(*ParseAccelerator(name));
    }
  }

  Value Build(std::size_t accelerator = 0) const {
    ManifestRequest request = SampleRequest(record);
    request.accelerator = accelerator;
    const auto manifests = BuildManifests(request);
    EXPECT_TRUE(manifests) << manifests.error().message;
    return manifests ? manifests->job : Value();
  }

  /// As returned by a server, with the fields that it adds.
  static Value Served(Value job) {
    Value metadata = *job.Find("metadata");
    metadata.Set("uid", "u1");
    metadata.Set("resourceVersion", "17");
    metadata.Set("creationTimestamp", "2026-11-22T10:00:00Z");
    job.Set("metadata", metadata);
    Value spec = *job.Find("spec");
    spec.Set("selector", Value::Map{{"matchLabels", Value::Map{{"controller-uid", "u1"}}}});
    spec.Set("suspend", false);
    job.Set("spec", spec);
    job.Set("status", Value::Map{{"active", 1}});
    return job;
  }

  record::Record record;
};

TEST_F(KubernetesFallbacks, JobCarriesLaterAccelerators) {
  const Value job = Build();
  EXPECT_EQ(NextAccelerator(job), "gpu-l4");
  EXPECT_EQ(FallbackTimeoutOf(job), std::chrono::minutes(10));
  EXPECT_TRUE(FailedAccelerators(job).empty());
  EXPECT_EQ(NextAccelerator(Build(2)), "");
  EXPECT_EQ(FallbackTimeoutOf(Build(2)), std::nullopt);
}

TEST_F(KubernetesFallbacks, NextJobEqualsJobBuiltForItsAccelerator) {
  const WallTime later = Moment("2026-11-22T10:00:20Z");
  const auto next = MakeNextJob(Served(Build()), "no node has it", later);
  ASSERT_TRUE(next) << next.error().message;
  const Value made = Build(1);
  EXPECT_EQ(*kube::At(*next, {"spec", "template"}), *kube::At(made, {"spec", "template"}));
  EXPECT_EQ(NameOf(*next), NameOf(made));
  EXPECT_EQ(TextAt(*next, {"metadata", "namespace"}), "ml");
  EXPECT_EQ(JobIdOf(*next), "ab12");
  EXPECT_EQ(TextAt(*next, {"metadata", "annotations", kAcceleratorAnnotation}), "gpu-l4");
  EXPECT_EQ(NextAccelerator(*next), "cpu");
  EXPECT_EQ(SubmittedAt(*next), Moment("2026-11-22T10:00:00Z"));
  EXPECT_EQ(MatchJob(*next, made), JobMatch::kSameRecord);
  // Fields that the server adds are not sent.
  EXPECT_EQ(kube::At(*next, {"spec", "selector"}), nullptr);
  EXPECT_EQ(kube::At(*next, {"metadata", "uid"}), nullptr);
  EXPECT_EQ(next->Find("status"), nullptr);
}

TEST_F(KubernetesFallbacks, KeepsTriedAcceleratorsInOrder) {
  Value job = Served(Build());
  for (const char* reason : {"sold out", "busy"}) {
    const auto next = MakeNextJob(job, reason, Moment("2026-11-22T10:05:00Z"));
    ASSERT_TRUE(next);
    job = Served(*next);
  }
  const auto failed = FailedAccelerators(job);
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[0].accelerator, "v5litepod-4");
  EXPECT_EQ(failed[0].reason, "sold out");
  EXPECT_EQ(failed[1].accelerator, "gpu-l4");
  EXPECT_EQ(failed[1].until, Moment("2026-11-22T10:05:00Z"));
  EXPECT_EQ(FallbackTimeoutOf(job), std::nullopt);
  EXPECT_FALSE(MakeNextJob(job, "none left", Moment("2026-11-22T10:09:00Z")));
}

TEST_F(KubernetesFallbacks, QueuedJobIsSuspendedAgain) {
  record.spec.queue = "team-a";
  const auto next = MakeNextJob(Served(Build()), "busy", Moment("2026-11-22T10:05:00Z"));
  ASSERT_TRUE(next);
  EXPECT_TRUE(BoolAt(*next, {"spec", "suspend"}));
  record.spec.queue.clear();
  EXPECT_FALSE(BoolAt(*MakeNextJob(Served(Build()), "busy", WallTime()), {"spec", "suspend"}));
}

TEST_F(KubernetesFallbacks, IgnoresForeignAnnotations) {
  Value job = Served(Build());
  for (const char* text : {"", "no json", "{}", "[]", "[1]", R"([{"accelerator":"cpu"}])"}) {
    Value metadata = *job.Find("metadata");
    metadata.Set("annotations", Value::Map{{std::string(kFallbacksAnnotation), text}});
    job.Set("metadata", metadata);
    EXPECT_FALSE(MakeNextJob(job, "busy", WallTime())) << text;
  }
}

TEST_F(KubernetesFallbacks, ProgramReceivesItsAccelerator) {
  const auto told = [&](const Value& job) {
    const Value& main = ListAt(job, {"spec", "template", "spec", "containers"}).front();
    return std::string(TextAt(ListAt(main, {"env"}).front(), {"value"}));
  };
  EXPECT_EQ(told(Build()), "v5litepod-4");
  EXPECT_EQ(told(*MakeNextJob(Served(Build()), "busy", WallTime())), "gpu-l4");
}

}  // namespace
}  // namespace kinetic::backend
