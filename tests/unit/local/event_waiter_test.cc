#include "local/event_waiter.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace kinetic::local {
namespace {

using test::TempTree;

/// A process that waits to be killed.
class WaitingChild {
 public:
  WaitingChild() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;
  ~WaitingChild() { Kill(); }

  pid_t pid() const { return pid_; }
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

TEST(EventWaiter, WakesForAWrittenFile) {
  const TempTree tree;
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  ASSERT_TRUE(events->WatchFolder(tree.path()));
  tree.Write("status.json", "{}");
  const auto wake = events->Wait();
  ASSERT_TRUE(wake);
  EXPECT_TRUE(wake->changed);
  EXPECT_FALSE(wake->ended);
}

TEST(EventWaiter, WakesForChangesAfterALongTime) {
  const TempTree tree;
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  ASSERT_TRUE(events->WatchFolder(tree.path()));
  const auto quiet = [&] {  // without a change
    const auto wake = events->Wait(std::chrono::milliseconds(50));
    return wake && !wake->changed;
  };
  while (!quiet()) continue;
  for (const char* name : {"first", "second"}) {
    const std::jthread writer([&] { tree.Write(name, "{}"); });
    const auto wake = events->Wait();
    ASSERT_TRUE(wake);
    EXPECT_TRUE(wake->changed);
    while (!quiet()) continue;
  }
}

TEST(EventWaiter, WatchesAFolderThatIsAddedLate) {
  const TempTree tree;
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  ASSERT_TRUE(events->WatchFolder(tree.path()));
  while (events->Wait(std::chrono::milliseconds(50))->changed) continue;
  tree.MakeFolder("spool");
  ASSERT_TRUE(events->WatchFolder(tree / "spool"));
  while (events->Wait(std::chrono::milliseconds(50))->changed) continue;
  tree.Write("spool/1.klog", "line");
  EXPECT_TRUE(events->Wait()->changed);
}

TEST(EventWaiter, WakesWhenAProcessEnds) {
  WaitingChild child;
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  ASSERT_TRUE(events->WatchProcess(child.pid()));
  child.Kill();
  for (int i = 0; i < 2; ++i) {  // reported by every call
    const auto wake = events->Wait();
    ASSERT_TRUE(wake);
    EXPECT_TRUE(wake->ended);
  }
}

TEST(EventWaiter, ReportsAnEndedProcess) {
  WaitingChild child;
  const pid_t pid = child.pid();
  child.Kill();
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  ASSERT_TRUE(events->WatchProcess(pid));
  EXPECT_TRUE(events->Wait()->ended);
}

TEST(EventWaiter, WakesForAStopRequest) {
  std::stop_source source;
  auto events = EventWaiter::Make(source.get_token());
  ASSERT_TRUE(events);
  const std::jthread stopper([&] { source.request_stop(); });
  const auto wake = events->Wait();
  ASSERT_FALSE(wake);
  EXPECT_EQ(wake.error().code, ErrorCode::kCancelled);
}

TEST(EventWaiter, RejectsAnAbsentFolder) {
  const TempTree tree;
  auto events = EventWaiter::Make({});
  ASSERT_TRUE(events);
  const auto watched = events->WatchFolder(tree / "absent");
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kinetic::local
