#include "runner/line_cutter.h"

#include "record/log_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Cut(std::string_view text, std::size_t size) {
  LineCutter cutter;
  std::vector<std::string> records;
  const auto keep = [&](std::string_view record) { records.emplace_back(record); };
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    cutter.Feed(text.substr(0, size), keep);
  }
  cutter.Flush(keep);
  return records;
}

TEST(LineCutter, CutsTheSameHoweverThePiecesCome) {
  const std::string_view text = "one\n\ntwo\r\n 10%\r 20%\r\r\nlast";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(Cut(text, size),
                ElementsAre("one\n", "\n", "two\r\n", " 10%\r", " 20%\r", "\r\n", "last"))
        << size;
  }
}

TEST(LineCutter, KeepsWhatHasNoEndUntilItIsAskedFor) {
  LineCutter cutter;
  std::string seen;
  const auto keep = [&](std::string_view record) { seen += record; };
  cutter.Feed("Loading", keep);
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(cutter.HasRest());
  cutter.Flush(keep);
  EXPECT_EQ(seen, "Loading");
  EXPECT_FALSE(cutter.HasRest());
}

TEST(LineCutter, CutsLongLinesBetweenCharacters) {
  std::string text = "x";
  while (text.size() < 3 * record::kLogRecordBytes) text += "€";
  text += "\n";
  for (const std::size_t size : {std::size_t{1000}, text.size()}) {
    std::string all;
    const auto records = Cut(text, size);
    EXPECT_GE(records.size(), 4U);
    for (const auto& record : records) {
      EXPECT_LE(record.size(), record::kLogRecordBytes);
      EXPECT_NE(static_cast<unsigned char>(record[0]) & 0xC0, 0x80);
      all += record;
    }
    EXPECT_EQ(all, text);
  }
}

TEST(LineCutter, CutsLongBinaryLinesAtTheLimit) {
  const std::string text(2 * record::kLogRecordBytes + 7, '\x80');
  const auto records = Cut(text, 4096);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].size(), record::kLogRecordBytes);
}

}  // namespace
}  // namespace kinetic::runner
