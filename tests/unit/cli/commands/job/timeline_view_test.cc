#include "commands/job/timeline_view.h"

#include <gmock/gmock.h>

#include <chrono>

namespace kinetic::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

Time At(int second) { return Time(std::chrono::seconds(second)); }

JobTimeline SampleTimeline() {
  JobTimeline timeline{.id = "j", .state = JobState::kRunning, .spans = {}, .events = {}};
  timeline.spans = {{Phase::kPackage, 0, At(0), At(10), "2 files"},
                    {Phase::kQueue, 1, At(10), At(10), {}},
                    {Phase::kRun, 1, At(10), std::nullopt, {}}};
  timeline.events = {{"submitted", At(10), {}}, {"started", At(10), "on node-7"}};
  return timeline;
}

TEST(TimelineBars, HaveOneScaleAndAtLeastOneMark) {
  EXPECT_THAT(TimelineBars(SampleTimeline(), At(40), 8), ElementsAre("##", "  #", "  ######"));
}

TEST(TimelineBars, JobWithoutDuration) {
  JobTimeline timeline = SampleTimeline();
  timeline.spans.resize(1);
  timeline.events.clear();
  timeline.spans[0].ended = At(0);
  EXPECT_THAT(TimelineBars(timeline, At(0), 8), ElementsAre("#"));
}

TEST(TimelineLines, FitTerminal) {
  JobTimeline timeline = SampleTimeline();
  timeline.spans[0].detail = std::string(200, 'x');
  for (const std::size_t columns : {40U, 80U, 200U}) {
    for (const auto& line : TimelineLines(timeline, At(40), columns)) {
      EXPECT_LE(DisplayWidth(line), columns) << line;
    }
  }
  const auto lines = TimelineLines(timeline, At(40), 80);
  EXPECT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[1], StartsWith("code           0.00s      10s  ##"));
  EXPECT_THAT(lines[3], HasSubstr("in progress"));
}

TEST(TimelineLines, AttemptsAreNumberedIfThereAreSeveral) {
  JobTimeline timeline = SampleTimeline();
  timeline.spans.push_back({Phase::kRun, 2, At(30), At(31), {}});
  const auto lines = TimelineLines(timeline, At(40), 80);
  EXPECT_THAT(lines[1], StartsWith("code     "));
  EXPECT_THAT(lines[4], StartsWith("run 2 "));
}

TEST(TraceDocument, HasTracksAndEvents) {
  const Value document = TraceDocument(SampleTimeline(), At(40));
  const auto& events = *document.Find("traceEvents")->AsList();
  for (const Value& event : events) {
    EXPECT_NE(event.Find("ph"), nullptr);
    EXPECT_NE(event.Find("pid"), nullptr);
  }
  const std::string json = document.ToJson();
  EXPECT_THAT(json, HasSubstr(R"("name":"run","cat":"job","ph":"X","ts":10000000,"dur":30000000)"));
  EXPECT_THAT(json, HasSubstr(R"("name":"started","cat":"event","ph":"i","s":"t","ts":10000000)"));
}

TEST(TimelineDocument, UnknownTimesAreNull) {
  const std::string json = TimelineDocument(SampleTimeline(), At(40)).ToJson();
  EXPECT_THAT(json, HasSubstr(R"("phase":"run","attempt":1,"begun":"1970-01-01T00:00:10.000Z",)"
                              R"("ended":null,"seconds":30)"));
  EXPECT_THAT(json, HasSubstr(R"("phase":"package","attempt":null)"));
}

}  // namespace
}  // namespace kinetic::cli
