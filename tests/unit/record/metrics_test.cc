#include "kinetic/metrics.h"

#include "record/ended_task.h"
#include "record/metric_fields.h"
#include "record/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string LineOf(std::string_view members) {
  return "{\"kinetic.metrics\": {" + std::string(members) + "}}\n";
}

Metrics Parsed(std::string_view members) {
  const auto numbers = ParseMetrics(LineOf(members));
  EXPECT_TRUE(numbers) << members;
  return numbers.value_or(Metrics());
}

TEST(MetricsTest, ReadsNumbersInTheirOrder) {
  EXPECT_THAT(Parsed(R"("step": 20, "loss": 1.38e-2,"a b":-0.5)"),
              ElementsAre(Pair("step", 20), Pair("loss", 0.0138), Pair("a b", -0.5)));
  EXPECT_TRUE(ParseMetrics(R"({"kinetic.metrics":{"a":1}})"));
  EXPECT_TRUE(ParseMetrics("{\"kinetic.metrics\": {\"a\": 1} }\r\n"));
}

TEST(MetricsTest, ReadsNumbersThatAreNotFinite) {
  const Metrics numbers = Parsed(R"("a": NaN, "b": Infinity, "c": "-Infinity", "d": "NaN")");
  ASSERT_THAT(numbers, SizeIs(4));
  EXPECT_TRUE(std::isnan(numbers[0].second));
  EXPECT_EQ(numbers[1].second, kInf);
  EXPECT_EQ(numbers[2].second, -kInf);
  EXPECT_TRUE(std::isnan(numbers[3].second));
  EXPECT_THAT(Parsed(R"("big": 1e999, "low": -1e999, "small": 1e-999)"),
              ElementsAre(Pair("big", kInf), Pair("low", -kInf), Pair("small", 0)));
}

TEST(MetricsTest, ReadsNamesWithEscapes) {
  EXPECT_THAT(Parsed(R"("f\u00fcr\"": 1)"), ElementsAre(Pair("für\"", 1)));
  EXPECT_FALSE(ParseMetrics(LineOf(R"("\x": 1)")));
  EXPECT_FALSE(ParseMetrics(LineOf(R"("\ud800": 1)")));
  EXPECT_THAT(Parsed("\"für\": 1"), ElementsAre(Pair("für", 1)));
  EXPECT_FALSE(ParseMetrics(LineOf("\"f\xfcr\": 1")));
}

TEST(MetricsTest, TheLastOfEqualNamesCounts) {
  EXPECT_THAT(Parsed(R"("a": 1, "b": 2, "a": 3)"), ElementsAre(Pair("a", 3), Pair("b", 2)));
}

TEST(MetricsTest, OtherLinesAreNoMetrics) {
  for (const char* members : {"",           "\"a\"",       "\"a\":",       "\"a\": 1,",
                              ",\"a\": 1",  "\"a\": true", "\"a\": null",  "\"a\": \"1\"",
                              "\"a\": [1]", "\"a\": {}",   "\"\": 1",      "a: 1",
                              "\"a\": 01",  "\"a\": .5",   "\"a\": +1",    "\"a\": inf",
                              "\"a\": nan", "\"a\": 1 2",  "\"a\": \"NaN", "\"a\": -",
                              "\"a\n\": 1"})
    EXPECT_FALSE(ParseMetrics(LineOf(members))) << members;
  for (const char* line :
       {"", "step 1", "{}", R"({"kinetic.metrics": 1})", R"({"kinetic.metrics": {"a": 1})",
        R"({"kinetic.metrics": {"a": 1}}x)", R"( {"kinetic.metrics": {"a": 1}})",
        R"({"kinetic.metrics": {"a": 1}, "b": 2})", R"({ "kinetic.metrics": {"a": 1}})"})
    EXPECT_FALSE(ParseMetrics(line)) << line;
}

TEST(MetricsTest, LimitsNames) {
  std::string members;
  Metrics numbers;
  for (std::size_t i = 0; i < kMaxMetrics; ++i) {
    members += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": 1";
    numbers.emplace_back(std::to_string(i), 1);
  }
  EXPECT_THAT(Parsed(members), SizeIs(kMaxMetrics));
  EXPECT_FALSE(ParseMetrics(LineOf(members + ", \"more\": 1")));
  EXPECT_TRUE(FormatMetrics(numbers));
  numbers.emplace_back("more", 1);
  EXPECT_FALSE(FormatMetrics(numbers));
  const std::string longest(kMaxMetricNameBytes, 'a');
  EXPECT_TRUE(ParseMetrics(LineOf("\"" + longest + "\": 1")));
  EXPECT_FALSE(ParseMetrics(LineOf("\"a" + longest + "\": 1")));
}

