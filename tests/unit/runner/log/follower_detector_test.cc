#include "runner/log/follower_detector.h"

#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using std::chrono::seconds;

class FollowWatchTest : public ::testing::Test {
 protected:
  FollowWatchTest() {
    store_.SetHook([this](std::string_view operation, std::string_view) -> Status {
      if (operation == "stat") ++stats_;
      return {};
    });
  }

  void SetUp() override { clock_.Advance(seconds(2)); }

  void Follow() {
    const std::string name = record::FollowMarkerName("k-1");
    const auto touched = store_.Touch(name, {}, {});
    ASSERT_TRUE(touched);
    if (!*touched) {
      ASSERT_TRUE(store::PutBytes(store_, name, {}, store::Precondition::Absent(), {}));
    }
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  int stats_ = 0;
  FollowerDetector detector_{store_, clock_, "k-1"};
};

TEST_F(FollowWatchTest, ReportsNoClientAtFirst) { EXPECT_FALSE(detector_.IsFollowed({})); }

TEST_F(FollowWatchTest, DetectsRenewalsAndTheirEnd) {
  for (int i = 0; i < 5; ++i) {
    Follow();
    EXPECT_TRUE(detector_.IsFollowed({})) << i;
    clock_.Advance(seconds(10));
  }
  EXPECT_TRUE(detector_.IsFollowed({})) << "one renewal may be late";
  clock_.Advance(seconds(30));
  EXPECT_FALSE(detector_.IsFollowed({}));
  Follow();
  clock_.Advance(seconds(10));
  EXPECT_TRUE(detector_.IsFollowed({}));
}

TEST_F(FollowWatchTest, QueriesStoreEveryTenSeconds) {
  for (int i = 0; i < 60; ++i) {
    detector_.IsFollowed({});
    clock_.Advance(seconds(1));
  }
  EXPECT_EQ(stats_, 6);
}

}  // namespace
}  // namespace kinetic::runner
