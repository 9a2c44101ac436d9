#include "record/object_names.h"
#include "runner/local/supervisor.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace kinetic::runner {
namespace {

class HeartbeatsTest : public ::testing::Test {
 protected:
  std::optional<record::StoredHeartbeat> Last() {
    return *record::ReadHeartbeat(store_, heartbeat_.job, {});
  }

  /// Advances the clock second by second until the condition holds.
  void AdvanceUntil(const std::function<bool()>& condition) {
    for (int i = 0; i < 10000 && !condition(); ++i) {
      clock_.Advance(std::chrono::seconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(condition());
  }

  test::FakeClock clock_{false};
  test::MemoryStore store_{clock_};
  const record::Heartbeat heartbeat_{
      .job = {"k-1", "7"}, .host = "laptop", .machine = "m", .pid = 812, .boot_id = "b"};
};

TEST_F(HeartbeatsTest, RenewTheLeaseUntilTheSupervisorEnds) {
  ASSERT_TRUE(store::Overwrite(store_, record::RecordName("k-1"), "{}", {}));
  {
    const Heartbeats heartbeats(store_, clock_, heartbeat_);
    AdvanceUntil([&] { return Last().has_value(); });
    EXPECT_EQ(Last()->heartbeat.pid, 812);
    for (int i = 0; i < 3; ++i) {
      const WallTime before = Last()->info.lease;
      AdvanceUntil([&] { return Last()->info.lease > before; });
    }
  }
  const WallTime last = Last()->info.lease;
  clock_.Advance(record::kHeartbeatTimeout);
  EXPECT_EQ(Last()->info.lease, last);
}

TEST_F(HeartbeatsTest, ContinueAfterFailures) {
  ASSERT_TRUE(store::Overwrite(store_, record::RecordName("k-1"), "{}", {}));
  std::atomic<int> failures = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation != "touch" || failures == 3) return {};
    ++failures;
    return Fail(ErrorCode::kUnavailable, "the store is unavailable");
  });
  const Heartbeats heartbeats(store_, clock_, heartbeat_);
  AdvanceUntil([&] { return Last().has_value(); });
  EXPECT_EQ(failures, 3);
}

}  // namespace
}  // namespace kinetic::runner
