#include "json/parse.h"
#include "support/damage.h"

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

TEST(Yaml, KeepsPositionsAndDuplicates) {
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

/// Returns the error with its position.
std::string Refusal(std::string_view text) {
  const auto node = ParseYaml(text);
  EXPECT_FALSE(node);
  if (node) return {};
  return Detail(node.error(), "line") + ":" + Detail(node.error(), "column") + ": " +
         node.error().message;
}

TEST(Yaml, RejectsTags) {
  EXPECT_EQ(Refusal("a: 1\nb: !!str 2\n"), "2:4: tag !!str is not supported; quote the text");
  EXPECT_EQ(Refusal("a: !mine {x: 1}"), "1:4: tag !mine is not supported; quote the text");
  for (const char* text : {"!!map {a: 1}", "!!seq [1]", "- !!null", "? !!str a\n: 1",
                           "a: !!int 'x'", "a: !<tag:example.org,2000:x> 1",
                           "!!python/object:os.system [ls]", "&a !!set {x}", "!!binary aGk="}) {
    EXPECT_NE(Refusal(text).find(" is not supported; quote the text"), std::string::npos) << text;
  }
  EXPECT_EQ(AsJson("[! 12, 'x', \"y\", !  z]"), R"(["12","x","y","z"])");
}

TEST(Yaml, LimitsTheParsersMemory) {
  const auto hostile = [](std::string_view piece) {
    std::string text;
    while (text.size() + piece.size() <= (4U << 20)) text += piece;
    return text;
  };
  for (const char* piece : {"[", "[\n", "{a: ", "[1,", "['x',", "[']',", "? ", "&a ", "! ", "[*a,",
                            "{", "a: [", "- [", "\"a\": [", "[# ]\n", "[[],"}) {
    const std::string text = hostile(piece);
    const long grown = test::PeakMemoryOf([&] { return !ParseYaml(text).has_value(); });
    ASSERT_GE(grown, 0) << piece;
    if (test::MemoryIsMeasurable()) {
      EXPECT_LE(grown, 200) << piece;
    }
  }
  EXPECT_EQ(Refusal(hostile("[\n")).substr(0, 47),
            "500001:1: more than 500000 brackets, commas and");
  const auto huge = ParseYaml(std::string(100U << 20, 'x'));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message, "the file has 104857600 bytes, expected at most 4194304");
}

TEST(Yaml, AliasCopiesItsAnchor) {
  EXPECT_EQ(AsJson("a: &x {k: [1]}\nb: *x\nc: &x 2\nd: *x\n"),
            R"({"a":{"k":[1]},"b":{"k":[1]},"c":2,"d":2})");
  EXPECT_NE(Refusal("a: *nowhere\n").find("anchor is not defined"), std::string::npos);
  EXPECT_NE(Refusal("a: &x [*x]\n").find("refers to a node that contains it"), std::string::npos);
  EXPECT_EQ(AsJson("a: &x {k: 1}\nb: {<<: *x}\n"), R"({"a":{"k":1},"b":{"<<":{"k":1}}})");
}

TEST(Yaml, SyntaxErrorsHaveAPosition) {
  const auto node = ParseYaml("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Detail(node.error(), "line").empty());
}

TEST(Yaml, RejectsASecondDocument) {
  const auto node = ParseYaml("a: 1\n---\nb: 2\n");
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("second document"), std::string::npos);
}

TEST(Yaml, EmptyTextIsNull) { EXPECT_EQ(AsJson(""), "null"); }

TEST(Yaml, RejectsALargeText) {
  const auto node = ParseYaml(std::string(5U << 20, ' '));
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("expected at most"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::json
