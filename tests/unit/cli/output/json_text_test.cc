#include "output/json_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kinetic::cli {
namespace {

Value Parsed(std::string_view text) { return *Value::FromJson(text); }

TEST(JsonText, WhatFitsStandsOnOneLine) {
  EXPECT_EQ(JsonText(Parsed(R"({"a": [1, 2], "b": null})"), 80), R"({"a":[1,2],"b":null})");
  EXPECT_EQ(JsonText(Parsed("[]"), 1), "[]");
}

TEST(JsonText, MapsAreBrokenByMember) {
  EXPECT_EQ(JsonText(Parsed(R"({"a": "xxxxxxxxxx", "b": {"c": 1}})"), 20),
            "{\n"
            "  \"a\": \"xxxxxxxxxx\",\n"
            "  \"b\": {\"c\":1}\n"
            "}");
}

TEST(JsonText, LongListsAreFilled) {
  EXPECT_EQ(JsonText(Parsed("[1000, 2000, 3000, 4000, 5000]"), 16),
            "[\n"
            "  1000, 2000,\n"
            "  3000, 4000,\n"
            "  5000\n"
            "]");
}

TEST(JsonText, IsTheSameValueAtEveryWidth) {
  const Value value = Parsed(
      R"({"loss": [0.5, 0.25, {"deep": ["long text in here", "another one", [[], {}]]}, 1, 2, 3],
          "name": "ü", "matrix": [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]})");
  for (std::size_t columns = 0; columns < 120; ++columns) {
    const auto again = Value::FromJson(JsonText(value, columns));
    ASSERT_TRUE(again) << columns;
    EXPECT_EQ(*again, value) << columns;
  }
}

TEST(JsonText, LinesFit) {
  Value::List numbers(200, Value(0.125));
  std::istringstream lines(JsonText(Value::Map{{"loss", Value::List(3, Value(numbers))}}, 60));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60) << line;
}

}  // namespace
}  // namespace kinetic::cli
