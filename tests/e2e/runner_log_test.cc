#include "e2e/runner_harness.h"
#include "record/log/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(const std::vector<LoggedLine>& log) {
  std::vector<std::string> texts;
  for (const auto& line : log) texts.push_back(line.text);
  return texts;
}

TEST(RunnerLog, KeepsUnusualLineEndings) {
  RunnerHarness runner;
  const auto job = runner.ShellJob(R"(printf 'a\r\n10%%\r20%%\r\n\nb\000\377\nlast')");
  runner.Run(job);
  EXPECT_THAT(Texts(runner.Log(job)),
              ElementsAre("a\r\n", "10%\r", "20%\r\n", "\n", std::string("b\0\xFF\n", 4), "last"));
}

TEST(RunnerLog, CutsLongLine) {
  RunnerHarness runner;
  const auto job = runner.ShellJob("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end");
  runner.Run(job);
  const auto log = runner.Log(job);
  std::string all;
  for (const auto& line : log) {
    EXPECT_LE(line.text.size(), record::kLogRecordBytes);
    all += line.text;
  }
  EXPECT_EQ(all, std::string(1000000, 'x') + "\nend\n");
}

TEST(RunnerLog, StoresEveryLineOnceAndInOrder) {
  RunnerHarness runner;
  constexpr int kLines = 100000;
  const auto job = runner.ShellJob(
      "awk 'BEGIN { for (i = 0; i < 100000; ++i) { print \"line number \" i \" of many\"; "
      "if (i % 10 == 0) print i > \"/dev/stderr\" } }'");
  const auto stored = runner.Run(job);
  int out = 0;
  int err = 0;
  std::uint64_t sequence = 0;
  for (const auto& line : runner.Log(job)) {
    ASSERT_EQ(line.sequence, sequence++);
    if (line.stream == Stream::kStdout) {
      ASSERT_EQ(line.text, "line number " + std::to_string(out++) + " of many\n");
    } else {
      ASSERT_EQ(line.text, std::to_string(err) + "\n");
      err += 10;
    }
  }
  EXPECT_EQ(out, kLines);
  EXPECT_EQ(err, kLines);
  EXPECT_EQ(stored.log_records, sequence);
}

}  // namespace
}  // namespace kinetic::test
