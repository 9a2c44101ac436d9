#include "backend/local/target.h"

#include <gtest/gtest.h>

namespace kinetic::backend {
namespace {

Observation Shown(JobState state, Phase phase, std::string reason = {}) {
  return {.status = {.id = "a", .state = state, .phase = phase, .reason = std::move(reason)},
          .alive = true};
}

TEST(LocalExplain, CountsJobsAhead) {
  const Explanation explanation =
      ExplainLocal(Shown(JobState::kQueued, Phase::kQueue, "waiting for 2 jobs"));
  EXPECT_EQ(explanation.cause, Cause::kJobsAhead);
  EXPECT_EQ(explanation.headline, "waiting for 2 jobs");
  ASSERT_EQ(explanation.evidence.size(), 1U);
  EXPECT_EQ(explanation.evidence[0].text, "waiting for 2 jobs");
  EXPECT_FALSE(explanation.final);
}

TEST(LocalExplain, ReportsUnavailableStoreInAnyState) {
  const std::string reason = "waiting for the store: writing /mnt/x: no space left";
  for (const JobState state : {JobState::kQueued, JobState::kPending, JobState::kRunning}) {
    const Explanation explanation = ExplainLocal(Shown(state, Phase::kRun, reason));
    EXPECT_EQ(explanation.cause, Cause::kStoreUnavailable);
    EXPECT_EQ(explanation.headline, reason);
    EXPECT_EQ(explanation.state, state);
  }
}

TEST(LocalExplain, ExplainsEachState) {
  EXPECT_EQ(ExplainLocal(Shown(JobState::kQueued, Phase::kQueue)).cause, Cause::kStarting);
  const Explanation fetching = ExplainLocal(Shown(JobState::kPending, Phase::kPull, "fetching"));
  EXPECT_EQ(fetching.cause, Cause::kStarting);
  EXPECT_EQ(fetching.headline, "fetching");
  EXPECT_EQ(ExplainLocal(Shown(JobState::kRunning, Phase::kRun)).cause, Cause::kRunning);
  EXPECT_EQ(ExplainLocal(Shown(JobState::kRunning, Phase::kCollect, "collecting")).cause,
            Cause::kCollecting);
  EXPECT_EQ(ExplainLocal(Shown(JobState::kFailed, Phase::kRun, "x")).cause, Cause::kCollecting)
      << "its result is not in the store yet";
}

TEST(LocalExplain, ReportsDeadSupervisor) {
  Observation observation = Shown(JobState::kRunning, Phase::kRun);
  observation.alive = false;
  const Explanation explanation = ExplainLocal(observation);
  EXPECT_EQ(explanation.cause, Cause::kLost);
  EXPECT_TRUE(explanation.final);
}

}  // namespace
}  // namespace kinetic::backend
