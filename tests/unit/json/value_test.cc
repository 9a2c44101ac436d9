#include "kinetic/value.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(Value, KeepsTheOrderOfKeysAndTheTypesOfNumbers) {
  const std::string text = R"({"z":1,"a":[1.5,true,null,"x"],"m":{}})";
  const auto value = Value::FromJson(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->ToJson(), text);
  EXPECT_NE(value->Find("z")->AsInt(), nullptr);
  EXPECT_EQ(value->Find("z")->AsDouble(), nullptr);
}

TEST(Value, IndentsOnRequest) {
  const auto value = Value::FromJson(R"({"a":[[1,2],[3,4]],"b":{},"c":[],"d":[{"e":1}]})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->ToJson(true),
            "{\n  \"a\": [\n    [1, 2],\n    [3, 4]\n  ],\n  \"b\": {},\n  \"c\": [],\n"
            "  \"d\": [\n    {\n      \"e\": 1\n    }\n  ]\n}");
}

TEST(Value, FloatsSurviveTheRoundTrip) {
  for (const double number : {0.1, 1e308, -2.5e-300, 3.0}) {
    const auto again = Value::FromJson(Value(number).ToJson());
    ASSERT_TRUE(again);
    ASSERT_NE(again->AsDouble(), nullptr) << number;
    EXPECT_EQ(*again->AsDouble(), number);
  }
}

TEST(Value, ErrorsHaveAPosition) {
  const auto value = Value::FromJson("{\n  \"a\": 1,\n  b: 2}");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(value.error().message, "invalid JSON at line 3, column 3");
}

TEST(Value, LimitsNesting) {
  const std::string text(100'000, '[');
  const auto value = Value::FromJson(text);
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("nested deeper"), std::string::npos);
}

TEST(Value, RejectsValuesItCannotRepresent) {
  const auto refused = [](const std::string& text, std::string_view why) {
    const auto value = Value::FromJson(text);
    ASSERT_FALSE(value) << text;
    EXPECT_NE(value.error().message.find(why), std::string::npos) << value.error().message;
  };
  refused("[9223372036854775808]", "the integer 9223372036854775808 does not fit in 64 bits");
  refused("[-9223372036854775809]", "the integer -9223372036854775809 does not fit in 64 bits");
  refused(std::string(300, '9'), "999… does not fit in 64 bits");
  refused(std::string(1000, '9'), "999… is out of range");
  refused(R"({"a": 1, "b": {"k": 1, "k": 1}})", "duplicate key \"k\"");
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"k" + std::to_string(i) + "\": 1,";
  EXPECT_TRUE(Value::FromJson(many + "\"k\": 1}"));
  refused(many + "\"k500\": 1}", "duplicate key \"k500\"");
  refused("[1e999]", "the number 1e999 is out of range");
  EXPECT_EQ(Value::FromJson("-9223372036854775808")->ToJson(), "-9223372036854775808");
  EXPECT_EQ(Value::FromJson("1e20")->ToJson(), "1e+20");
}

TEST(Value, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Value("a\xff"
                  "b")
                .ToJson(),
            "\"a\xEF\xBF\xBD"
            "b\"");
}

TEST(Value, BytesAreBase64InJson) {
  EXPECT_EQ(Value(Bytes("abc")).ToJson(), R"({"$bytes":"YWJj"})");
  EXPECT_EQ(Value(Value::List{Value::Content(Bytes("abc"))}).ToJson(true), "[\n  \"YWJj\"\n]");
  EXPECT_EQ(Value(Bytes("abc")), Value(Bytes("abc")));
  EXPECT_NE(Value(Bytes("abc")), Value(Bytes("abd")));
}

TEST(Value, MovedBytesAreEmpty) {
  Bytes bytes("abc");
  const Bytes taken = std::move(bytes);
  EXPECT_EQ(taken.view(), "abc");
  EXPECT_EQ(bytes.view(), "");  // NOLINT(bugprone-use-after-move)
}

TEST(Value, SetReplacesAMember) {
  Value value;
  value.Set("a", 1);
  value.Set("b", 2);
  value.Set("a", "three");
  EXPECT_EQ(value.ToJson(), R"({"a":"three","b":2})");
}

TEST(Value, RejectsTrailingText) { EXPECT_FALSE(Value::FromJson("1 2")); }

}  // namespace
}  // namespace kinetic
