#include "runner/log/capture.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> SplitPieces(std::string_view text, std::size_t size) {
  LineSplitter splitter;
  std::vector<std::string> records;
  const auto keep = [&](std::string_view record) { records.emplace_back(record); };
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    splitter.Feed(text.substr(0, size), keep);
  }
  splitter.Flush(keep);
  return records;
}

TEST(LineSplitter, SplitsIndependentlyOfPieceSize) {
  const std::string_view text = "one\n\ntwo\r\n 10%\r 20%\r\r\nlast";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(SplitPieces(text, size),
                ElementsAre("one\n", "\n", "two\r\n", " 10%\r", " 20%\r", "\r\n", "last"))
        << size;
  }
}

TEST(LineSplitter, KeepsPartialLineUntilFlush) {
  LineSplitter splitter;
  std::string seen;
  const auto keep = [&](std::string_view record) { seen += record; };
  splitter.Feed("Loading", keep);
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(splitter.HasPartialLine());
  splitter.Flush(keep);
  EXPECT_EQ(seen, "Loading");
  EXPECT_FALSE(splitter.HasPartialLine());
}

TEST(LineSplitter, CutsLongLinesBetweenCharacters) {
  std::string text = "x";
  while (text.size() < 3 * record::kLogRecordBytes) text += "€";
  text += "\n";
  for (const std::size_t size : {std::size_t{1000}, text.size()}) {
    std::string all;
    const auto records = SplitPieces(text, size);
    EXPECT_GE(records.size(), 4U);
    for (const auto& record : records) {
      EXPECT_LE(record.size(), record::kLogRecordBytes);
      EXPECT_NE(static_cast<unsigned char>(record[0]) & 0xC0, 0x80);
      all += record;
    }
    EXPECT_EQ(all, text);
  }
}

TEST(LineSplitter, CutsLongBinaryLinesAtTheLimit) {
  const std::string text(2 * record::kLogRecordBytes + 7, '\x80');
  const auto records = SplitPieces(text, 4096);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].size(), record::kLogRecordBytes);
}

TEST(LineSplitter, KeepsIncompleteCharactersOfALineThatMayContinue) {
  LineSplitter splitter;
  std::vector<std::string> records;
  const auto add = [&](std::string_view record) { records.emplace_back(record); };
  splitter.Feed("caf\xC3", add);
  splitter.FlushCharacters(add);
  splitter.Feed("\xA9 \xF0\x9F\x98", add);
  splitter.FlushCharacters(add);
  splitter.FlushCharacters(add);  // nothing else is left
  EXPECT_THAT(records, ElementsAre("caf", "\xC3\xA9 ", "\xF0\x9F\x98"));
  EXPECT_FALSE(splitter.HasPartialLine());
}

std::vector<std::string> RecordsIn(const test::TempTree& tree) {
  std::vector<std::string> texts;
  record::SegmentParser parser;
  EXPECT_TRUE(parser.Feed(tree.Read(local::SpoolSegment("spool", 0).native()),
                          [&](const LogRecord& record) -> Status {
                            texts.emplace_back(record.text);
                            return {};
                          }));
  return texts;
}

TEST(LogCapture, RecordsALineThatGrowsWithoutAPause) {
  const test::TempTree tree;
  test::FakeClock clock;
  Spool spool(PosixFileSystem(), tree / "spool", [](const SpooledSegment&) {});
  const std::vector<std::string> secrets;
  LogCapture capture(spool, clock, secrets);
  ASSERT_TRUE(spool.BeginAttempt(1));
  const auto write = [&](std::string_view text) {
    ASSERT_TRUE(capture.Append(Stream::kStdout, text));
    clock.Advance(std::chrono::milliseconds(400));
    ASSERT_TRUE(capture.FlushPartialLines(clock.Steady() - std::chrono::seconds(1)));
  };
  for (int dot = 0; dot < 5; ++dot) write(".");
  for (int line = 0; line < 4; ++line) write("\nline");  // each line is younger than a second
  ASSERT_TRUE(capture.Flush());
  ASSERT_TRUE(spool.Seal());
  EXPECT_THAT(RecordsIn(tree), ElementsAre("...", "..\n", "line\n", "line\n", "line\n", "line"));
}

TEST(LogCapture, MetricsWithinALineAreARecord) {
  const test::TempTree tree;
  test::FakeClock clock;
  Spool spool(PosixFileSystem(), tree / "spool", [](const SpooledSegment&) {});
  const std::vector<std::string> secrets;
  LogCapture capture(spool, clock, secrets);
  ASSERT_TRUE(spool.BeginAttempt(1));
  const std::string row = "{\"kinetic.metrics\": {\"loss\": 1}}\n";
  const std::string other = "{\"kinetic.metrics\": {\"loss\": x}}\n";
  ASSERT_TRUE(capture.Append(Stream::kStdout, "epoch 1 " + row + "\n" + row + "other " + other));
  ASSERT_TRUE(spool.Seal());
  EXPECT_THAT(RecordsIn(tree), ElementsAre("epoch 1 ", row, "\n", row, "other " + other));
}

TEST(LogCapture, RedactsEachStreamSeparately) {
  const test::TempTree tree;
  test::FakeClock clock;
  Spool spool(PosixFileSystem(), tree / "spool", [](const SpooledSegment&) {});
  const std::vector<std::string> secrets{"s3cret"};
  LogCapture capture(spool, clock, secrets);
  ASSERT_TRUE(spool.BeginAttempt(1));
  ASSERT_TRUE(capture.Append(Stream::kStdout, "out s3c"));
  ASSERT_TRUE(capture.Append(Stream::kStderr, "err\n"));
  ASSERT_TRUE(capture.Append(Stream::kStdout, "ret\npartial s3"));
  ASSERT_TRUE(capture.FlushPartialLines(clock.Steady()));
  ASSERT_TRUE(capture.Note("note of s3cret"));
  ASSERT_TRUE(capture.Flush());
  ASSERT_TRUE(spool.Seal());
  EXPECT_THAT(RecordsIn(tree),
              ElementsAre("err\n", "out ***\n", "partial ", "note of ***\n", "s3"));
}

}  // namespace
}  // namespace kinetic::runner
