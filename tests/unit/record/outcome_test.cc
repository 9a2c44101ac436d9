#include "record/outcome.h"

#include "base/time/clock.h"
#include "sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::HasSubstr;
using testing::Not;

StoredOutcome Succeeded() {
  StoredOutcome stored;
  stored.outcome.state = JobState::kSucceeded;
  stored.outcome.value = Value(Value::Map{{"accuracy", Value(0.97)}});
  stored.outcome.phase = Phase::kCollect;
  stored.job = {"k-1", "7"};
  stored.written_by = "runner";
  stored.log_records = 17;
  stored.node_time = std::chrono::milliseconds(9'250);
  stored.moments = {{"started", *ParseTime("2030-01-01T00:00:00Z"), ""},
                    {"collected", *ParseTime("2030-01-01T00:00:09Z"), "3 files"}};
  return stored;
}

StoredOutcome Failed(int causes) {
  StoredOutcome stored = Succeeded();
  stored.outcome.state = JobState::kFailed;
  stored.outcome.value = Value();
  stored.outcome.exit_code = 1;
  stored.outcome.exit_source = ExitSource::kException;
  stored.outcome.phase = Phase::kRun;
  stored.outcome.reason = "ValueError: no";
  std::shared_ptr<const RemoteException> cause;
  for (int i = 0; i <= causes; ++i) {
    RemoteException exception{"ValueError", "no", {{"a.py", 3, "f", "g()"}}, "", cause};
    if (cause) exception.relation = i % 2 == 0 ? "cause" : "context";
    cause = std::make_shared<const RemoteException>(exception);
  }
  stored.outcome.exception = *cause;
  return stored;
}

std::string Message(std::string json, std::string_view old_text, std::string_view new_text) {
  json = WithoutChecksum(json);
  const auto at = json.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  json.replace(at, old_text.size(), new_text);
  const auto read = OutcomeFromJson(json);
  EXPECT_FALSE(read) << json;
  if (read) return {};
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  return read.error().message;
}

TEST(OutcomeTest, AttributesOfAnExceptionRoundTrip) {
  StoredOutcome stored = Failed(1);
  const Value attributes = Value::Map{{"args", Value::Map{{"$tuple", Value::List{2, "text"}}}}};
  stored.outcome.exception->attributes = attributes;
  const auto read = OutcomeFromJson(ToJson(stored));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->outcome.exception->attributes, attributes);
  EXPECT_TRUE(read->outcome.exception->cause->attributes.IsNull());
}

