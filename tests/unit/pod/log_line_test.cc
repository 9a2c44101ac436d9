#include "pod/log_line.h"

#include "base/time.h"

#include <gmock/gmock.h>

namespace kinetic::pod {
namespace {

LogRecord Record(std::string_view text, Stream stream = Stream::kStdout) {
  LogRecord record;
  record.sequence = 41;
  record.attempt = 2;
  record.stream = stream;
  record.time = FromMicros(1'700'000'000'123'456);
  record.text = text;
  return record;
}

std::string Line(const LogRecord& record) {
  std::string out;
  AppendLogLine(out, record);
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  out.pop_back();
  return out;
}

TEST(LogLine, IsReadableAsItIs) {
  EXPECT_EQ(Line(Record("epoch 1\n")), "41 2 on 1700000000123456 epoch 1");
  EXPECT_EQ(Line(Record("oops\n", Stream::kStderr)), "41 2 en 1700000000123456 oops");
}

TEST(LogLine, ComesBackAsItWasWhateverItsEnd) {
  const std::string bytes("a \0 \xff b", 7);
  for (const std::string end : {"\n", "\r", "\r\n", ""}) {
    for (const std::string& body : {std::string(), std::string("x"), std::string(" end "), bytes}) {
      for (const Stream stream : {Stream::kStdout, Stream::kStderr, Stream::kSystem}) {
        const std::string text = body + end;
        const std::string line = Line(Record(text, stream));
        std::string held;
        const auto read = ParseLogLine(line, held);
        const auto* record = std::get_if<LogRecord>(&read.what);
        ASSERT_NE(record, nullptr) << line;
        EXPECT_EQ(record->text, text);
        EXPECT_EQ(record->sequence, 41U);
        EXPECT_EQ(record->attempt, 2U);
        EXPECT_EQ(record->stream, stream);
        EXPECT_EQ(record->time, FromMicros(1'700'000'000'123'456));
      }
    }
  }
}

TEST(LogLine, TheEndSaysHowItEnded) {
  std::string out;
  AppendEndLine(out, {"n0nce", "succeeded", "abc"});
  EXPECT_EQ(out, "end n0nce succeeded abc\n");
  out.pop_back();
  std::string held;
  const auto read = ParseLogLine(out, held);
  const auto* end = std::get_if<EndLine>(&read.what);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->nonce, "n0nce");
  EXPECT_EQ(end->outcome, "succeeded");
  EXPECT_EQ(end->result_sha256, "abc");
}

TEST(LogLine, WhatIsNeitherIsPassedOver) {
  std::string held;
  for (const std::string_view line :
       {"", "# storing the log: away", "41 2 on", "x 2 on 1 text", "41 2 zz 1 text",
        "41 2 o 1 text", "end", "end a", "end a b c d", "-1 2 on 1 text",
        "99999999999999999999999 1 on 1 text"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(ParseLogLine(line, held).what)) << line;
  }
}

}  // namespace
}  // namespace kinetic::pod
