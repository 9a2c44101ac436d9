#include "jobspec/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::jobspec {
namespace {

using testing::HasSubstr;

JobSpec Over(Value::List entries) {
  JobSpec spec;
  spec.array = ArraySpec{.count = static_cast<std::uint32_t>(entries.size()),
                         .over = Value(std::move(entries))};
  return spec;
}

TEST(ArgumentsOfTaskTest, NamedOnesAreAddedAndReplaced) {
  JobSpec spec = Over({Value(Value::Map{{"lr", 0.1}, {"seed", 2}})});
  spec.args.named = {{"seed", Value(1)}, {"steps", Value(10)}};
  const auto args = ArgumentsOfTask(spec, 0);
  ASSERT_TRUE(args) << args.error().message;
  EXPECT_EQ(args->named, (Value::Map{{"seed", 2}, {"steps", 10}, {"lr", 0.1}}));
}

TEST(ArgumentsOfTaskTest, OtherEntriesArePositional) {
  const JobSpec spec = Over(
      {Value(7), Value(Value::List{Value(1), Value(2)}), Value(Value::Map{{"$path", "data/x"}})});
  EXPECT_EQ(ArgumentsOfTask(spec, 0)->positional, Value::List{Value(7)});
  EXPECT_EQ(ArgumentsOfTask(spec, 1)->positional, (Value::List{Value(1), Value(2)}));
  EXPECT_EQ(ArgumentsOfTask(spec, 2)->positional,
            Value::List{Value(Value::Map{{"$path", "data/x"}})});
}

TEST(ArgumentsOfTaskTest, CountRepeatsTheArguments) {
  JobSpec spec;
  spec.args.positional = {Value(1)};
  spec.array = ArraySpec{.count = 5};
  EXPECT_EQ(ArgumentsOfTask(spec, 4)->positional, Value::List{Value(1)});
}

TEST(ArgumentsOfTaskTest, NamedAndPositionalCannotBeMixed) {
  JobSpec spec = Over({Value(7), Value(Value::Map{{"lr", 1}})});
  spec.args.named = {{"seed", Value(1)}};
  EXPECT_THAT(ArgumentsOfTask(spec, 0).error().message, HasSubstr("task 0 are positional"));
  spec.args = {};
  spec.args.positional = {Value(1)};
  EXPECT_THAT(ArgumentsOfTask(spec, 1).error().message, HasSubstr("task 1 are named"));
}

}  // namespace
}  // namespace kinetic::jobspec
