#include "base/time/remote_clock.h"

#include "support/fake_clock.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

using std::chrono::seconds;

TEST(RemoteClock, ALateReadingDoesNotSetItBack) {
  test::FakeClock clock;
  RemoteClock remote(clock);
  const WallTime start = clock.Now() + seconds(100);
  remote.Advance(start);
  clock.Advance(seconds(60));
  remote.Advance(start + seconds(20));  // of a slow response
  EXPECT_EQ(remote.Now(), start + seconds(60));
  remote.Advance(start + seconds(70));
  EXPECT_EQ(remote.Now(), start + seconds(70));
  remote.Set(start);  // any Date may be wrong, so the last one counts
  EXPECT_EQ(remote.Now(), start);
}

}  // namespace
}  // namespace kinetic
