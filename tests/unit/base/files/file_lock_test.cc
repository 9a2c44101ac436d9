#include "base/files/file_lock.h"

#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <unistd.h>

#include <string>
#include <vector>

namespace kinetic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FileLock, IsExclusive) {
  const test::TempTree tree;
  FileSystem& fs = PosixFileSystem();
  EXPECT_FALSE(*FileLock::IsHeld(fs, tree / "lock"));
  {
    const auto lock = FileLock::Try(fs, tree / "lock");
    ASSERT_TRUE(lock && *lock);
    EXPECT_TRUE(*FileLock::IsHeld(fs, tree / "lock"));
    const auto again = FileLock::Try(fs, tree / "lock");
    ASSERT_TRUE(again);
    EXPECT_FALSE(*again);
  }
  EXPECT_FALSE(*FileLock::IsHeld(fs, tree / "lock"));
  EXPECT_TRUE(FileLock::Acquire(fs, tree / "lock"));
}

TEST(FileLock, ReportsHolderAndTimesOut) {
  const test::TempTree tree;
  FileSystem& fs = PosixFileSystem();
  auto first = FileLock::Try(fs, tree / "lock");
  ASSERT_TRUE(first && *first);
  test::FakeClock clock;
  const SteadyTime begin = clock.Steady();
  std::vector<std::string> reasons;
  std::vector<SteadyTime::duration> times;
  LockWait wait{.limit = std::chrono::seconds(60), .clock = &clock};
  wait.on_wait = [&](const std::string& reason) {
    reasons.push_back(reason);
    times.push_back(clock.Steady() - begin);
  };
  const auto waited = FileLock::Acquire(fs, tree / "lock", wait);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(waited.error().message, HasSubstr(fmt::format("process {} (", ::getpid())));
  EXPECT_THAT(reasons, ElementsAre(waited.error().message));
  EXPECT_LT(times.at(0), kLockReportDelay + std::chrono::seconds(1));
  // The end of a reported wait is reported, too.
  reasons.clear();
  wait.on_wait = [&](const std::string& reason) {
    reasons.push_back(reason);
    first->reset();
  };
  EXPECT_TRUE(FileLock::Acquire(fs, tree / "lock", wait));
  EXPECT_THAT(reasons, ElementsAre(waited.error().message, ""));
}

TEST(FileLock, StopRequestEndsWait) {
  const test::TempTree tree;
  FileSystem& fs = PosixFileSystem();
  const auto first = FileLock::Try(fs, tree / "lock");
  ASSERT_TRUE(first && *first);
  test::FakeClock clock;
  std::stop_source stop;
  LockWait wait{.stop = stop.get_token(), .limit = kLongLockLimit, .clock = &clock};
  wait.on_wait = [&](const std::string&) { stop.request_stop(); };
  const auto waited = FileLock::Acquire(fs, tree / "lock", wait);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic
