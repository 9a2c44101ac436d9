#include "record/outcome.h"

#include "base/time.h"
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
  stored.written_by = "runner";
  stored.log_records = 17;
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
  json = WithoutCheck(json);
  const auto at = json.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  json.replace(at, old_text.size(), new_text);
  const auto read = OutcomeFromJson(json);
  EXPECT_FALSE(read) << json;
  if (read) return {};
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  return read.error().message;
}

TEST(OutcomeTest, SuccessComesBack) {
  const std::string json = ToJson(Succeeded());
  const auto read = OutcomeFromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  EXPECT_EQ(read->outcome.value, Succeeded().outcome.value);
  EXPECT_EQ(read->log_records, 17U);
  ASSERT_EQ(read->outcome.timeline.size(), 2U);
  EXPECT_EQ(read->outcome.timeline[1].first, "collected");
}

TEST(OutcomeTest, ANamedValueComesBack) {
  StoredOutcome stored = Succeeded();
  stored.outcome.value = Value();
  stored.value = Sha256::Of("value");
  const auto read = OutcomeFromJson(ToJson(stored));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->value, stored.value);
  EXPECT_TRUE(read->outcome.value.IsNull());
}

TEST(OutcomeTest, AFailureComesBackWithItsCauses) {
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
              HasSubstr("result.json: value: beside an outcome that is no success"));
  EXPECT_THAT(Message(json, "\"exit_code\"",
                      "\"value_sha256\": \"" + Sha256::Of("").Hex() + "\", \"exit_code\""),
              HasSubstr("result.json: value_sha256: beside an outcome that is no success"));
}

TEST(OutcomeTest, NamesWhatIsWrong) {
  const std::string json = ToJson(Succeeded());
  EXPECT_THAT(Message(json, "\"succeeded\"", "\"running\""), HasSubstr("outcome: is no end of a"));
  EXPECT_THAT(Message(json, "\"version\": 1", "\"version\": 2"), HasSubstr("a newer one wrote it"));
  EXPECT_THAT(Message(json, "\"exit_code\": 0", "\"exit_code\": 256"), HasSubstr("exit_code: "));
  EXPECT_THAT(Message(json, "\"program\"", "\"x\""), HasSubstr("exit_source: is none"));
  EXPECT_THAT(Message(json, "\"started\"", "7"), HasSubstr("timeline: moment: name"));
  EXPECT_THAT(Message(json, "\"exit_code\"",
                      "\"value_sha256\": \"" + Sha256::Of("").Hex() + "\", \"exit_code\""),
              HasSubstr("value_sha256: beside an inline value"));
  EXPECT_THAT(Message(ToJson(Failed(1)), "\"context\"", "\"because\""),
              HasSubstr("relation: expected cause or context"));
  EXPECT_FALSE(OutcomeFromJson("null"));
}

TEST(OutcomeTest, ChainsOfCausesAreBounded) {
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
      HasSubstr("a chain of more than 64 causes"));
}

}  // namespace
}  // namespace kinetic::record
