#include "job/compare_jobs.h"

#include "base/hash/digest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bundle::TreeEntry File(const std::string& path, const std::string& content) {
  bundle::TreeEntry entry;
  entry.path = path;
  entry.content = Sha256::Of(content);
  entry.size_bytes = content.size();
  return entry;
}

bundle::Tree TreeOf(std::vector<bundle::TreeEntry> entries) {
  bundle::Tree tree;
  tree.entries = std::move(entries);
  return tree;
}

std::vector<std::string> Texts(const std::vector<JobDifference::File>& files) {
  std::vector<std::string> texts;
  for (const auto& file : files) {
    texts.push_back(fmt::format("{} {} {} {}", static_cast<int>(file.kind), file.path,
                                file.bytes_before, file.bytes_now));
  }
  return texts;
}

TEST(CompareTrees, FindsAddedRemovedAndModifiedFiles) {
  const auto before = TreeOf({File("a", "1"), File("b", "22"), File("d", "4"), File("e", "5")});
  auto mode = File("e", "5");
  mode.executable = true;
  const auto now = TreeOf({File("b", "333"), File("c", "3"), File("d", "4"), mode});
  EXPECT_THAT(Texts(CompareTrees(before, now)),
              ElementsAre("1 a 1 0", "2 b 2 3", "0 c 0 1", "2 e 1 1"));
  EXPECT_THAT(Texts(CompareTrees(now, TreeOf({}))),
              ElementsAre("1 b 3 0", "1 c 1 0", "1 d 1 0", "1 e 1 0"));
  EXPECT_THAT(CompareTrees(now, now), IsEmpty());
}

JobTimeline TimelineOf(std::vector<TimelineSpan> spans) {
  return {.id = "j", .state = JobState::kSucceeded, .spans = std::move(spans), .events = {}};
}

TEST(CompareDurations, AddsAttemptsAndSkipsOpenPhases) {
  const auto at = [](int second) { return WallTime(std::chrono::seconds(second)); };
  const auto durations = CompareDurations(
      TimelineOf({{Phase::kRun, 1, at(0), at(2), {}}, {Phase::kRun, 2, at(5), at(6), {}}}),
      TimelineOf({{Phase::kQueue, 1, at(0), at(1), {}},
                  {Phase::kRun, 1, at(1), std::nullopt, {}},
                  {Phase::kCollect, 1, at(3), std::nullopt, {}}}));
  ASSERT_EQ(durations.size(), 2U);
  EXPECT_EQ(durations[0].phase, Phase::kQueue);
  EXPECT_FALSE(durations[0].before);
  EXPECT_EQ(durations[0].now, std::chrono::seconds(1));
  EXPECT_EQ(durations[1].phase, Phase::kRun);
  EXPECT_EQ(durations[1].before, std::chrono::seconds(3));
  EXPECT_FALSE(durations[1].now);
}

}  // namespace
}  // namespace kinetic::job
