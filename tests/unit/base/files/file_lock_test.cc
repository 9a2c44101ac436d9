#include "base/files/file_lock.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

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
  EXPECT_TRUE(FileLock::Take(fs, tree / "lock"));
}

TEST(FileLock, WaitsUntilItIsStopped) {
  const test::TempTree tree;
  FileSystem& fs = PosixFileSystem();
  auto first = FileLock::Try(fs, tree / "lock");
  ASSERT_TRUE(first && *first);
  std::stop_source stop;
  int waits = 0;
  const auto on_wait = [&] { ++waits, stop.request_stop(); };
  const auto waited =
      FileLock::Acquire(fs, SystemClock(), tree / "lock", on_wait, stop.get_token());
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(waits, 1);
  first->reset();
  EXPECT_TRUE(FileLock::Acquire(fs, SystemClock(), tree / "lock", on_wait, {}));
  EXPECT_EQ(waits, 1);
}

}  // namespace
}  // namespace kinetic
