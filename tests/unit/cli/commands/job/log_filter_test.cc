#include "commands/job/log_filter.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::cli {
namespace {

TEST(LogFilter, MatchesExtendedExpressions) {
  const auto pattern = Pattern::Parse("^loss [0-9]+$|err");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->IsIn("loss 12\n"));
  EXPECT_TRUE(pattern->IsIn("an error"));
  EXPECT_FALSE(pattern->IsIn("loss 1.2\n"));
  EXPECT_FALSE(pattern->IsIn(""));
}

TEST(LogFilter, MatchesLongAndBinaryLines) {
  const auto pattern = Pattern::Parse("(a|b)*end");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->IsIn(std::string(1 << 20, 'a') + "end"));
  EXPECT_TRUE(Pattern::Parse("end")->IsIn(std::string("x\0end", 5)));
}

TEST(LogFilter, RejectsInvalidExpressions) { EXPECT_FALSE(Pattern::Parse("(")); }

TEST(LogFilter, SelectsByTime) {
  const std::chrono::system_clock::time_point noon{std::chrono::hours(12)};
  LogFilter filter;
  EXPECT_FALSE(filter.IsGiven());
  filter.since = noon;
  filter.until = noon + std::chrono::hours(1);
  EXPECT_TRUE(filter.IsGiven());
  EXPECT_FALSE(filter.Matches({.time = noon - std::chrono::seconds(1)}));
  EXPECT_TRUE(filter.Matches({.time = noon}));
  EXPECT_FALSE(filter.Matches({.time = noon + std::chrono::hours(2)}));
}

}  // namespace
}  // namespace kinetic::cli
