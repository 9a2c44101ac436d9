#include "runner/end_report.h"

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

EndReport Full() {
  EndReport report;
  report.began = true;
  report.next_record = 1234567890123;
  ProgramEnd& end = report.end.emplace();
  end.exit.signal = 9;
  end.stopped = end.out_of_time = end.out_of_memory = true;
  end.lingered = Lingered::kRunLimit;
  end.left_behind = 3;
  end.peak_memory_bytes = 1ULL << 40;
  end.control_fault = Error{.code = ErrorCode::kDataLoss, .message = "broken", .hint = "mend it"};
  end.messages = {{.kind = ShimMessage::Kind::kStarted, .detail = "3.12.1"},
                  {.kind = ShimMessage::Kind::kReturned, .number = 7},
                  {.kind = ShimMessage::Kind::kRefused, .reason = "not callable"},
                  {.kind = ShimMessage::Kind::kUnserialisable, .reason = "no", .detail = "<x>"},
                  {.kind = ShimMessage::Kind::kExited, .number = -3},
                  {.kind = ShimMessage::Kind::kLingering, .detail = "Thread-1"},
                  Raised("no\nsuch")};
  return report;
}

TEST(EndReport, ComesBackAsItWas) {
  const auto read = EndReportFromJson(ToJson(Full()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->began);
  EXPECT_EQ(read->next_record, 1234567890123U);
  ASSERT_TRUE(read->end);
  EXPECT_EQ(read->end->exit.signal, 9);
  EXPECT_TRUE(read->end->stopped && read->end->out_of_time && read->end->out_of_memory);
  EXPECT_EQ(read->end->lingered, Lingered::kRunLimit);
  EXPECT_EQ(read->end->left_behind, 3U);
  EXPECT_EQ(read->end->peak_memory_bytes, 1ULL << 40);
  EXPECT_EQ(read->end->control_fault->hint, "mend it");
  ASSERT_EQ(read->end->messages.size(), 7U);
  EXPECT_EQ(ToJson(*read), ToJson(Full()));
  const RemoteException& exception = *read->end->messages[6].exception;
  EXPECT_EQ(exception.traceback[0].line, 3);
  EXPECT_EQ(exception.cause->message, "the cause of no\nsuch");
}

TEST(EndReport, AFaultComesBack) {
  EndReport report;
  report.fault = Error{.code = ErrorCode::kNotFound, .message = "no python3", .hint = "install it"};
  const auto read = EndReportFromJson(ToJson(report));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->end);
  EXPECT_EQ(read->fault->code, ErrorCode::kNotFound);
  EXPECT_EQ(read->fault->message, "no python3");
}

TEST(EndReport, WhatSaysNeitherIsNone) {
  EXPECT_FALSE(EndReportFromJson(R"({"version":1,"began":true,"next_record":1})"));
  EXPECT_FALSE(EndReportFromJson("nothing"));
  EXPECT_FALSE(EndReportFromJson(R"({"version":2})"));
}

TEST(EndReport, SecretsAreTakenOutOfAllTexts) {
  EndReport report = Full();
  report.end->messages[2].reason = report.end->messages[3].detail = "it is hunter22";
  report.end->messages[6] = Raised("hunter22");
  MaskReport(report, {"hunter22"});
  EXPECT_THAT(ToJson(report), Not(HasSubstr("hunter22")));
  EXPECT_EQ(report.end->messages[6].exception->cause->message, "the cause of ***");
  EndReport fault;
  fault.fault = Error{.message = "hunter22 is wrong", .hint = "change hunter22"};
  MaskReport(fault, {"hunter22"});
  EXPECT_THAT(ToJson(fault), Not(HasSubstr("hunter22")));
}

}  // namespace
}  // namespace kinetic::runner
