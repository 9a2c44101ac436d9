#include "pod/log_line.h"

#include "base/strings.h"
#include "base/time/clock.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::pod {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kTime = 1'700'000'000'123'456;

LogRecord Record(std::string_view text, Stream stream = Stream::kStdout) {
  LogRecord record;
  record.sequence = 41;
  record.attempt = 2;
  record.stream = stream;
  record.time = FromMicros(kTime);
  record.text = text;
  return record;
}

std::string Line(const LogRecord& record) {
  std::string out;
  LogLineWriter().Append(out, record);
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  out.pop_back();
  return out;
}

/// A record that owns its text.
struct OwnedRecord {
  LogRecord record;
  std::string text;

  bool operator==(const OwnedRecord& other) const {
    return record.sequence == other.record.sequence && record.attempt == other.record.attempt &&
           record.stream == other.record.stream && record.time == other.record.time &&
           text == other.text;
  }
};

std::vector<OwnedRecord> Read(std::string_view lines) {
  std::vector<OwnedRecord> read;
  LogLineReader reader;
  for (const auto line : Split(lines, '\n')) {
    const auto end = reader.Read(line, [&](const LogRecord& record) -> Status {
      read.push_back({record, std::string(record.text)});
      return {};
    });
    EXPECT_TRUE(end && !*end) << line;
  }
  return read;
}

/// Writes records and counts the lines.
class SharedLines : public ::testing::Test {
 protected:
  void Write(std::string_view text, Stream stream = Stream::kStdout) {
    LogRecord record = Record(text, stream);
    record.sequence = next_++;
    record.time = FromMicros(time_);
    written_.push_back({record, std::string(text)});
    writer_.Append(out_, record);
  }

  /// Expects that all records round-trip. @returns the number of lines.
  std::ptrdiff_t Lines() const {
    EXPECT_EQ(Read(out_), written_);
    return std::ranges::count(out_, '\n');
  }

  std::uint64_t next_ = 41;
  std::int64_t time_ = kTime;
  LogLineWriter writer_;
  std::string out_;
  std::vector<OwnedRecord> written_;
};

TEST(LogLine, IsReadable) {
  EXPECT_EQ(Line(Record("epoch 1\n")), "41 2 on 1700000000123456 epoch 1");
  EXPECT_EQ(Line(Record("oops\n", Stream::kStderr)), "41 2 en 1700000000123456 oops");
}

TEST(LogLine, RoundTripsWithEveryLineEnding) {
  const std::string bytes("a \0 \xff b", 7);
  for (const std::string end : {"\n", "\r", "\r\n", ""}) {
    for (const std::string& body :
         {std::string(), std::string("x"), std::string(" end "), std::string("a\rb"), bytes}) {
      for (const Stream stream : {Stream::kStdout, Stream::kStderr, Stream::kSystem}) {
        const std::string text = body + end;
        const LogRecord record = Record(text, stream);
        EXPECT_THAT(Read(Line(record)), ElementsAre(OwnedRecord{record, text}));
      }
    }
  }
}

TEST_F(SharedLines, JoinRecordsOfTheSameTime) {
  for (const std::string_view text : {"a\n", "\n", " \n", "b\n"}) Write(text);
  EXPECT_EQ(out_, "41 2 On 1700000000123456 a\r\r \rb\n");
  EXPECT_EQ(Lines(), 1);
}

TEST_F(SharedLines, SupportEveryEndingAndStream) {
  for (const std::string end : {"\n", "\r", "\r\n", ""}) {
    for (const Stream stream : {Stream::kStdout, Stream::kStderr, Stream::kSystem}) {
      for (const std::string_view body : {"x", "", "y"}) Write(std::string(body) + end, stream);
    }
  }
  EXPECT_EQ(Lines(), 12);
}

TEST_F(SharedLines, StartANewLineForAnotherKindOrTime) {
  Write("a\n");
  Write("b\n", Stream::kStderr);
  Write("c\r", Stream::kStderr);
  ++time_;
  Write("d\r", Stream::kStderr);
  ++next_;
  Write("e\r", Stream::kStderr);
  EXPECT_EQ(Lines(), 5);
}

TEST_F(SharedLines, ExcludeTextsWithCarriageReturns) {
  for (const std::string_view text : {"a\n", "b\rb\n", "c\n", "d\n"}) Write(text);
  EXPECT_EQ(Lines(), 3);
}

TEST_F(SharedLines, HaveALimitedLength) {
  const std::string text = std::string(100, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) Write(text);
  EXPECT_EQ(Lines(), 7);
  for (const auto line : Split(out_, '\n')) EXPECT_LE(line.size(), 16'000U);
}

TEST_F(SharedLines, StartANewLineAfterOutputWasTaken) {
  Write("a\n");
  out_.clear();
  written_.clear();
  Write("b\n");
  EXPECT_EQ(out_, "42 2 on 1700000000123456 b\n");
  out_ += "# said by another\n";
  Write("c\n");
  EXPECT_EQ(Lines(), 3);
}

TEST(LogLine, ReturnsTheErrorOfItsCallback) {
  int count = 0;
  const auto read = LogLineReader().Read("41 2 On 1 a\rb\rc", [&](const LogRecord&) -> Status {
    if (++count == 2) return Fail(ErrorCode::kCancelled, "enough");
    return {};
  });
  EXPECT_FALSE(read);
  EXPECT_EQ(count, 2);
}

TEST(LogLine, ParsesTheEndLine) {
  std::string out;
  AppendEndLine(out, {"n0nce", "succeeded", "abc"});
  EXPECT_EQ(out, "end n0nce succeeded abc\n");
  out.pop_back();
  const auto end = LogLineReader().Read(
      out, [](const LogRecord&) -> Status { return Fail(ErrorCode::kInternal, "no record"); });
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->nonce, "n0nce");
  EXPECT_EQ((*end)->outcome, "succeeded");
  EXPECT_EQ((*end)->result_sha256, "abc");
}

TEST(LogLine, IgnoresOtherLines) {
  for (const std::string_view line :
       {"", "# storing the log: away", "41 2 on", "x 2 on 1 text", "41 2 zz 1 text",
        "41 2 ZZ 1 text", "41 2 oN 1 text", "41 2 o 1 text", "end", "end a", "end a b c d",
        "-1 2 on 1 text", "99999999999999999999999 1 on 1 text"}) {
    EXPECT_TRUE(Read(line).empty()) << line;
  }
}

}  // namespace
}  // namespace kinetic::pod
