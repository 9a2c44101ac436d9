#include "runner/follow_watch.h"

#include "record/layout.h"
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

  void Follow() {
    const std::string name = record::FollowingName("k-1");
    const auto touched = store_.Touch(name, {}, {});
    ASSERT_TRUE(touched);
    if (!*touched) {
      ASSERT_TRUE(store::PutBytes(store_, name, {}, store::Precondition::Absent(), {}));
    }
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  int stats_ = 0;
  FollowWatch watch_{store_, clock_, "k-1"};
};

TEST_F(FollowWatchTest, NobodyIsThereAtFirst) { EXPECT_FALSE(watch_.Look({})); }

TEST_F(FollowWatchTest, WhoRenewsIsThereAndWhoStopsIsGone) {
  for (int i = 0; i < 5; ++i) {
    Follow();
    EXPECT_TRUE(watch_.Look({})) << i;
    clock_.Advance(seconds(10));
  }
  EXPECT_TRUE(watch_.Look({})) << "one renewal may be late";
  clock_.Advance(seconds(30));
  EXPECT_FALSE(watch_.Look({}));
  Follow();
  clock_.Advance(seconds(10));
  EXPECT_TRUE(watch_.Look({}));
}

TEST_F(FollowWatchTest, TheStoreIsAskedEveryTenSeconds) {
  for (int i = 0; i < 60; ++i) {
    watch_.Look({});
    clock_.Advance(seconds(1));
  }
  EXPECT_EQ(stats_, 6);
}

}  // namespace
}  // namespace kinetic::runner
