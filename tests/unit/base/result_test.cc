#include "kinetic/result.h"

#include "kinetic/exceptions.h"
#include "kinetic/try.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

const Failure kMissing = Fail(ErrorCode::kNotFound, "job k-1 does not exist", "list the jobs");

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(ErrorCode::kInvalidArgument, "odd");
  return number / 2;
}

Result<std::vector<std::string>> Names() { return std::vector<std::string>(100, "a longer name"); }

TEST(ResultTest, ChainsResults) {
  EXPECT_EQ(*Half(8).and_then(Half).and_then(Half), 1);
  EXPECT_EQ(Half(6).and_then(Half).error().message, "odd");
  EXPECT_EQ(Half(1).and_then([](int) { return Names(); }).error().message, "odd");
  EXPECT_TRUE(Half(2).and_then([](int) { return Status(); }));
}

TEST(ResultTest, ChainsStatus) {
  EXPECT_EQ(*Status().and_then([] { return Half(4); }), 2);
  EXPECT_EQ(*Status().transform([] { return 3; }), 3);
  EXPECT_EQ(Status(kMissing).transform([] { return 3; }).error(), kMissing.error());
  int calls = 0;
  EXPECT_TRUE(Half(2).transform([&](int) { ++calls; }));
  EXPECT_FALSE(Half(1).transform([&](int) { ++calls; }));
  EXPECT_EQ(calls, 1);
}

TEST(ResultTest, TransformsValuesAndMembers) {
  const Result<std::string> text = "abc";
  EXPECT_EQ(*text.transform(&std::string::size), 3U);
  EXPECT_EQ(*text.transform([](const std::string& value) { return value + "d"; }), "abcd");
  EXPECT_EQ(*text, "abc");
}

TEST(ResultTest, MovesValuesThatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); };
  const auto pass = [](std::unique_ptr<int> value) -> Result<std::unique_ptr<int>> {
    return value;
  };
  EXPECT_EQ(**make().and_then(pass), 3);
  EXPECT_EQ(*make().transform([](std::unique_ptr<int> value) { return *value; }), 3);
  EXPECT_EQ(**make().or_else([](Error error) { return Failure(std::move(error)); }), 3);
  EXPECT_EQ(*std::make_unique<int>(*make().value()), 3);
}

TEST(ResultTest, ReplacesErrors) {
  EXPECT_EQ(*Half(1).or_else([](const Error&) { return Half(6); }), 3);
  EXPECT_EQ(*Half(1).or_else([](const Error&) { return 7; }), 7);
  EXPECT_EQ(*Half(2).or_else([](const Error&) { return 7; }), 1);
  EXPECT_TRUE(Status(kMissing).or_else([](const Error&) { return Status(); }));
  const auto name = [](Error error) { return std::move(error).Context("step 1"); };
  EXPECT_EQ(Half(1).map_error(name).error().message, "step 1: odd");
  EXPECT_EQ(*Half(2).map_error(name), 1);
}

TEST(ResultTest, ValueThrowsTheError) {
  try {
    (void)Result<int>(kMissing).value();
    FAIL() << "did not throw";
  } catch (const ErrorException& thrown) {
    EXPECT_EQ(thrown.error(), kMissing.error());
    EXPECT_EQ(std::string(thrown.what()), "job k-1 does not exist");
  }
  EXPECT_THROW(Status(kMissing).value(), ErrorException);
  EXPECT_EQ(Half(4).value(), 2);
  Status().value();
}

// A reference into the temporary Result would be read after its end, which sanitizers report.
TEST(ResultTest, RangeOfTemporaryIsAlive) {
  std::size_t bytes = 0;
  for (const auto& name : *Names()) bytes += name.size();
  for (const auto& name : Names().value()) bytes += name.size();
  EXPECT_EQ(bytes, 2600U);
  static_assert(std::is_same_v<decltype(*Names()), std::vector<std::string>>);
  static_assert(std::is_same_v<decltype(Names().value()), std::vector<std::string>>);
}

TEST(ResultTest, ChangesBetweenValueAndError) {
  Result<std::string> result = "text";
  result = kMissing;
  EXPECT_EQ(result.error().message, "job k-1 does not exist");
  result = Result<std::string>("other");
  EXPECT_EQ(*result, "other");
  EXPECT_EQ(result, Result<std::string>("other"));
  EXPECT_NE(result, Result<std::string>(kMissing));
  EXPECT_EQ(Result<std::string>(kMissing).value_or("none"), "none");
  const Result<std::shared_ptr<const int>> converted =
      Result<std::shared_ptr<int>>(std::make_shared<int>(3));
  EXPECT_EQ(**converted, 3);
}

TEST(ResultDeathTest, EndsTheProgramWithTheCall) {
  const Result<std::string> error = kMissing;
  EXPECT_DEATH((void)*error,
               "called operator\\* of a Result that contains an error: NOT_FOUND: job");
  EXPECT_DEATH((void)error->size(), "called operator-> of a Result that contains an error");
  EXPECT_DEATH(*Status(kMissing), "called operator\\* of a Result that contains an error");
  EXPECT_DEATH((void)Half(2).error(), "called error\\(\\) of a Result that contains no error");
  EXPECT_DEATH((void)Status().error(), "called error\\(\\) of a Result that contains no error");
}

Result<std::pair<int, int>> TwoHalves(int a, int b) {
  KINETIC_ASSIGN_OR_RETURN(const int first, Half(a));
  KINETIC_ASSIGN_OR_RETURN(int second, Half(b));
  return std::pair<int, int>{first, second};
}

Result<int> Sum(int a, int b) {
  KINETIC_ASSIGN_OR_RETURN((const auto [first, second]), TwoHalves(a, b));
  KINETIC_RETURN_IF_ERROR((Result<std::pair<int, int>>(std::pair<int, int>(1, 2))));
  KINETIC_ASSIGN_OR_RETURN(const auto same, Result<std::pair<int, int>>(std::pair(first, second)));
  return same.first + same.second;
}

TEST(TryTest, AssignsSeveralOnOneLineAndBindings) {
  EXPECT_EQ(*Sum(4, 6), 5);
  EXPECT_EQ(Sum(4, 5).error().message, "odd");
}

}  // namespace
}  // namespace kinetic
