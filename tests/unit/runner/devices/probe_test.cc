#include "runner/devices/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(FrameworkReportTest, ParsesReport) {
  const auto report = ParseFrameworkReport(
      "jax", R"({"version": "0.5.3", "devices": {"tpu": 4}, "supported": true, "refusal": ""})",
      "a warning\nthe last warning\n\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kind, FrameworkReport::Kind::kReported);
  EXPECT_EQ(report->framework, "jax");
  EXPECT_EQ(report->version, "0.5.3");
  EXPECT_THAT(report->devices, ElementsAre(Pair("tpu", 4)));
  EXPECT_TRUE(report->supported);
  EXPECT_EQ(report->message, "the last warning");
}

TEST(FrameworkReportTest, PrefersRefusalToOutput) {
  const auto report =
      ParseFrameworkReport("jax",
                           R"({"version": "0.5.3", "devices": {}, "supported": false,
                                           "refusal": "no backend 'tpu'\n"})",
                           "a warning\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->message, "no backend 'tpu'");
}

TEST(FrameworkReportTest, NullMeansNotInstalled) {
  const auto report = ParseFrameworkReport("torch", "null\n", "");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kind, FrameworkReport::Kind::kNotInstalled);
}

TEST(FrameworkReportTest, RejectsIncompleteReport) {
  for (const char* const output :
       {"", "{", "[]", "7", R"({"version": "1"})",
        R"({"version": 1, "devices": {}, "supported": true, "refusal": ""})",
        R"({"version": "1", "devices": {"gpu": "2"}, "supported": true, "refusal": ""})"}) {
    EXPECT_FALSE(ParseFrameworkReport("jax", output, "")) << output;
  }
}

TEST(FrameworkReportTest, LastLineFitsAMessage) {
  EXPECT_EQ(LastLine(""), "");
  EXPECT_EQ(LastLine("Traceback\n  File\nImportError: \x1b[1mno jaxlib  \n\n"),
            "ImportError: \\x1b[1mno jaxlib");
  EXPECT_EQ(LastLine(std::string(1000, 'x')), std::string(300, 'x') + "…");
  EXPECT_EQ(LastLine(std::string(299, 'x') + "éé"), std::string(299, 'x') + "…");
}

}  // namespace
}  // namespace kinetic::runner
