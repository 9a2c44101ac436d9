#include "job/gc/garbage.h"

#include "record/checkpoint.h"
#include "record/index.h"
#include "record/object_names.h"
#include "unit/job/submit_harness.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Garbage, RemovesOrphansAndReportsNames) {
  test::FakeContext context;
  context.target().is_cluster = true;
  context.target().orphans = std::vector<std::string>{"secret ml/kinetic-ab12"};
  for (const bool dry_run : {true, false}) {
    const auto report = CollectAllGarbage(*context, {.dry_run = dry_run}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->removed, ElementsAre("secret ml/kinetic-ab12"));
    EXPECT_EQ(report->classes.front().removed, 1U);
  }
  EXPECT_THAT(*context.target().orphans, IsEmpty());
}

TEST(Garbage, CollectsStoreWithoutClusterPermissions) {
  test::FakeContext context;
  context.target().is_cluster = true;
  context.target().orphans = Fail(ErrorCode::kPermissionDenied, "may not list secrets");
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, IsEmpty());
}

TEST(Garbage, RemovesBuildInputsAfterOneWeek) {
  test::FakeContext context;
  const std::string old_log = record::BuildLogName("8f");
  const std::string source = record::BuildSourceName(Sha256::Of("source"));
  ASSERT_TRUE(store::Overwrite(context.store(), old_log, "DONE", {}));
  context.clock().Advance(std::chrono::hours(4 * 24));
  ASSERT_TRUE(store::Overwrite(context.store(), source, "source", {}));
  context.clock().Advance(std::chrono::hours(4 * 24));
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, ElementsAre(old_log));
  EXPECT_FALSE(*context.store().Stat(old_log, {}));
  EXPECT_TRUE(*context.store().Stat(source, {}));
}

TEST(Garbage, RestoresLostIndexEntriesAndKeepsWhatTheirJobsNeed) {
  test::FakeContext context;
  record::Record record = context.Submit("a");
  context.StoreResult("a", JobState::kSucceeded);
  const std::string tree = record::TreeName(record.tree);
  ASSERT_TRUE(store::Overwrite(context.store(), tree, "damaged", {}));
  ASSERT_TRUE(record::RemoveIndex(context.store(), record.created, "a", {}));
  context.clock().Advance(std::chrono::hours(24 * 365));
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->warnings, Contains("restored the index entry of job a"));
  EXPECT_TRUE(*context.store().Stat(tree, {}));
  const auto indexed = record::NewestJobs(context.store(), 0, {});
  ASSERT_EQ(indexed->size(), 1U);
  EXPECT_EQ(indexed->front().state, JobState::kSucceeded);
}

TEST(Garbage, DryRunCountsContentOfOldJobs) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  context.target().jobs.clear();
  context.StoreResult("j", JobState::kSucceeded);
  context.clock().Jump(std::chrono::hours(24 * 40));
  const auto kept = CollectAllGarbage(*context, {.dry_run = true}, {});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(kept->removed, Not(Contains(StartsWith("trees/"))));
  const GarbageOptions old{.dry_run = true, .jobs_older_than = std::chrono::hours(24)};
  const auto looked = CollectAllGarbage(*context, old, {});
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_THAT(looked->removed, Contains(StartsWith("trees/")));
  EXPECT_THAT(harness.ObjectsOfJob(), Contains("jobs/j/record.json"));
}

TEST(Garbage, RemovesOldCaches) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  const Path stat = context->options.cache_dir / "stat";
  context.files().Write("cache/checked/abc", "");
  const auto entries = [&](const Path& folder) {
    return PosixFileSystem().ReadDirectory(folder).value().size();
  };
  ASSERT_EQ(entries(stat), 1U);
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_EQ(entries(stat), 1U);
  context.clock().Jump(std::chrono::hours(24 * 31));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_EQ(entries(stat), 0U);
  EXPECT_EQ(entries(context->options.cache_dir / "checked"), 0U);
}

TEST(Garbage, RemovesInterruptedSubmissionAfterOneDay) {
  SubmitHarness harness;
  auto& context = harness.context();
  JobSummary summary;
  summary.id = "j";
  summary.created = context.clock().Now();
  ASSERT_TRUE(record::CreateIndex(context.store(), summary, {}));
  ASSERT_TRUE(store::Overwrite(context.store(), record::ArgumentsName("j", "0af1"), "[]", {}));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(harness.ObjectsOfJob(), SizeIs(1));
  context.clock().Jump(std::chrono::hours(25));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(harness.ObjectsOfJob(), IsEmpty());
  EXPECT_THAT(harness.Indexed(), IsEmpty());
}

TEST(Garbage, RemovesOrphanedCheckpointsAfterOneDay) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  const auto put = [&](std::string_view id) {
    record::Checkpoint checkpoint{.id = std::string(id), .created = context.clock().Now()};
    checkpoint.tree = Sha256::Of(id);
    EXPECT_TRUE(store::Overwrite(context.store(), record::CheckpointName(id, 1),
                                 record::ToJson(checkpoint), {}));
  };
  put("j");
  put("gone");
  const auto left = [&] {
    std::vector<std::string> ids;
    const auto all = record::ListCheckpoints(context.store(), {}, {});
    for (const auto& listed : *all) ids.push_back(listed.id);
    return ids;
  };
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(left(), SizeIs(2));
  context.clock().Jump(std::chrono::hours(25));
  const auto collected = CollectAllGarbage(*context, {.dry_run = true}, {});
  ASSERT_TRUE(collected);
  EXPECT_THAT(collected->removed, Contains("checkpoints/gone/000000000001"));
  EXPECT_THAT(left(), SizeIs(2));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(left(), ::testing::ElementsAre("j"));
}

}  // namespace
}  // namespace kinetic::job
