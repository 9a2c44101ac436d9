#include "record/job_record.h"

#include "unit/record/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;
using testing::StartsWith;

std::string Replaced(std::string text, std::string_view old_text, std::string_view new_text) {
  text = WithoutChecksum(text);
  const auto at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

TEST(RecordTest, RoundTrips) {
  const Record record = SampleRecord();
  const std::string json = ToJson(record);
  const auto read = FromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  EXPECT_EQ(read->id, record.id);
  EXPECT_EQ(read->created, record.created);
  EXPECT_EQ(read->tree, record.tree);
  EXPECT_EQ(read->inline_arguments, record.inline_arguments);
  EXPECT_EQ(read->environment_inputs, record.environment_inputs);
  EXPECT_EQ(read->git, record.git);
  EXPECT_EQ(read->price, record.price);
  EXPECT_EQ(read->rerun_of, record.rerun_of);
  EXPECT_EQ(read->preparation, record.preparation);
  EXPECT_EQ(read->data, record.data);
  EXPECT_EQ(read->listed_data, record.listed_data);
  EXPECT_EQ(read->spec.args, record.spec.args);
}

TEST(RecordTest, RoundTripsWithoutOptionalFields) {
  Record record = SampleRecord();
  record.git.reset();
  record.data.clear();
  record.inline_arguments.reset();
  record.manifest_key.clear();
  record.secret_names.clear();
  const auto read = FromJson(ToJson(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->git);
  EXPECT_FALSE(read->inline_arguments);
  EXPECT_EQ(ToJson(*read), ToJson(record));
}

TEST(RecordTest, AnEnvironmentRequiresVersionTwo) {
  Record record = SampleRecord();
  EXPECT_THAT(ToJson(record),
              AllOf(StartsWith("{\n  \"version\": 1,"), Not(HasSubstr("\n  \"environment\": "))));
  record.environment = {Sha256::Of("packages"), "3.12", 18'000, 4'000'000'000};
  const std::string json = ToJson(record);
  EXPECT_THAT(json, StartsWith("{\n  \"version\": 2,"));
  const auto read = FromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->environment, record.environment);
  EXPECT_EQ(ToJson(*read), json);
}

TEST(RecordTest, IsIndentedInFixedOrder) {
  EXPECT_THAT(ToJson(SampleRecord()), StartsWith(R"({
  "version": 1,
  "id": "k-7aq2",
  "created": "2030-01-02T03:04:05.678901Z",
  "owner": "ana@laptop",
)"));
}

TEST(RecordTest, IgnoresUnknownFields) {
  const std::string json =
      Replaced(ToJson(SampleRecord()), "\"id\"", "\"new_in_minor\": [1], \"id\"");
  EXPECT_TRUE(FromJson(json));
}

TEST(RecordTest, SkipsUnknownPhases) {
  const std::string json =
      Replaced(ToJson(SampleRecord()), "\"phase\": \"package\"", "\"phase\": \"compress\"");
  const auto read = FromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->preparation.empty());
}

TEST(RecordTest, ReportsInvalidFields) {
  const std::string json = ToJson(SampleRecord());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "record.json: "},
      {"[]", "record.json: expected a map"},
      {Replaced(json, "\"version\": 1", "\"version\": 0"), "record.json: version: "},
      {Replaced(json, "\"k-7aq2\"", "7"), "record.json: id: expected a string"},
      {Replaced(json, "2030-01-02", "someday"), "record.json: created: expected a time"},
      {Replaced(json, Sha256::Of("tree").Hex(), "abc"), "record.json: tree: expected 64 hex"},
      {Replaced(json, Sha256::Of("data").Hex(), "abc"), "record.json: data./data: tree: "},
      {Replaced(json, "\"spec\"", "\"spock\""), "record.json: spec: is missing"},
      {Replaced(json, "\"secret_names\"", "\"environment\": {\"tree\": \"abc\"}, \"secret_names\""),
       "record.json: environment: tree: expected 64 hex"},
      {Replaced(json, "2030-01-02T03:04:04.000000Z", "soon"), "record.json: preparation: begun: "},
      {Replaced(json, "\"linux/amd64\"", "7"), "record.json: environment_inputs: platform: "}};
  for (const auto& [text, message] : cases) {
    const auto read = FromJson(text);
    ASSERT_FALSE(read) << message;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr(message));
  }
  const auto newer = FromJson(Replaced(json, "\"version\": 1", "\"version\": 4"));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kFailedPrecondition) << "it is not damaged";
  EXPECT_THAT(newer.error().message, HasSubstr("record.json: version: is 4"));
}

