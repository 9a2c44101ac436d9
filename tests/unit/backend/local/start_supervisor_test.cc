#include "backend/local/supervisor_process.h"
#include "base/files/file_lock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace kinetic::backend {
namespace {

using test::TempTree;
using ::testing::HasSubstr;

constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Starts a shell script instead of a supervisor.
class LaunchTest : public ::testing::Test {
 protected:
  Result<pid_t> Start(const std::string& script, std::string_view request,
                      std::stop_token stop = {},
                      std::chrono::milliseconds answer_timeout = std::chrono::seconds(10)) {
    const Path runner = tree_.Write("runner", "#!/bin/sh\n" + script, 0755);
    return StartSupervisor({.runner = runner,
                            .request = request,
                            .search_path = kPath,
                            .folder = tree_.path(),
                            .diagnostics = tree_ / "log",
                            .answer_timeout = answer_timeout},
                           std::move(stop));
  }

  static void End(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  TempTree tree_;
};

TEST_F(LaunchTest, PassesRequestAndEnvironment) {
  const auto pid = Start(
      "cat >request; echo \"$1\" >command; env >environment; pwd >folder\n"
      "ps -o sid= -p $$ >session; echo ready; sleep 60",
      "the request");
  ASSERT_TRUE(pid) << pid.error().message;
  EXPECT_EQ(tree_.Read("request"), "the request");
  EXPECT_EQ(tree_.Read("command"), "supervise\n");
  EXPECT_THAT(tree_.Read("environment"), HasSubstr(std::string("PATH=") + kPath));
  EXPECT_THAT(tree_.Read("environment"), ::testing::Not(HasSubstr("HOME=")));
  EXPECT_EQ(tree_.Read("folder"), tree_.path().native() + "\n");
  EXPECT_EQ(::getsid(*pid), *pid) << "it must outlive the terminal";
  End(*pid);
}

TEST_F(LaunchTest, PassesLongRequest) {
  const std::string request(3 << 20, 'x');
  const auto pid = Start("wc -c >count; echo ready; sleep 60", request);
  ASSERT_TRUE(pid) << pid.error().message;
  EXPECT_THAT(tree_.Read("count"), HasSubstr("3145728"));
  End(*pid);
}

TEST_F(LaunchTest, ReturnsBeforeTheSupervisorIsReady) {
  const Path runner =
      tree_.Write("runner", "#!/bin/sh\n: >&3; cat >new; mv new request; sleep 60\n", 0755);
  const auto lock = FileLock::Try(PosixFileSystem(), tree_ / "starting");
  ASSERT_TRUE(lock && *lock);
  const auto pid = StartSupervisor({.runner = runner,
                                    .request = "the request",
                                    .search_path = kPath,
                                    .folder = tree_.path(),
                                    .diagnostics = tree_ / "log",
                                    .starting = (*lock)->fd(),
                                    .await_ready = false},
                                   {});
  ASSERT_TRUE(pid) << pid.error().message;
  while (!std::filesystem::exists(tree_ / "request")) std::this_thread::yield();
  EXPECT_EQ(tree_.Read("request"), "the request");
  EXPECT_EQ(tree_.Read("log"), "") << "it inherits the lock";
  End(*pid);
}

TEST_F(LaunchTest, ReportsLastOutputOfFailedSupervisor) {
  const auto pid = Start("echo the store is on fire >&2; exit 3", "request");
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(pid.error().message, HasSubstr("exited with code 3"));
  EXPECT_THAT(pid.error().message, HasSubstr("the store is on fire"));
}

TEST_F(LaunchTest, ClosedSocketRaisesNoSignal) {
  const auto pid = Start("exec <&-; kill -9 $$", std::string(1 << 20, 'x'));
  ASSERT_FALSE(pid);
  EXPECT_THAT(pid.error().message, HasSubstr("signal 9"));
}

TEST_F(LaunchTest, ReportsMissingProgram) {
  const auto pid = StartSupervisor({.runner = tree_ / "absent",
                                    .request = "",
                                    .search_path = kPath,
                                    .folder = tree_.path(),
                                    .diagnostics = tree_ / "log"},
                                   {});
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(pid.error().message, HasSubstr("absent"));
}

TEST_F(LaunchTest, WaitCanBeStopped) {
  std::stop_source source;
  const std::jthread stopper([&] { source.request_stop(); });
  const auto pid = Start("echo $$ >pid; exec sleep 60", "request", source.get_token(),
                         std::chrono::milliseconds(50));
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().code, ErrorCode::kCancelled);
}

TEST_F(LaunchTest, StopRequestWaitsForRunningSupervisor) {
  std::stop_source source;
  const std::jthread stopper([&] {
    while (!std::filesystem::exists(tree_ / "begun")) std::this_thread::yield();
    source.request_stop();
  });
  const auto pid = Start("cat >request; touch begun; sleep 0.3; echo ready; sleep 60", "request",
                         source.get_token());
  ASSERT_TRUE(pid) << pid.error().message;
  End(*pid);
}

TEST_F(LaunchTest, StartsNothingAfterStopRequest) {
  std::stop_source source;
  source.request_stop();
  const auto pid = Start("touch begun; echo ready; sleep 60", "request", source.get_token());
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "log"));
}

}  // namespace
}  // namespace kinetic::backend