TEST(OutcomeTest, SuccessRoundTrips) {
  const std::string json = ToJson(Succeeded());
  const auto read = OutcomeFromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  EXPECT_EQ(read->outcome.value, Succeeded().outcome.value);
  EXPECT_EQ(read->log_records, 17U);
  EXPECT_EQ(read->node_time, std::chrono::milliseconds(9'250));
  ASSERT_EQ(read->outcome.timeline.size(), 2U);
  EXPECT_EQ(read->outcome.timeline[1].first, "collected");
}

TEST(OutcomeTest, AValueByDigestRoundTrips) {
  StoredOutcome stored = Succeeded();
  stored.outcome.value = Value();
  stored.value = Sha256::Of("value");
  const auto read = OutcomeFromJson(ToJson(stored));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->value, stored.value);
  EXPECT_TRUE(read->outcome.value.IsNull());
}

TEST(OutcomeTest, AFailureRoundTripsWithItsCauses) {
  const std::string json = ToJson(Failed(3));
  const auto read = OutcomeFromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  ASSERT_TRUE(read->outcome.exception);
  EXPECT_EQ(read->outcome.exception->relation, "context");
  ASSERT_TRUE(read->outcome.exception->cause);
  EXPECT_EQ(read->outcome.exception->cause->relation, "cause");
  EXPECT_EQ(read->outcome.exception->traceback[0].code, "g()");
  EXPECT_EQ(read->outcome.exit_source, ExitSource::kException);
}

TEST(OutcomeTest, AFailureHasNoValue) {
  StoredOutcome stored = Failed(0);
  stored.outcome.value = Value(7);
  stored.value = Sha256::Of("value");
  EXPECT_THAT(ToJson(stored), Not(HasSubstr("value\"")));
  const std::string json = ToJson(Failed(0));
  EXPECT_THAT(Message(json, "\"exit_code\"", "\"value\": 7, \"exit_code\""),
              HasSubstr("result.json: value: not allowed for a job that did not succeed"));
  EXPECT_THAT(Message(json, "\"exit_code\"",
                      "\"value_sha256\": \"" + Sha256::Of("").Hex() + "\", \"exit_code\""),
              HasSubstr("result.json: value_sha256: not allowed for a job that did not succeed"));
}

TEST(OutcomeTest, ReportsInvalidFields) {
  const std::string json = ToJson(Succeeded());
  EXPECT_THAT(Message(json, "\"succeeded\"", "\"running\""),
              HasSubstr("outcome: expected a final state"));
  EXPECT_THAT(Message(json, "\"exit_code\": 0", "\"exit_code\": 256"), HasSubstr("exit_code: "));
  EXPECT_THAT(Message(json, "\"program\"", "\"x\""), HasSubstr("unknown exit source"));
  EXPECT_THAT(Message(json, "\"started\"", "7"), HasSubstr("timeline: moment: name"));
  EXPECT_THAT(Message(json, "\"exit_code\"",
                      "\"value_sha256\": \"" + Sha256::Of("").Hex() + "\", \"exit_code\""),
              HasSubstr("value_sha256: not allowed together with an inline value"));
  EXPECT_THAT(Message(ToJson(Failed(1)), "\"context\"", "\"because\""),
              HasSubstr("relation: expected cause or context"));
  EXPECT_FALSE(OutcomeFromJson("null"));
}

TEST(OutcomeTest, DistinguishesNewerVersionsFromDamage) {
  std::string json = WithoutChecksum(ToJson(Succeeded()));
  json.replace(json.find("\"version\": 1"), 12, "\"version\": 2");
  const auto read = OutcomeFromJson(json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(read.error().message, HasSubstr("supports at most 1"));
}

TEST(OutcomeTest, LimitsChainsOfCauses) {
  const auto cut = OutcomeFromJson(ToJson(Failed(1000)));
  ASSERT_TRUE(cut) << cut.error().message;
  int depth = 0;
  for (const auto* e = &*cut->outcome.exception; e != nullptr; e = e->cause.get()) ++depth;
  EXPECT_EQ(depth, 64);
  std::string exception = R"({"type":"E","message":"","traceback":[]})";
  for (int i = 0; i < 64; ++i) {
    exception =
        R"({"type":"E","message":"","traceback":[],"relation":"cause","cause":)" + exception + "}";
  }
  EXPECT_THAT(
      Message(ToJson(Failed(0)), "\"exception\"", "\"exception\": " + exception + ", \"x\""),
      HasSubstr("more than 64 chained causes"));
}

TEST(OutcomeTest, RejectsTheOutcomeOfAnotherJob) {
  const std::string json = ToJson(Succeeded());
  EXPECT_TRUE(OutcomeOfJob(json, {"k-1", "7"}));
  EXPECT_TRUE(OutcomeOfJob(json, {"k-1", ""})) << "the nonce is unknown";
  for (const JobKey& other : {JobKey("k-2", "7"), JobKey("k-1", "8"), JobKey()}) {
    const auto read = OutcomeOfJob(json, other);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr("result.json: belongs to "));
    EXPECT_THAT(read.error().message, HasSubstr(other.id));
    EXPECT_THAT(read.error().message, HasSubstr("k-1"));
  }
}

}  // namespace
}  // namespace kinetic::record
