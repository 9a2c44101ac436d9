#include "backend/kubernetes/logs/pod_log.h"

#include "base/time/clock.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns records with numbers in [from, to), two per line.
std::string Lines(std::uint64_t from, std::uint64_t to) {
  pod::LogLineWriter writer;
  std::string out;
  for (std::uint64_t i = from; i < to; ++i) {
    const std::string text = "line " + std::to_string(i) + "\n";
    writer.Append(out,
                  {.sequence = i,
                   .attempt = 1,
                   .stream = Stream::kStdout,
                   .time = FromMicros(1'900'000'000'000'000 + static_cast<std::int64_t>(i / 2)),
                   .text = text});
  }
  return out;
}

class PodLog : public ::testing::Test {
 protected:
  PodLogReader Reader(std::uint64_t from) {
    return {client_, "ml", from, [this](const LogRecord& record) -> Status {
              read_.emplace_back(record.sequence);
              return {};
            }};
  }

  test::ScriptedTransport transport_;
  test::FakeClock clock_;
  kube::Client client_{transport_, clock_, {.server = "https://c"}};
  std::vector<std::uint64_t> read_;
};

TEST_F(PodLog, SkipsDuplicateRecords) {
  transport_.Answer(200, Lines(0, 3)).Answer(200, Lines(1, 5));
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kEnd);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kEnd);
  EXPECT_THAT(read_, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(reader.next_sequence(), 5U);
  EXPECT_THAT(transport_.sent().at(1).url, HasSubstr("sinceTime="))
      << "must not read from the beginning again";
}

TEST_F(PodLog, StopsAtMissingRecord) {
  transport_.Answer(200, Lines(0, 2) + Lines(4, 6));
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kGap);
  EXPECT_THAT(read_, ElementsAre(0, 1));
}

TEST_F(PodLog, StopsAtEndLine) {
  std::string text = Lines(0, 1);
  pod::AppendEndLine(text, {"n", "succeeded", "abc"});
  transport_.Answer(200, text + Lines(1, 2));
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kEndLine);
  ASSERT_TRUE(reader.end());
  EXPECT_EQ(reader.end()->outcome, "succeeded");
  EXPECT_THAT(read_, ElementsAre(0));
}

TEST_F(PodLog, IgnoresIncompleteLine) {
  const std::string lines = Lines(0, 4);
  transport_.Cut(lines.substr(0, lines.size() - 3), {ErrorCode::kUnavailable, "cut", {}, {}})
      .Answer(200, lines);
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kEnd);
  EXPECT_THAT(read_, ElementsAre(0, 1));
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kEnd);
  EXPECT_THAT(read_, ElementsAre(0, 1, 2, 3));
}

TEST_F(PodLog, DistinguishesUnstartedFromDeletedPod) {
  transport_.Answer(204).Answer(404, R"({"kind":"Status","reason":"NotFound","code":404,)"
                                     R"("details":{"name":"p","kind":"pods"}})");
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kNotStarted);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kGone);
}

TEST_F(PodLog, RejectedRequestIsNotTheEnd) {
  transport_.Answer(403, R"({"kind":"Status","reason":"Forbidden","code":403,"message":"no"})");
  auto reader = Reader(0);
  EXPECT_EQ(*reader.Read("p", true, {}), PodLogReader::Stop::kApiError);
  ASSERT_TRUE(reader.api_error());
  EXPECT_EQ(reader.api_error()->code, ErrorCode::kPermissionDenied);
}

TEST_F(PodLog, ReaderErrorStopsReading) {
  transport_.Answer(200, Lines(0, 2));
  PodLogReader reader(client_, "ml", 0, [](const LogRecord&) -> Status {
    return Fail(ErrorCode::kResourceExhausted, "the disk is full");
  });
  const auto read = reader.Read("p", true, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace kinetic::backend
