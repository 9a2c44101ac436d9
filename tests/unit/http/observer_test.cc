#include "http/observer.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::http {
namespace {

class Lines final : public LogSink {
 public:
  void Write(LogLevel, std::string_view, std::string_view message) override {
    lines.emplace_back(message);
  }
  std::vector<std::string> lines;
};

class Recorder final : public RequestObserver {
 public:
  void OnRequest(const RequestRecord& record) override { records.push_back(record); }
  std::vector<RequestRecord> records;
};

TEST(ObservedTransport, ReportsResponsesAndFailures) {
  test::ScriptedTransport inner;
  inner.Answer(200, "x").Fail({ErrorCode::kUnavailable, "PUT http://h/b: reset", "", {}});
  test::FakeClock clock;
  Recorder recorder;
  ObservedTransport transport(inner, recorder, clock);
  EXPECT_TRUE(transport.Send({"GET", "http://h/a?upload_id=1"}, {}));
  EXPECT_FALSE(transport.Send({"PUT", "http://h/b"}, {}));
  const auto& records = recorder.records;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].url.Text(), "http://h/a?upload_id=[secret]");
  EXPECT_EQ(records[1].status, 0);
  EXPECT_EQ(records[1].error, "reset");
}

TEST(RequestLog, WritesALineForEachRequestAndItsHeaders) {
  test::ScriptedTransport inner;
  inner.Answer(404, "no");
  test::FakeClock clock;
  Lines lines;
  RequestLog log(lines);
  ObservedTransport transport(inner, log, clock);
  EXPECT_TRUE(transport.Send({"GET", "http://ana:pw@h/a", {{"Authorization", "Bearer t"}}}, {}));
  ASSERT_EQ(lines.lines.size(), 2U);
  EXPECT_EQ(lines.lines[1], "> Authorization: [secret]");
  EXPECT_TRUE(lines.lines[0].starts_with("GET http://h/a: 404")) << lines.lines[0];
}

}  // namespace
}  // namespace kinetic::http
