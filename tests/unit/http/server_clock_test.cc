#include "http/server_clock.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(ServerClockTest, ReturnsTheTimeAfterTheFirstResponse) {
  test::FakeClock clock;
  test::ScriptedTransport script;
  script.Answer(404, "", {{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}});
  script.Answer(404);
  script.Answer(200, "", {{"Date", "Sun, 06 Nov 1994 12:00:00 GMT"}});
  ServerClock server(script, clock);
  EXPECT_FALSE(server.Now());

  const WallTime first{seconds(784111777)};
  ASSERT_TRUE(server.Send({}, {}));
  EXPECT_EQ(server.Now(), first);
  clock.Advance(seconds(5));
  EXPECT_EQ(server.Now(), first + seconds(5));

  ASSERT_TRUE(server.Send({}, {}));
  EXPECT_EQ(server.Now(), first + seconds(5));
  clock.Jump(hours(72));
  EXPECT_FALSE(server.Now()) << "it slept";
  ASSERT_TRUE(server.Send({}, {}));
  EXPECT_EQ(server.Now(), WallTime(seconds(784123200)));
}

}  // namespace
}  // namespace kinetic::http
