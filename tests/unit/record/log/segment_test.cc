#include "record/log/segment.h"

#include "base/time/clock.h"
#include "support/unseal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

namespace kinetic::record {
namespace {

using testing::HasSubstr;

struct CollectedRecord {
  std::uint64_t sequence;
  std::uint32_t attempt;
  Stream stream;
  std::int64_t micros;
  std::string text;
  bool operator==(const CollectedRecord&) const = default;
};

LogRecordSink CollectIn(std::vector<CollectedRecord>& records) {
  return [&records](const LogRecord& record) -> Status {
    records.push_back({record.sequence, record.attempt, record.stream, ToMicros(record.time),
                       std::string(record.text)});
    return {};
  };
}

std::string SampleSegment() {
  std::string bytes = SegmentHeader(2, 100);
  AppendRecord(bytes, Stream::kStdout, 1'900'000'000'000'000, "first\n");
  AppendRecord(bytes, Stream::kStderr, 1'900'000'000'000'005, "");
  AppendRecord(bytes, Stream::kSystem, 1'899'999'000'000'000, std::string("bin\0\xff", 5));
  AppendRecord(bytes, Stream::kStdout, -5, std::string(kLogRecordBytes, 'x'));
  return bytes;
}

std::vector<CollectedRecord> SampleRecords() {
  return {{100, 2, Stream::kStdout, 1'900'000'000'000'000, "first\n"},
          {101, 2, Stream::kStderr, 1'900'000'000'000'005, ""},
          {102, 2, Stream::kSystem, 1'899'999'000'000'000, std::string("bin\0\xff", 5)},
          {103, 2, Stream::kStdout, -5, std::string(kLogRecordBytes, 'x')}};
}

TEST(LogSegmentTest, HasTheDocumentedFormat) {
  std::string bytes = SegmentHeader(1, 7);
  AppendRecord(bytes, Stream::kStderr, 0x0102030405, "hi\n");
  AppendRecord(bytes, Stream::kStdout, 0, std::string(200, 'x'));
  EXPECT_EQ(bytes, std::string("KLOG\x01\0\0\0\x01\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0"
                               "\x0c\x02\x05\x04\x03\x02\x01\0\0\0hi\n"
                               "\xd1\x01\x01\0\0\0\0\0\0\0\0",
                               48) +
                       std::string(200, 'x'));
}

TEST(LogSegmentTest, ParsesPiecesOfAnySize) {
  const std::string bytes = SampleSegment();
  for (const std::size_t piece : {1U, 2U, 7U, 23U, 24U, 25U, 1000U, 1'000'000U}) {
    SegmentParser parser;
    std::vector<CollectedRecord> records;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_TRUE(parser.Feed(std::string_view(bytes).substr(at, piece), CollectIn(records)));
    }
    EXPECT_EQ(records, SampleRecords());
    EXPECT_TRUE(parser.AtBoundary());
    EXPECT_EQ(parser.next_sequence(), 104U);
    EXPECT_EQ(parser.attempt(), 2U);
  }
}

TEST(LogSegmentTest, DetectsAnIncompleteRecord) {
  const std::string bytes = SampleSegment();
  SegmentParser parser;
  std::vector<CollectedRecord> records;
  EXPECT_EQ(parser.next_sequence(), std::nullopt);
  ASSERT_TRUE(parser.Feed(std::string_view(bytes).substr(0, bytes.size() - 1), CollectIn(records)));
  EXPECT_EQ(records.size(), 3U);
  EXPECT_FALSE(parser.AtBoundary());
  EXPECT_EQ(parser.next_sequence(), 103U);
}

TEST(LogSegmentTest, ReportsDamageWithItsOffset) {
  const std::string header = SegmentHeader(1, 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"KLOX" + header.substr(4), "not the start of a log segment at offset 0"},
      {"KLOG\x02" + header.substr(5), "unsupported version 2 at"},
      {header.substr(0, 16) + std::string(8, '\xff'), "invalid sequence number at offset 0"},
      {header + std::string("\0", 1), "invalid record length at offset 24"},
      {header + "\xff\xff\xff\x7f", "invalid record length at offset 24"},
      {header + std::string(11, '\xff'), "invalid record length at offset 24"},
      {header + "\x08" + std::string(8, '\x01'), "invalid record length at offset 24"},
      {header + "\x09\x04" + std::string(8, '\0'), "unknown stream at offset 24"},
      {header + "\x09\x01" + std::string(8, '\0') + "\x09" + std::string(9, '\0'),
       "unknown stream at offset 34"},
      {header + "\x09\x01" + std::string(8, '\x7f'), "invalid time at offset 24"}};
  for (const auto& [bytes, message] : cases) {
    SegmentParser parser;
    std::vector<CollectedRecord> records;
    const auto fed = parser.Feed(bytes, CollectIn(records));
    ASSERT_FALSE(fed) << message;
    EXPECT_EQ(fed.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(fed.error().message, HasSubstr(message));
  }
}

TEST(LogSegmentTest, ReturnsTheErrorOfItsCallback) {
  SegmentParser parser;
  const auto fed = parser.Feed(SampleSegment(), [](const LogRecord&) -> Status {
    return Fail(ErrorCode::kAborted, "enough");
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "enough");
}

TEST(SealTest, RoundTrips) {
  for (const std::string& plain :
       {std::string(), SampleSegment(), std::string(kLogSegmentBytes, 'a')}) {
    const auto back = test::Unseal(Seal(plain));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, plain);
  }
}

TEST(SealTest, RejectsDamage) {
  const std::string sealed = Seal(SampleSegment());
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    EXPECT_FALSE(test::Unseal(std::string_view(sealed).substr(0, length))) << length;
  }
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    std::string damaged = sealed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto back = test::Unseal(damaged);
    EXPECT_TRUE(!back || *back == SampleSegment()) << at;  // some bits are unused
  }
  EXPECT_FALSE(test::Unseal(sealed + "x"));
  EXPECT_FALSE(test::Unseal("plain"));
}

TEST(SealTest, RejectsADecompressionBomb) {
  const std::string bomb = Seal(std::string(200U << 20, 'a'));
  const auto back = test::Unseal(bomb);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("larger than the limit for a segment"));
}

}  // namespace
}  // namespace kinetic::record
