#include "record/passed_function.h"

#include "record/argument_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::ElementsAre;

JobSpec PassedFunction() {
  JobSpec spec;
  spec.function = {"_kinetic_pickled", "call"};
  spec.args.named = {{"name", "__main__:Trainer.fit"},
                     {"function", "a pickle"},
                     {"positional", Value::List{1, "a"}},
                     {"named", Value::Map{{"epochs", 3}}}};
  return spec;
}

TEST(PassedFunction, HasItsOwnNameAndArguments) {
  const JobSpec spec = AsWritten(PassedFunction());
  EXPECT_EQ(spec.function, (FunctionReference{"__main__", "Trainer.fit"}));
  EXPECT_THAT(spec.args.positional, ElementsAre(Value(1), Value("a")));
  EXPECT_EQ(spec.args.named, (Value::Map{{"epochs", 3}}));
  EXPECT_THAT(ArgumentTexts(PassedFunction()), ElementsAre("1", "a", "epochs=3"));
}

TEST(PassedFunction, TasksHaveTheirOwnArguments) {
  JobSpec spec = PassedFunction();
  const auto set = [](Value::List positional, Value::Map named) {
    return Value::Map{{"positional", std::move(positional)}, {"named", std::move(named)}};
  };
  spec.array.emplace().over =
      Value::List{set({1}, {}), set({}, {{"x", 2}}), set({1}, {{"x", 2}}), "damaged"};
  const Value expected =
      Value::List{Value::List{1}, Value::Map{{"x", 2}},
                  Value::Map{{"positional", Value::List{1}}, {"x", 2}}, "damaged"};
  EXPECT_EQ(AsWritten(spec).array->over, expected);
}

TEST(PassedFunction, RecordsWithoutNameOrArgumentsAreReadable) {
  JobSpec spec = PassedFunction();
  spec.args.named = {{"function", "a pickle"}, {"positional", 7}};
  const JobSpec written = AsWritten(spec);
  EXPECT_EQ(written.function, spec.function);
  EXPECT_EQ(written.args, Arguments());
}

TEST(PassedFunction, OtherJobsAreUnchanged) {
  JobSpec spec = PassedFunction();
  spec.function->module = "train";
  EXPECT_EQ(AsWritten(spec), spec);
  EXPECT_EQ(PassedArguments(spec), std::nullopt);
}

}  // namespace
}  // namespace kinetic::record
