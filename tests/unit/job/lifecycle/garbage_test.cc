#include "job/lifecycle/garbage.h"

#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

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

}  // namespace
}  // namespace kinetic::job
