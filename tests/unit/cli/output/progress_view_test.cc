#include "output/terminal_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ProgressView::Time kStart{seconds(1'200)};
constexpr std::size_t kWide = 100;

TEST(ProgressView, IsEmptyBeforeAndAfter) {
  ProgressView view({});
  EXPECT_THAT(view.Lines(kStart, kWide), IsEmpty());
  view.Begin(Phase::kBuild, "installing 3 packages", kStart);
  EXPECT_THAT(view.Lines(kStart + seconds(4), kWide),
              ElementsAre("| build      installing 3 packages  4.0s"));
  EXPECT_EQ(view.End(Phase::kBuild, "3 packages", kStart + seconds(65), kWide),
            "+ build      3 packages  1m 5s");
  EXPECT_THAT(view.Lines(kStart, kWide), IsEmpty());
}

TEST(ProgressView, ShowsMetricsBeforeTheFollowedJob) {
  ProgressView view({});
  EXPECT_EQ(view.MetricsEnd(kWide), std::nullopt);
  view.Follow("k-1  Ctrl-C detaches", kStart);
  view.Add({{"loss", 2.5}, {"step", 1}});
  view.Add({{"loss", 1.5}, {"step", 2}});
  EXPECT_THAT(view.Lines(kStart + seconds(4), kWide),
              ElementsAre("| 4.0s  step 2  loss 1.5  k-1  Ctrl-C detaches"));
  EXPECT_THAT(view.Lines(kStart + seconds(4), 16), ElementsAre("| 4.0s  step ..."));
  EXPECT_EQ(view.MetricsEnd(kWide), "  run        step 2  loss 1.5");
  EXPECT_EQ(view.MetricsEnd(20), "  run        step 2");
}

TEST(ProgressView, ShowsSparklines) {
  ProgressView view({.unicode = true});
  view.Follow("k-1", kStart);
  view.Add({{"loss", 2.5}});
  view.Add({{"loss", 1.5}});
  EXPECT_THAT(view.Lines(kStart, kWide), ElementsAre(HasSubstr("loss 1.5 █▁  k-1")));
}

TEST(ProgressView, OutputOfTheJobEndsEarlierPhases) {
  ProgressView view({});
  view.Begin(Phase::kStart, "", kStart);
  EXPECT_THAT(view.EndBeforeRun(kStart + seconds(2), kWide), ElementsAre("+ start        2.0s"));
  view.Begin(Phase::kStart, "late", kStart);
  EXPECT_THAT(view.Lines(kStart, kWide), IsEmpty());
  EXPECT_EQ(view.End(Phase::kStart, "", kStart + seconds(4), kWide), std::nullopt);
  view.Begin(Phase::kStart, "second attempt", kStart);
  EXPECT_THAT(view.Lines(kStart, kWide), Not(IsEmpty()));
}

TEST(ProgressView, TheSpinnerTurns) {
  ProgressView view({.unicode = true});
  view.Begin(Phase::kStage, "", kStart);
  EXPECT_THAT(view.Lines(kStart, kWide).front(), HasSubstr("⠋"));
  EXPECT_THAT(view.Lines(kStart + milliseconds(100), kWide).front(), HasSubstr("⠙"));
}

TEST(ProgressView, ShowsBytesWithABarAndARate) {
  ProgressView view({});
  view.Begin(Phase::kStage, "", kStart);
  view.Bytes(Phase::kStage, 1 << 20, 4 << 20, kStart);
  EXPECT_THAT(view.Lines(kStart + seconds(2), kWide),
              ElementsAre("| upload     #####--------------- 1.0 MiB of 4.0 MiB, 512 KiB/s, "
                          "6.0s left  2.0s"));
  view.Bytes(Phase::kStage, (4 << 20) - 1, 4 << 20, kStart);
  EXPECT_THAT(view.Lines(kStart + seconds(4), kWide).front(), Not(HasSubstr("left")));
  view.Bytes(Phase::kStage, 4 << 20, 4 << 20, kStart);
  EXPECT_THAT(view.Lines(kStart + seconds(4), kWide).front(), Not(HasSubstr("left")));
}

TEST(ProgressView, WithoutATotalThereIsNoBar) {
  ProgressView view({});
  view.Bytes(Phase::kPackage, 2048, 0, kStart);
  EXPECT_THAT(view.Lines(kStart, kWide), ElementsAre("| code       2.0 KiB  0.00s"));
}

TEST(ProgressView, BytesNeverRunBackwardsNorOver) {
  ProgressView view({});
  view.Bytes(Phase::kStage, 4096, 4096, kStart);
  view.Bytes(Phase::kStage, 1024, 2048, kStart);
  EXPECT_THAT(view.Lines(kStart, kWide).front(), HasSubstr("4.0 KiB of 4.0 KiB"));
  view.Bytes(Phase::kStage, 9000, 4096, kStart);
  EXPECT_THAT(view.Lines(kStart, kWide).front(), HasSubstr("####################"));
}

TEST(ProgressView, ShowsTheInstallersLastLine) {
  ProgressView view({});
  view.Begin(Phase::kBuild, "installing", kStart);
  view.Output(Phase::kBuild, "Downloading numpy\r\n");
  view.Output(Phase::kBuild, "\n");
  EXPECT_THAT(view.Lines(kStart, kWide).front(), HasSubstr("Downloading numpy"));
}

TEST(ProgressView, PhasesOverlap) {
  ProgressView view({});
  view.Begin(Phase::kPackage, "a", kStart);
  view.Begin(Phase::kBuild, "b", kStart);
  EXPECT_EQ(view.Lines(kStart, kWide).size(), 2);
  view.End(Phase::kPackage, "", kStart, kWide);
  EXPECT_THAT(view.Lines(kStart, kWide), ElementsAre(HasSubstr("build")));
}

TEST(ProgressView, LinesFitTheTerminal) {
  ProgressView view({});
  view.Begin(Phase::kBuild, std::string(500, 'x'), kStart);
  view.Follow(std::string(500, 'y'), kStart);
  for (const std::size_t width : {200U, 80U, 40U, 24U})
    for (const std::string& line : view.Lines(kStart, width)) EXPECT_LE(line.size(), width);
  EXPECT_LE(view.End(Phase::kBuild, std::string(500, 'z'), kStart, 60)->size(), 60);
}

TEST(ProgressView, AFollowedJobHasOneStatusLine) {
  ProgressView view({});
  view.Follow("hello-1  Ctrl-C detaches", kStart);
  view.Begin(Phase::kRun, "", kStart);
  EXPECT_THAT(view.Lines(kStart + seconds(12), kWide),
              ElementsAre("| 12s  hello-1  Ctrl-C detaches"));
  EXPECT_FALSE(view.End(Phase::kRun, "done", kStart, kWide));
}

TEST(ProgressView, AShortPhaseWithNothingToSayLeavesNoLine) {
  ProgressView view({});
  view.Begin(Phase::kQueue, "", kStart);
  EXPECT_FALSE(view.End(Phase::kQueue, "", kStart + milliseconds(20), kWide));
  view.Begin(Phase::kQueue, "", kStart);
  EXPECT_TRUE(view.End(Phase::kQueue, "", kStart + seconds(20), kWide));
}

TEST(ProgressView, APhaseThatWasNeverBegunCanEnd) {
  ProgressView view({});
  EXPECT_EQ(view.End(Phase::kPackage, "unchanged", kStart, kWide), "+ code       unchanged  0.00s");
}

}  // namespace
}  // namespace kinetic::cli
