#include "provision/includes.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::provision {
namespace {

bool Included(const std::string& resource, const std::string& fields) {
  return Includes(Value::FromJson(resource).value(), Value::FromJson(fields).value());
}

TEST(Includes, IgnoresOrderAndAdditionsOfFields) {
  EXPECT_TRUE(
      Included(R"({"b": [{"d": "x", "c": 1}], "a": true})", R"({"b": [{"c": 1, "d": "x"}]})"));
  EXPECT_TRUE(Included("{}", "{}"));
}

TEST(Includes, FindsDifferences) {
  EXPECT_FALSE(Included(R"({"a": 1})", R"({"a": 2})"));
  EXPECT_FALSE(Included(R"({"a": 1})", R"({"b": 1})"));
  EXPECT_FALSE(Included(R"({"a": ["x", "y"]})", R"({"a": ["x"]})"));
  EXPECT_FALSE(Included(R"({"a": ["x", "y"]})", R"({"a": ["y", "x"]})"));
  EXPECT_FALSE(Included(R"({"a": {}})", R"({"a": []})"));
  EXPECT_FALSE(Included(R"("a")", R"({"a": 1})"));
}

}  // namespace
}  // namespace kinetic::provision
