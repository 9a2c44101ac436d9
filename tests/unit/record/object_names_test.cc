#include "record/object_names.h"

#include "base/time/clock.h"

#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

TEST(ObjectNamesTest, MatchTheReference) {
  const Digest digest = Sha256::Of("");
  EXPECT_EQ(PackName(digest), "packs/" + digest.Hex());
  EXPECT_EQ(TreeName(digest), "trees/" + digest.Hex());
  EXPECT_EQ(LockName(digest), "locks/" + digest.Hex());
  EXPECT_EQ(PackageName(digest), "packages/" + digest.Hex());
  EXPECT_EQ(EnvironmentName(digest), "environments/" + digest.Hex());
  EXPECT_EQ(BuildSourceName(digest), "builds/" + digest.Hex() + ".tar.gz");
  EXPECT_EQ(BuildLogName("8f"), "builds/logs/log-8f.txt");
  EXPECT_EQ(RecordName("k-1"), "jobs/k-1/record.json");
  EXPECT_EQ(ArgumentsName("k-1", "0af1"), "jobs/k-1/arguments/0af1");
  EXPECT_EQ(ResultName("k-1"), "jobs/k-1/result.json");
  EXPECT_EQ(ClaimName("k-1", 2), "jobs/k-1/attempts/2/claim");
  EXPECT_EQ(AttemptResultName("k-1", 2, 3), "jobs/k-1/attempts/2/3/result.json");
  EXPECT_EQ(ValueName("k-1", 2, 3), "jobs/k-1/attempts/2/3/value.json");
  EXPECT_EQ(LogSegmentName("k-1", 2, 3, 45), "jobs/k-1/attempts/2/3/log/000000000045");
  EXPECT_EQ(StoredValueName("k-1", 2, 3, digest), "jobs/k-1/attempts/2/3/values/" + digest.Hex());
  EXPECT_EQ(OutputName("k-1", "a/b.txt"), "outputs/k-1/a/b.txt");
  EXPECT_EQ(CopyMarkerName("k-1"), "jobs/k-1/copying");
  EXPECT_EQ(CopyRequestName("k-1", "r"), "jobs/k-1/copies/requests/r");
  EXPECT_EQ(CopyProgressName("k-1", "r"), "jobs/k-1/copies/r/progress.json");
  EXPECT_EQ(CopyAnswerName("k-1", "r"), "jobs/k-1/copies/r/answer.json");
  EXPECT_EQ(CopiedFilesFolder("k-1", "r"), "jobs/k-1/copies/r/files/");
}

TEST(ObjectNamesTest, IndexNamesSortNewestFirst) {
  const WallTime old_time = *ParseTime("2026-11-21T09:00:00Z");
  EXPECT_EQ(IndexName(old_time, "k-1"), "index/8204748399999999-k-1");
  EXPECT_EQ(EndedIndexName(old_time, "k-1"), "index/8204748399999999-k-1.ended");
  EXPECT_GT(IndexName(old_time, "a"), IndexName(old_time + std::chrono::microseconds(1), "b"));
  EXPECT_GT(IndexName(*ParseTime("1969-01-01T00:00:00Z"), "a"), IndexName(old_time, "b"));
  EXPECT_EQ(IndexName(*ParseTime("1969-01-01T00:00:00Z"), "a").size(),
            IndexName(old_time, "b").size());
}

}  // namespace
}  // namespace kinetic::record