TEST(RecordTest, RejectsTruncation) {
  const std::string json = ToJson(SampleRecord());
  for (std::size_t length = 0; length + 2 < json.size(); ++length) {
    EXPECT_FALSE(FromJson(std::string_view(json).substr(0, length))) << length;
  }
}

TEST(FirstDifferenceTest, IgnoresOwnerAndTime) {
  const Record before = SampleRecord();
  Record now = before;
  now.created += std::chrono::hours(1);
  now.owner = "bob@desk";
  now.nonce = "ffff";
  now.client_version = "0.2.0";
  now.git.reset();
  EXPECT_EQ(FirstDifference(before, now), std::nullopt);
}

TEST(FirstDifferenceTest, IgnoresTheLimitThatFollowsFromPrices) {
  Record before = SampleRecord();
  before.spec.max_cost = "20 USD";
  before.spec.timeouts.run = std::chrono::hours(2);
  Record now = before;
  now.spec.timeouts.run = std::chrono::hours(3);
  EXPECT_EQ(FirstDifference(before, now), std::nullopt);
  now.spec.max_cost = "21 USD";
  EXPECT_NE(FirstDifference(before, now), std::nullopt);
}

TEST(FirstDifferenceTest, NamesThePathAndBothValues) {
  const Record before = SampleRecord();
  Record now = before;
  now.spec.args.named[0].second = Value(5);
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("args.epochs: 3 before, 5 now")));
  now = before;
  now.spec.args.named[1].second = Value(Value::List{0.1, 0.2, 0.3});
  EXPECT_THAT(FirstDifference(before, now),
              Optional(std::string("args.rates[2]: absent before, 0.3 now")));
  now = before;
  now.spec.env.clear();
  EXPECT_THAT(FirstDifference(before, now),
              Optional(HasSubstr("env: {\"KERAS_BACKEND\":\"jax\"} before, absent now")));
  now = before;
  now.spec.env.emplace("NEW", "x");
  EXPECT_THAT(FirstDifference(before, now),
              Optional(std::string("env.NEW: absent before, \"x\" now")));
  now.arguments = Sha256::Of("other");  // a difference in the spec comes first
  EXPECT_THAT(FirstDifference(before, now),
              Optional(std::string("env.NEW: absent before, \"x\" now")));
  now = before;
  now.tree = Sha256::Of("other");
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("code")));
  now = before;
  now.data["/data"].tree = Sha256::Of("other");
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("data of /data")));
  now = before;
  now.listed_data["/far"].listing = Sha256::Of("other");
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("data of /far")));
  now = before;
  now.environment = {Sha256::Of("packages"), "3.12", 1, 1};
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("packages")));
  now = before;
  now.arguments = Sha256::Of("other");
  EXPECT_THAT(FirstDifference(before, now), Optional(std::string("arguments")));
  now = before;
  now.environment_inputs["python"] = "3.13";
  EXPECT_THAT(FirstDifference(before, now),
              Optional(std::string("environment.python: \"3.12\" before, \"3.13\" now")));
}

TEST(FirstDifferenceTest, TruncatesLongValues) {
  const Record before = SampleRecord();
  Record now = before;
  std::string value;
  for (int i = 0; i < 200; ++i) value += "ä";
  now.spec.env["KERAS_BACKEND"] = value;
  const auto found = FirstDifference(before, now);
  ASSERT_TRUE(found);
  EXPECT_LT(found->size(), 150U);
  EXPECT_THAT(*found, HasSubstr("ä…"));
}

}  // namespace
}  // namespace kinetic::record
