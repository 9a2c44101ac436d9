#include "json/document.h"

#include <gtest/gtest.h>

namespace kinetic::json {
namespace {

Value Parse(std::string_view text) {
  auto value = Value::FromJson(text);
  EXPECT_TRUE(value);
  return value ? *value : Value();
}

TEST(ObjectReader, ReadsEachType) {
  const Value value = Parse(R"({"s":"x","i":3,"b":true,"n":2,"l":[1],"m":{"k":1},"z":null})");
  ObjectReader reader(value, "thing");
  EXPECT_EQ(reader.String("s"), "x");
  EXPECT_EQ(reader.Int("i"), 3);
  EXPECT_TRUE(reader.Bool("b"));
  EXPECT_EQ(reader.Number("n"), 2.0);
  EXPECT_EQ(reader.List("l").size(), 1U);
  EXPECT_EQ(reader.Map("m").size(), 1U);
  EXPECT_EQ(reader.OptionalString("z"), std::nullopt);
  EXPECT_EQ(reader.OptionalInt("absent"), std::nullopt);
  EXPECT_TRUE(reader.Finish());
}

TEST(ObjectReader, ReportsTheFirstProblem) {
  const Value value = Parse(R"({"id":7})");
  ObjectReader reader(value, "record.json");
  EXPECT_EQ(reader.String("id"), "");
  EXPECT_EQ(reader.Int("count"), 0);
  const auto status = reader.Finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(status.error().message, "record.json: id: expected a string, found a number");
}

TEST(ObjectReader, NamesAMissingMember) {
  const Value value = Parse("{}");
  ObjectReader reader(value, "record.json");
  (void)reader.Bool("dirty");
  EXPECT_EQ(reader.Finish().error().message,
            "record.json: dirty: is missing, expected true or false");
}

TEST(ObjectReader, RejectsOtherTypes) {
  const Value value = Parse("[1]");
  const ObjectReader reader(value, "lock");
  EXPECT_EQ(reader.Finish().error().message, "lock: expected a map, found a list");
}

}  // namespace
}  // namespace kinetic::json
