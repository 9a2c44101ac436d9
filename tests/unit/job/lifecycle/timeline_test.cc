#include "job/lifecycle/timeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;

WallTime At(int second) { return WallTime(std::chrono::seconds(second)); }

/// Returns spans as "run 2: 10-15 (peak memory)".
std::vector<std::string> Texts(const JobTimeline& timeline) {
  std::vector<std::string> texts;
  const auto second_of = [](WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  };
  for (const auto& span : timeline.spans) {
    texts.push_back(fmt::format("{} {}: {}-{}{}", Name(span.phase), span.attempt,
                                second_of(span.begun),
                                span.ended ? std::to_string(second_of(*span.ended)) : "",
                                span.detail.empty() ? "" : " (" + span.detail + ")"));
  }
  return texts;
}

record::Record RecordAt(int created) {
  record::Record record;
  record.id = "j";
  record.created = At(created);
  return record;
}

TEST(Timeline, LocalJobWithPhasesOfClient) {
  record::Record record = RecordAt(10);
  record.preparation = {{Phase::kPackage, At(2), At(4), "2 files"},
                        {Phase::kBuild, At(1), At(9), "built"}};
  const auto timeline = MakeTimeline({.record = record,
                                      .moments = {{"dequeued", At(12), {}},
                                                  {"unpacked", At(13), "2 files"},
                                                  {"claimed", At(14), {}},
                                                  {"started", At(15), {}},
                                                  {"returned", At(19), {}},
                                                  {"ended", At(20), "peak memory 1 MiB"},
                                                  {"collected", At(21), "0 files"},
                                                  {"unknown", At(21), {}},
                                                  {"finished", At(22), {}}},
                                      .state = JobState::kSucceeded});
  EXPECT_THAT(Texts(timeline),
              ElementsAre("build 0: 1-9 (built)", "package 0: 2-4 (2 files)", "queue 1: 10-12",
                          "pull 1: 12-14 (2 files)", "start 1: 14-15",
                          "run 1: 15-20 (peak memory 1 MiB)", "collect 1: 20-22 (0 files)"));
  EXPECT_EQ(timeline.events.size(), 10U);
  EXPECT_EQ(timeline.events.front().name, "submitted");
}

TEST(Timeline, JobCancelledInQueue) {
  const record::Record record = RecordAt(0);
  const auto timeline =
      MakeTimeline({.record = record,
                    .moments = {{"collected", At(9), "0 files"}, {"finished", At(9), {}}},
                    .state = JobState::kCancelled});
  EXPECT_THAT(Texts(timeline), ElementsAre("queue 1: 0-9", "collect 1: 9-9"));
}

TEST(Timeline, LostJobWithoutEvents) {
  const record::Record record = RecordAt(0);
  const auto timeline = MakeTimeline(
      {.record = record, .moments = {{"finished", At(9), {}}}, .state = JobState::kLost});
  EXPECT_THAT(Texts(timeline), ElementsAre("collect 1: 0-9"));
}

TEST(Timeline, RetriedJob) {
  const record::Record record = RecordAt(0);
  const auto timeline = MakeTimeline({.record = record,
                                      .moments = {{"dequeued", At(1), {}},
                                                  {"claimed", At(2), {}},
                                                  {"started", At(3), {}},
                                                  {"ended", At(5), {}},
                                                  {"retried", At(6), "exited with code 3"},
                                                  {"claimed", At(7), {}},
                                                  {"started", At(8), {}}},
                                      .state = JobState::kRunning,
                                      .phase = Phase::kRun});
  EXPECT_THAT(Texts(timeline), ElementsAre("queue 1: 0-1", "pull 1: 1-2", "start 1: 2-3",
                                           "run 1: 3-5", "collect 1: 5-6 (exited with code 3)",
                                           "pull 2: 6-7", "start 2: 7-8", "run 2: 8-"));
}

TEST(Timeline, PodWithEventsOfCluster) {
  const record::Record record = RecordAt(5);
  const auto timeline = MakeTimeline({.record = record,
                                      .moments = {{"created", At(4), {}},  // whole seconds
                                                  {"admitted", At(7), {}},
                                                  {"scheduled", At(30), "node-7"},
                                                  {"pulling", At(31), {}},
                                                  {"pulled", At(50), "in 19s"},
                                                  {"collector started", At(51), {}},
                                                  {"claimed", At(52), {}},
                                                  {"unpacked", At(53), "2 files"},
                                                  {"started", At(54), {}}},
                                      .state = JobState::kRunning,
                                      .phase = Phase::kRun});
  EXPECT_THAT(Texts(timeline),
              ElementsAre("submit 1: 5-5", "queue 1: 5-7", "provision 1: 7-30 (node-7)",
                          "pull 1: 30-50 (in 19s)", "start 1: 50-52", "pull 1: 52-53 (2 files)",
                          "start 1: 53-54", "run 1: 54-"));
}

TEST(Timeline, PodThatClusterDeleted) {
  const record::Record record = RecordAt(5);
  const auto timeline = MakeTimeline(
      {.record = record,
       .moments = {{"claimed", At(52), {}}, {"unpacked", At(53), {}}, {"started", At(54), {}}},
       .state = JobState::kLost});
  EXPECT_THAT(Texts(timeline), ElementsAre("queue 1: 5-52", "pull 1: 52-53", "start 1: 53-54"));
}

TEST(Timeline, JobThatWaits) {
  const record::Record record = RecordAt(5);
  const auto timeline = MakeTimeline({.record = record, .moments = {}, .state = JobState::kQueued});
  EXPECT_THAT(Texts(timeline), ElementsAre("queue 1: 5-"));
}

}  // namespace
}  // namespace kinetic::job
