#include "job/gc/garbage.h"

#include "record/index.h"
#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace kinetic::job
