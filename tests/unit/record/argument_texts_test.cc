#include "record/argument_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

TEST(ArgumentTexts, NamesAndValuesOfAFunction) {
  JobSpec spec;
  spec.function = {"train", "main"};
  spec.args.named = {
      {"epochs", Value(3)}, {"name", Value("cnn")}, {"sizes", Value(Value::List{1, 2})}};
  EXPECT_THAT(ArgumentTexts(spec), ElementsAre("epochs=3", "name=cnn", "sizes=[1,2]"));
  spec.args = {.positional = {Value(1), Value("a")}, .named = {}};
  EXPECT_THAT(ArgumentTexts(spec), ElementsAre("1", "a"));
}

TEST(ArgumentTexts, OptionsOfAProgramHaveTheirValues) {
  JobSpec spec;
  spec.run = Command{{}, {"python3", "-u", "train.py", "--lr", "0.1", "--fast", "--n=3", "out"}};
  EXPECT_THAT(ArgumentTexts(spec), ElementsAre("--lr 0.1", "--fast", "--n=3", "out"));
  spec.run = Command{{}, {"python3", "-m", "pkg.train", "-x"}};
  EXPECT_THAT(ArgumentTexts(spec), ElementsAre("-x"));
  spec.run = Command{{}, {"./tool"}};
  EXPECT_THAT(ArgumentTexts(spec), IsEmpty());
  spec.run = Command{"make data\nmake all\n", {}};
  EXPECT_THAT(ArgumentTexts(spec), ElementsAre("make data", "…"));
}

TEST(ArgumentTexts, ArraysHaveTypeAndShape) {
  JobSpec spec;
  spec.function = {"train", "main"};
  const Value array = NdArray<float>{std::vector<float>(6), {2, 3}};
  const Value read = *Value::FromJson(array.ToJson());
  const Value stored = Value::Map{{"$npy", Value::Map{{"$shared", std::string(64, 'a')}}}};
  spec.args.named = {{"x", read}, {"pair", Value(Value::List{array, 1})}, {"y", stored}};
  EXPECT_THAT(ArgumentTexts(spec),
              ElementsAre("x=float32[2,3]", "pair=[\"float32[2,3]\",1]", "y=array"));
}

TEST(ArgumentTexts, LongOnesAreShortened) {
  JobSpec spec;
  spec.args.named = {{"text", Value(std::string(90, 'x') + "ä" + std::string(5000, 'x'))}};
  const auto texts = ArgumentTexts(spec);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_LE(texts.front().size(), 110U);
  EXPECT_THAT(texts.front(), EndsWith("…"));
}

}  // namespace
}  // namespace kinetic::record
