#include "runner/device_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(DeviceAnswerTest, SaysWhatAFrameworkSees) {
  const auto answer = DeviceAnswerFrom(
      "jax", R"({"version": "0.5.3", "devices": {"tpu": 4}, "supported": true, "refusal": ""})",
      "a warning\nthe last warning\n\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, DeviceAnswer::Kind::kAnswered);
  EXPECT_EQ(answer->framework, "jax");
  EXPECT_EQ(answer->version, "0.5.3");
  EXPECT_THAT(answer->devices, ElementsAre(Pair("tpu", 4)));
  EXPECT_TRUE(answer->supported);
  EXPECT_EQ(answer->said, "the last warning");
}

TEST(DeviceAnswerTest, ARefusalIsWorthMoreThanWhatIsPrinted) {
  const auto answer = DeviceAnswerFrom("jax",
                                       R"({"version": "0.5.3", "devices": {}, "supported": false,
                                           "refusal": "no backend 'tpu'\n"})",
                                       "a warning\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->said, "no backend 'tpu'");
}

TEST(DeviceAnswerTest, OneThatIsNotInstalledSaysNull) {
  const auto answer = DeviceAnswerFrom("torch", "null\n", "");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, DeviceAnswer::Kind::kAbsent);
}

TEST(DeviceAnswerTest, WhatIsNotWholeIsNoAnswer) {
  for (const char* const said :
       {"", "{", "[]", "7", R"({"version": "1"})",
        R"({"version": 1, "devices": {}, "supported": true, "refusal": ""})",
        R"({"version": "1", "devices": {"gpu": "2"}, "supported": true, "refusal": ""})"}) {
    EXPECT_FALSE(DeviceAnswerFrom("jax", said, "")) << said;
  }
}

TEST(DeviceAnswerTest, LastWordsFitAMessage) {
  EXPECT_EQ(LastWords(""), "");
  EXPECT_EQ(LastWords("Traceback\n  File\nImportError: \x1b[1mno jaxlib  \n\n"),
            "ImportError: \\x1b[1mno jaxlib");
  EXPECT_EQ(LastWords(std::string(1000, 'x')), std::string(300, 'x') + "…");
  EXPECT_EQ(LastWords(std::string(299, 'x') + "éé"), std::string(299, 'x') + "…");
}

}  // namespace
}  // namespace kinetic::runner
