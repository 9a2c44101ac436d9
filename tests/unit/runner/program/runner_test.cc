#include "runner/program/runner.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "runner/program/memory_limit.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ProgramRunnerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

  void SetUp() override { ASSERT_TRUE(spool_.BeginAttempt(1)); }

  Result<ProgramExit> Run(const std::string& line, std::stop_token stop = {}) {
    Program program;
    program.argv = {"sh", "-c", line};
    program.environment = {{"PATH", "/usr/bin:/bin"}};
    program.working_directory = tree_.path();
    return ProgramRunner(capture_, SystemClock()).Run(program, limits_, "test", callbacks_, stop);
  }
  std::string Log() {
    std::string text;
    record::SegmentParser parser;
    EXPECT_TRUE(
        parser.Feed(tree_.Read("spool/000000000000.klog"), [&](const LogRecord& record) -> Status {
          text += record.text;
          return {};
        }));
    return text;
  }

  test::TempTree tree_;
  const std::vector<std::string> secrets_;
  Spool spool_{PosixFileSystem(), tree_ / "spool", [](const SpooledSegment&) {}};
  LogCapture capture_{spool_, SystemClock(), secrets_};
  ProgramLimits limits_;
  ProgramCallbacks callbacks_;
};

TEST_F(ProgramRunnerTest, ReportsExitAndCapturesOutput) {
  bool started = false;
  callbacks_.started = [&] { started = true; };
  const auto exit = Run("pwd; echo err >&2; exit 4");
  ASSERT_TRUE(exit) << exit.error().message;
  EXPECT_EQ(exit->status.code, 4);
  EXPECT_TRUE(started);
  EXPECT_GT(exit->peak_memory_bytes, 0U);
  EXPECT_THAT(Log(), HasSubstr(tree_.path().native() + "\n"));
  EXPECT_THAT(Log(), HasSubstr("err\n"));
}

TEST_F(ProgramRunnerTest, TerminatesRemainingProcesses) {
  const auto exit = Run("setsid sleep 600 & setsid env -i sleep 601 & exit 0");
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->status.code, 0);
  EXPECT_GE(exit->remaining_processes, 1U);
}

TEST_F(ProgramRunnerTest, StopRequestSendsTermThenKill) {
  limits_.grace = milliseconds(100);
  std::stop_source source;
  callbacks_.started = [&] { source.request_stop(); };
  const auto exit = Run("trap '' TERM; while :; do sleep 0.01; done", source.get_token());
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->stopped);
}

TEST_F(ProgramRunnerTest, LogNamesProgramThatDoesNotEnd) {
  limits_.grace = milliseconds(1300);
  limits_.run = milliseconds(50);
  ASSERT_TRUE(Run("trap '' TERM; while :; do sleep 0.01; done"));
  EXPECT_THAT(
      Log(),
      HasSubstr(
          "the time limit has passed, but the program is still running; it will be killed in "));
}

TEST_F(ProgramRunnerTest, TimeLimitEndsProgram) {
  limits_.run = milliseconds(50);
  const auto exit = Run("sleep 600");
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->timed_out);
  EXPECT_EQ(exit->status.signal, SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "spool/000000000000.klog")) << "it ended at once";
}

TEST_F(ProgramRunnerTest, StartFailureNamesProgramAndCause) {
  Program program;
  program.working_directory = tree_.path();
  ProgramRunner program_runner(capture_, SystemClock());
  program.argv = {"./absent"};
  EXPECT_EQ(program_runner.Run(program, limits_, "test", {}, {}).error().message,
            "starting ./absent: no such file or directory");
  tree_.Write("script", "#!/no/such/interpreter\n", 0755);
  program.argv = {"./script"};
  EXPECT_THAT(program_runner.Run(program, limits_, "test", {}, {}).error().hint,
              HasSubstr("interpreter"));
  tree_.Write("text", "hello\n", 0644);
  program.argv = {"./text"};
  EXPECT_THAT(program_runner.Run(program, limits_, "test", {}, {}).error().hint,
              HasSubstr("chmod"));
}

TEST(MemoryWatchdog, MeasuresChildren) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const auto watchdog = MakeMemoryWatchdog(64U << 20);
  EXPECT_FALSE(watchdog->Exceeded());
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr std::size_t kBytes = 128U << 20;
    const auto memory = std::make_unique<char[]>(kBytes);
    std::memset(memory.get(), 1, kBytes);
    (void)!::write(ready[1], memory.get(), 1);
    ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(watchdog->Exceeded());
  EXPECT_GE(watchdog->PeakBytes(), 128U << 20);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(watchdog->Exceeded()) << "it stays exceeded";
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace kinetic::runner
