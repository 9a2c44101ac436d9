#include "commands/value/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Value& Sample() {
  static const Value sample = *Value::FromJson(R"({
    "metrics": {"w": {"$array": {"$ref": "aa"}}, "loss": 0.5},
    "history": [{"loss": 1}, {"loss": 2}],
    "pair": {"$tuple": [1, {"$tuple": [2]}]},
    "point": {"$namedtuple": {"type": "P", "fields": {"x": 7}}},
    "run": {"$dataclass": {"type": "R", "fields": {"w": {"$array": {"$ref": "bb"}}}}},
    "half": {"$typed": {"type": "ml_dtypes.bfloat16", "value": {"$array": {"$ref": "cc"}}}},
    "counts": {"$typed": {"type": "collections.Counter", "value": {"a": 1}}}
  })");
  return sample;
}

std::string Part(std::string_view path) {
  const auto part = FindPart(Sample(), path);
  return part ? (*part)->ToJson() : part.error().message + " (" + part.error().hint + ")";
}

TEST(ValueParts, FindsAPart) {
  EXPECT_EQ(Part("metrics.loss"), "0.5");
  EXPECT_EQ(Part("$.metrics.loss"), "0.5");
  EXPECT_EQ(Part("history[1].loss"), "2");
  EXPECT_EQ(Part("history[-2]"), R"({"loss":1})");
  EXPECT_EQ(Part("pair[1][0]"), "2");
  EXPECT_EQ(Part("point.x"), "7");
  EXPECT_EQ(Part("counts.a"), "1");
  EXPECT_EQ(Part("run.w"), R"({"$array":{"$ref":"bb"}})");
  EXPECT_EQ(Part("$"), Sample().ToJson());
}

TEST(ValueParts, ReportsAMissingPart) {
  EXPECT_EQ(Part("metrics.los"), "the value has no part 'metrics.los' (its parts are: w, loss)");
  EXPECT_EQ(Part("history[2]"), "the value has no part 'history[2]' (the list has 2 items)");
  EXPECT_THAT(Part("metrics.loss.x"), HasSubstr("neither an object nor a list"));
  EXPECT_THAT(Part("history[x]"), HasSubstr("expected a number in brackets"));
  EXPECT_THAT(Part("history["), HasSubstr("expected a number in brackets"));
}

TEST(ValueParts, DistinguishesDigestsFromPaths) {
  EXPECT_TRUE(IsDigest(std::string(64, 'a')));
  EXPECT_TRUE(IsDigest("sha256:" + std::string(64, '0')));
  EXPECT_FALSE(IsDigest("metrics.w"));
  EXPECT_FALSE(IsDigest(std::string(64, 'w')));
}

TEST(ValueParts, TuplesAreShownAsLists) {
  EXPECT_EQ(Displayed(*Sample().Find("pair")).ToJson(), "[1,[2]]");
  EXPECT_EQ(Displayed(*Sample().Find("counts")).ToJson(), R"({"a":1})");
  EXPECT_EQ(Displayed(*Sample().Find("metrics")), *Sample().Find("metrics"));
}

TEST(ValueParts, DigestIsShownOnce) {
  const auto array = [](std::string sha256) {
    return Value(Value::Map{
        {"$array",
         Value::Map{{"$ref", "4f1c"}, {"sha256", std::move(sha256)}, {"dtype", "int8"}}}});
  };
  EXPECT_EQ(Displayed(array("4f1c")).ToJson(), R"({"$array":{"$ref":"4f1c","dtype":"int8"}})");
  EXPECT_EQ(Displayed(array("other")), array("other"));
}

TEST(ValueParts, ListsArrays) {
  std::vector<std::string> paths;
  for (const auto& [path, array] : ArraysOf(Sample())) paths.push_back(path);
  EXPECT_THAT(paths, ElementsAre("metrics.w", "run.w", "half"));
  EXPECT_EQ(ArraysOf(*Sample().Find("run")->Find("$dataclass")->Find("fields")->Find("w"))[0].first,
            "");
}

}  // namespace
}  // namespace kinetic::cli
