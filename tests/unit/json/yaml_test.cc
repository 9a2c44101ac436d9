#include "json/yaml.h"

#include <gtest/gtest.h>

namespace kinetic::json {
namespace {

std::string AsJson(std::string_view text) {
  const auto node = ParseYaml(text);
  EXPECT_TRUE(node) << (node ? "" : node.error().message);
  return node ? ToValue(*node).ToJson() : std::string();
}

std::string Detail(const Error& error, std::string_view key) {
  for (const auto& [name, value] : error.details) {
    if (name == key) return value;
  }
  return {};
}

TEST(Yaml, FollowsTheCoreSchema) {
  EXPECT_EQ(AsJson("{a: 1, b: 1.5, c: yes, d: true, e: ~, f: '1', g: 0x10, h: 0o17, i: 1.10.2}"),
            R"({"a":1,"b":1.5,"c":"yes","d":true,"e":null,"f":"1","g":16,"h":15,"i":"1.10.2"})");
  EXPECT_EQ(AsJson("[1e3, -2, +3, '', 12e, -, e5, 99999999999999999999]"),
            R"([1000.0,-2,3,"","12e","-","e5",1e+20])");
}

TEST(Yaml, KeepsPlacesAndDuplicates) {
  const auto node = ParseYaml("a: 1\nb:\n  - x\n  - y\na: 2\n");
  ASSERT_TRUE(node);
  ASSERT_EQ(node->members.size(), 3U);
  EXPECT_EQ(node->members[2].key.text, "a");
  EXPECT_EQ(node->members[2].key.line, 5);
  EXPECT_EQ(node->members[1].value.items[1].line, 4);
  EXPECT_EQ(node->members[1].value.items[1].column, 5);
}

TEST(Yaml, ExpandsAliasesWithinTheLimit) {
  EXPECT_EQ(AsJson("a: &x [1, 2]\nb: *x\n"), R"({"a":[1,2],"b":[1,2]})");
}

TEST(Yaml, StopsABillionLaughs) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) text += ", " + before;
    text += "]\n";
  }
  const auto node = ParseYaml(text);
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("more than 1000000 values"), std::string::npos);
}

TEST(Yaml, StopsDeepNesting) {
  const auto node = ParseYaml(std::string(5000, '['));
  ASSERT_FALSE(node);
}

TEST(Yaml, ASyntaxErrorSaysWhere) {
  const auto node = ParseYaml("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Detail(node.error(), "line").empty());
}

TEST(Yaml, RefusesASecondDocument) {
  const auto node = ParseYaml("a: 1\n---\nb: 2\n");
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("second document"), std::string::npos);
}

TEST(Yaml, NothingIsNull) { EXPECT_EQ(AsJson(""), "null"); }

TEST(Yaml, RefusesALargeText) {
  const auto node = ParseYaml(std::string(5U << 20, ' '));
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("expected at most"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::json