TEST(MetricsTest, WrittenLinesAreRead) {
  const Metrics numbers = {{"step", 3}, {"für \"x\"\n", 0.1}, {"low", -kInf}, {"large", 1e300}};
  EXPECT_EQ(*FormatMetrics({{"step", 3}, {"loss", 2.07}}),
            R"({"kinetic.metrics": {"step": 3, "loss": 2.07}})");
  EXPECT_EQ(ParseMetrics(*FormatMetrics(numbers)), numbers);
}

TEST(MetricsTest, WhatIsNotReadIsNotWritten) {
  const std::string longest(kMaxMetricNameBytes, 'a');
  EXPECT_TRUE(ParseMetrics(FormatMetrics({{longest, 1}}).value_or("")));
  for (const std::string& name : {std::string(), longest + "a", std::string("f\xfcr")}) {
    const auto line = FormatMetrics({{"step", 1}, {name, 1}});
    ASSERT_FALSE(line) << name;
    EXPECT_EQ(line.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(FormatMetrics({}));
}

TEST(MetricsTest, SummarizesEachName) {
  std::vector<MetricSummary> summary;
  AddMetrics({{"step", 1}, {"loss", std::nan("")}}, summary);
  AddMetrics({{"step", 2}, {"loss", 3}}, summary);
  AddMetrics({{"step", 3}, {"loss", 2}, {"late", 7}}, summary);
  AddMetrics({{"loss", std::nan("")}}, summary);
  ASSERT_THAT(summary, SizeIs(3));
  EXPECT_EQ(summary[0].name, "step");
  EXPECT_EQ(summary[0].count, 3U);
  EXPECT_EQ(summary[1].min, 2);
  EXPECT_EQ(summary[1].max, 3);
  EXPECT_EQ(summary[1].count, 4U);
  EXPECT_TRUE(std::isnan(summary[1].last));
  EXPECT_EQ(summary[2].last, 7);
}

TEST(MetricsTest, SummaryHasALimit) {
  std::vector<MetricSummary> summary;
  for (int i = 0; i < 100; ++i) AddMetrics({{std::to_string(i), 1}}, summary);
  EXPECT_THAT(summary, SizeIs(kMaxMetrics));
  AddMetrics({{"0", 5}, {"99", 5}}, summary);
  EXPECT_EQ(summary.front().last, 5);
  EXPECT_EQ(summary.back().last, 1);
}

TEST(MetricsTest, ResultHasTheSummary) {
  StoredOutcome stored;
  stored.outcome.state = JobState::kFailed;
  EXPECT_THAT(ToJson(stored), testing::Not(testing::HasSubstr("metrics")));
  AddMetrics({{"step", 3}, {"loss", kInf}}, stored.outcome.metrics);
  const auto read = OutcomeFromJson(ToJson(stored));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_THAT(read->outcome.metrics, SizeIs(2));
  EXPECT_EQ(read->outcome.metrics[0].max, 3);
  EXPECT_EQ(read->outcome.metrics[1].name, "loss");
  EXPECT_EQ(read->outcome.metrics[1].last, kInf);
}

TEST(MetricsTest, TasksHaveTheLastNumbers) {
  StoredOutcome stored;
  AddMetrics({{"step", 3}, {"loss", 2.5}}, stored.outcome.metrics);
  AddMetrics({{"step", 4}}, stored.outcome.metrics);
  const std::string text = MetricsText(TaskSummaryOf(stored).metrics, kSummaryMetricsBytes);
  EXPECT_EQ(text, R"({"step":4,"loss":2.5})");
  EXPECT_THAT(MetricsFromText(text), ElementsAre(Pair("step", 4), Pair("loss", 2.5)));
  EXPECT_EQ(MetricsText({{"step", 4}, {"loss", 2.5}}, 12), R"({"step":4})");
  EXPECT_THAT(MetricsFromText("[1"), IsEmpty());
  EXPECT_THAT(MetricsFromText(R"({"a":"text","b":1})"), ElementsAre(Pair("b", 1)));
}

}  // namespace
}  // namespace kinetic::record
