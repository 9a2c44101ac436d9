#include "record/json_fields.h"

#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

TEST(EnumNamesTest, RoundTrip) {
  for (int i = 0; i <= static_cast<int>(JobState::kLost); ++i) {
    EXPECT_EQ(ParseJobState(Name(static_cast<JobState>(i))), static_cast<JobState>(i));
  }
  for (int i = 0; i <= static_cast<int>(Phase::kCollect); ++i) {
    EXPECT_EQ(ParsePhase(Name(static_cast<Phase>(i))), static_cast<Phase>(i));
  }
  for (const auto source : {ExitSource::kProgram, ExitSource::kException, ExitSource::kKinetic}) {
    EXPECT_EQ(ParseExitSource(Name(source)), source);
  }
  EXPECT_EQ(ParseJobState("Running"), std::nullopt);
  EXPECT_TRUE(IsTerminal(JobState::kLost));
  EXPECT_FALSE(IsTerminal(JobState::kRunning));
}

}  // namespace
}  // namespace kinetic::record
