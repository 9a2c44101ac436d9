#include "runner/log/echo.h"

#include "base/time/clock.h"
#include "local/runtime.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kinetic::runner {
namespace {

using namespace std::chrono_literals;

class LogEchoTest : public ::testing::Test {
 protected:
  static void Format(std::string& out, const LogRecord& record) {
    out += std::to_string(record.sequence) + ":" + std::string(record.text);
  }

  Path Spooled() const { return tree_ / "spool"; }
  UniqueFd OpenOut() const {
    return UniqueFd(::open((tree_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  std::string Out() const {
    std::ifstream stream(tree_ / "out");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  test::TempTree tree_;
};

TEST_F(LogEchoTest, CopiesSegmentsWhoseFilesAreRemoved) {
  const UniqueFd out = OpenOut();
  LogEcho echo(PosixFileSystem(), Spooled(), out.get(), &Format);
  Spool spool(PosixFileSystem(), Spooled(), [&](const SpooledSegment& segment) {
    echo.OnSegment(segment);
    if (segment.sealed) std::filesystem::remove(local::SpoolSegment(Spooled(), segment.first));
  });
  ASSERT_TRUE(spool.BeginAttempt(1));
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    spool.Append(Stream::kStdout, {}, "line\n");
    spool.Append(Stream::kStdout, {}, "more\n");
    ASSERT_TRUE(spool.Commit());
    ASSERT_TRUE(spool.Seal());
    expected += std::to_string(2 * i) + ":line\n" + std::to_string(2 * i + 1) + ":more\n";
  }
  echo.WriteLast("the end\n");
  EXPECT_TRUE(echo.Finish(30s));
  EXPECT_EQ(Out(), expected + "the end\n");
}

TEST_F(LogEchoTest, SlowReaderBlocksNothing) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  const UniqueFd read(fds[0]);
  const UniqueFd write(fds[1]);
  {
    LogEcho echo(PosixFileSystem(), Spooled(), write.get(), &Format);
    Spool spool(PosixFileSystem(), Spooled(),
                [&](const SpooledSegment& segment) { echo.OnSegment(segment); });
    ASSERT_TRUE(spool.BeginAttempt(1));
    for (int i = 0; i < 100; ++i) {
      spool.Append(Stream::kStdout, {}, std::string(60'000, 'x') + "\n");
      ASSERT_TRUE(spool.Commit());
      ASSERT_TRUE(spool.Seal());
    }
    EXPECT_FALSE(echo.Finish(10ms));
  }
  // The pipe contains the first bytes.
  char begin[4] = {};
  EXPECT_EQ(::read(read.get(), begin, 3), 3);
  EXPECT_STREQ(begin, "0:x");
}

TEST_F(LogEchoTest, ClosedReaderBlocksNothing) {
  ::signal(SIGPIPE, SIG_IGN);
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  const UniqueFd write(fds[1]);
  ::close(fds[0]);
  LogEcho echo(PosixFileSystem(), Spooled(), write.get(), &Format);
  echo.WriteLast("not read\n");
  EXPECT_TRUE(echo.Finish(30s));
}

}  // namespace
}  // namespace kinetic::runner
