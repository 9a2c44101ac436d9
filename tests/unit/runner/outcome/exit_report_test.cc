#include "runner/outcome/classify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ShimMessage Raised(std::string message) {
  RemoteException cause;
  cause.type = "KeyError";
  cause.message = "the cause of " + message;
  RemoteException exception;
  exception.type = "ValueError";
  exception.message = std::move(message);
  exception.relation = "cause";
  exception.traceback = {{"job.py", 3, "main", "raise ValueError()"}};
  exception.cause = std::make_shared<const RemoteException>(cause);
  return {.kind = ShimMessage::Kind::kRaised, .exception = exception};
}

ExitReport Full() {
  ExitReport report;
  report.began = true;
  report.next_record = 1234567890123;
  ProgramExit& exit = report.exit.emplace();
  exit.status.signal = 9;
  exit.stopped = exit.timed_out = exit.out_of_memory = true;
  exit.lingered = LingerLimit::kRunLimit;
  exit.remaining_processes = 3;
  exit.peak_memory_bytes = 1ULL << 40;
  exit.control_fault = Error{.code = ErrorCode::kDataLoss, .message = "broken", .hint = "mend it"};
  exit.messages = {{.kind = ShimMessage::Kind::kStarted, .detail = "3.12.1"},
                   {.kind = ShimMessage::Kind::kReturned, .number = 7},
                   {.kind = ShimMessage::Kind::kRefused, .reason = "not callable"},
                   {.kind = ShimMessage::Kind::kNotSerializable, .reason = "no", .detail = "<x>"},
                   {.kind = ShimMessage::Kind::kExited, .number = 3},
                   {.kind = ShimMessage::Kind::kLingering, .detail = "Thread-1"},
                   Raised("no\nsuch")};
  return report;
}

TEST(ExitReport, RoundTripsExit) {
  const auto read = ExitReportFromJson(ToJson(Full()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->began);
  EXPECT_EQ(read->next_record, 1234567890123U);
  ASSERT_TRUE(read->exit);
  EXPECT_EQ(read->exit->status.signal, 9);
  EXPECT_TRUE(read->exit->stopped && read->exit->timed_out && read->exit->out_of_memory);
  EXPECT_EQ(read->exit->lingered, LingerLimit::kRunLimit);
  EXPECT_EQ(read->exit->remaining_processes, 3U);
  EXPECT_EQ(read->exit->peak_memory_bytes, 1ULL << 40);
  EXPECT_EQ(read->exit->control_fault->hint, "mend it");
  ASSERT_EQ(read->exit->messages.size(), 7U);
  EXPECT_EQ(ToJson(*read), ToJson(Full()));
  const RemoteException& exception = *read->exit->messages[6].exception;
  EXPECT_EQ(exception.traceback[0].line, 3);
  EXPECT_EQ(exception.cause->message, "the cause of no\nsuch");
}

TEST(ExitReport, RoundTripsFault) {
  ExitReport report;
  report.fault = Error{.code = ErrorCode::kNotFound, .message = "no python3", .hint = "install it"};
  const auto read = ExitReportFromJson(ToJson(report));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->exit);
  EXPECT_EQ(read->fault->code, ErrorCode::kNotFound);
  EXPECT_EQ(read->fault->message, "no python3");
}

TEST(ExitReport, RejectsReportWithoutExitAndFault) {
  EXPECT_FALSE(ExitReportFromJson(R"({"version":1,"began":true,"next_record":1})"));
  EXPECT_FALSE(ExitReportFromJson("nothing"));
  EXPECT_FALSE(ExitReportFromJson(R"({"version":2})"));
  for (const auto status : {ExitStatus{.code = 256}, ExitStatus{.signal = 1000}}) {
    ExitReport report = Full();
    report.exit->status = status;
    EXPECT_FALSE(ExitReportFromJson(ToJson(report)));
  }
}

}  // namespace
}  // namespace kinetic::runner
