#include "kinetic/job_context.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace kinetic {
namespace {

/// The standard output as a pipe that does not block. It is read slowly.
class StdoutPipe {
 public:
  StdoutPipe() {
    std::fflush(stdout);  // what the test has printed
    std::array<int, 2> fds{};
    EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    stdout_ = ::dup(STDOUT_FILENO);
    EXPECT_GE(::dup2(fds[1], STDOUT_FILENO), 0);
    ::close(fds[1]);
    reader_ = std::thread([this, fd = fds[0]] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::array<char, 1000> buffer{};
      for (ssize_t count = 0; (count = ::read(fd, buffer.data(), buffer.size())) > 0;)
        text_.append(buffer.data(), static_cast<std::size_t>(count));
      ::close(fd);
    });
  }

  /// Restores the standard output, and returns what was written.
  std::string Finish() {
    EXPECT_GE(::dup2(stdout_, STDOUT_FILENO), 0);
    ::close(stdout_);
    reader_.join();
    return text_;
  }

 private:
  int stdout_ = -1;
  std::string text_;
  std::thread reader_;
};

TEST(LogMetricsTest, WritesWholeRowsToAFullPipe) {
  constexpr int kRows = 100;
  Metrics numbers;
  for (int i = 100; i < 164; ++i)
    numbers.emplace_back(std::string(100, 'a') + std::to_string(i), i);
  StdoutPipe out;
  int logged = 0;
  for (int i = 0; i < kRows; ++i)
    if (LogMetrics(numbers)) ++logged;
  const std::string text = out.Finish();
  EXPECT_EQ(logged, kRows);
  std::string expected;
  for (int i = 0; i < kRows; ++i) expected += FormatMetrics(numbers).value_or("") + "\n";
  EXPECT_TRUE(text == expected) << text.size() << " of " << expected.size() << " bytes";
}

TEST(LogMetricsTest, RejectsNames) {
  EXPECT_FALSE(LogMetrics({{"", 1}}));
  EXPECT_FALSE(LogMetrics({{std::string(kMaxMetricNameBytes + 1, 'a'), 1}}));
}

}  // namespace
}  // namespace kinetic
