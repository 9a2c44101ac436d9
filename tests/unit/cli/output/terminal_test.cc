#include "output/terminal_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

namespace kinetic::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// A pseudo-terminal whose other end is read here.
class Terminal : public ::testing::Test {
 protected:
  Terminal() {
    winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::openpty(&outer_, &inner_, nullptr, nullptr, &size), 0);
    output_ = std::make_unique<TerminalOutput>(Console(inner_, inner_), OutputOptions{});
  }
  ~Terminal() override {
    output_.reset();
    ::close(inner_);
    ::close(outer_);
  }

  /// Reads until the text has come, or nothing comes for five seconds.
  std::string ReadUntil(const std::string& wanted) {
    while (seen_.find(wanted) == std::string::npos) {
      pollfd waiting{outer_, POLLIN, 0};
      if (::poll(&waiting, 1, 5'000) <= 0) break;
      std::array<char, 4096> buffer{};
      const ssize_t got = ::read(outer_, buffer.data(), buffer.size());
      if (got <= 0) break;
      seen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return seen_;
  }

  int outer_ = -1;
  int inner_ = -1;
  std::string seen_;
  std::unique_ptr<TerminalOutput> output_;
};

TEST_F(Terminal, DrawsWhatIsGoingOn) {
  const auto progress = output_->StartProgress();
  progress->OnPhaseBegin(Phase::kBuild, "three packages");
  EXPECT_THAT(ReadUntil("three packages"), HasSubstr("build      three packages"));
}

TEST_F(Terminal, WhatIsPrintedStandsAboveTheStatus) {
  const auto progress = output_->StartProgress();
  progress->Follow("hello-1", {});
  ReadUntil("hello-1");
  output_->JobOutput(Stream::kStdout, "epoch 1\n", false);
  // Up one row and clear, then the line of the job.
  EXPECT_THAT(ReadUntil("epoch 1"), HasSubstr("\x1b[1A\x1b[Jepoch 1"));
  seen_.clear();
  EXPECT_THAT(ReadUntil("hello-1"), HasSubstr("hello-1"));
}

TEST_F(Terminal, AnUnfinishedLineOfTheOtherStreamIsEnded) {
  output_->JobOutput(Stream::kStderr, "\r 50%|#####", false);
  output_->JobOutput(Stream::kStdout, "green\n", false);
  output_->JobOutput(Stream::kStderr, "\r100%|##########\n", false);
  output_->JobOutput(Stream::kStdout, "part", false);
  output_->JobOutput(Stream::kStderr, "oops\n", false);
  EXPECT_TRUE(output_->Flush());
  EXPECT_THAT(ReadUntil("oops\r\n"),
              HasSubstr("\r 50%|#####\r\ngreen\r\n\r100%|##########\r\npart\r\noops\r\n"));
}

TEST_F(Terminal, ElapsedTimeOfAFollowedJobContinues) {
  const auto progress = output_->StartProgress();
  progress->Follow("hello-1", std::chrono::hours(2));
  EXPECT_THAT(ReadUntil("hello-1"), HasSubstr("2h 0m  hello-1"));
}

TEST_F(Terminal, NothingIsDrawnBehindAnUnfinishedLine) {
  const auto progress = output_->StartProgress();
  progress->Follow("hello-1", {});
  ReadUntil("hello-1");
  output_->JobOutput(Stream::kStdout, "50 %", false);
  ReadUntil("50 %");
  seen_.clear();
  output_->JobOutput(Stream::kStdout, " 100 %\n", false);
  EXPECT_THAT(ReadUntil("100 %"), Not(HasSubstr("hello-1  ")));
  EXPECT_THAT(ReadUntil("hello-1"), HasSubstr("hello-1"));
}

TEST_F(Terminal, LeavesNothingBehind) {
  auto progress = output_->StartProgress();
  progress->Follow("hello-1", {});
  ReadUntil("hello-1");
  progress.reset();
  output_->Line("answer");
  EXPECT_TRUE(output_->Flush());
  EXPECT_THAT(ReadUntil("answer"), EndsWith("\x1b[1A\x1b[Janswer\r\n"));
}

TEST_F(Terminal, APhaseThatEndedStays) {
  const auto progress = output_->StartProgress();
  progress->OnPhaseBegin(Phase::kPackage, "walking");
  progress->OnPhaseEnd(Phase::kPackage, "42 files");
  EXPECT_THAT(ReadUntil("42 files"), HasSubstr("code       42 files"));
}

TEST_F(Terminal, LinesFitItsWidthAlsoAfterAChange) {
  const auto progress = output_->StartProgress();
  progress->OnPhaseBegin(Phase::kBuild, std::string(200, 'x'));
  EXPECT_THAT(ReadUntil("..."), Not(HasSubstr(std::string(60, 'x'))));
  const winsize narrow{.ws_row = 24, .ws_col = 30, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(inner_, TIOCSWINSZ, &narrow), 0);
  output_->Resized();
  seen_.clear();
  EXPECT_THAT(ReadUntil("..."), Not(HasSubstr(std::string(30, 'x'))));
}

}  // namespace
}  // namespace kinetic::cli
