#include "commands/tasks/task_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace kinetic::cli {
namespace {

using ::testing::ElementsAre;

TEST(TaskNumbersTest, NumbersAndRanges) {
  EXPECT_THAT(ParseTaskNumbers("3").value(), ElementsAre(3));
  EXPECT_THAT(ParseTaskNumbers("12,3-5").value(), ElementsAre(3, 4, 5, 12));
  EXPECT_THAT(ParseTaskNumbers("4-4,4").value(), ElementsAre(4));
}

TEST(TaskNumbersTest, HugeRangesKeepTheLastNumber) {
  const auto numbers = ParseTaskNumbers("0-4000000000").value();
  EXPECT_LE(numbers.size(), 100'001U);
  EXPECT_EQ(numbers.back(), 4'000'000'000U);
}

TEST(TaskNumbersTest, OtherTextsAreErrors) {
  for (const char* text :
       {"", ",", "1,", ",1", "a", "1-", "-1", "3-2", "1.5", " 1", "1,,2", "5000000000"})
    EXPECT_FALSE(ParseTaskNumbers(text)) << text;
}

TEST(TaskNumbersTest, IdsOfTasks) {
  EXPECT_EQ(ShownId("sweep-7/tasks/000003"), "sweep-7 task 3");
  EXPECT_EQ(IdWords("sweep-7/tasks/000003"), "sweep-7 --task 3");
  EXPECT_EQ(ShownId("sweep-7"), "sweep-7");
}

}  // namespace
}  // namespace kinetic::cli
