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
  const std::string downloads = DownloadFolder("ana@laptop", "train");
  EXPECT_EQ(downloads, "downloads/" + Sha256::Of("ana@laptop\ntrain").Hex() + "/");
  EXPECT_EQ(DownloadManifestName(downloads), downloads + "manifest.json");
  EXPECT_EQ(DownloadName(downloads, digest), downloads + digest.Hex());
  EXPECT_EQ(RecordName("k-1"), "jobs/k-1/record.json");
  EXPECT_EQ(ArgumentsName("k-1", "0af1"), "jobs/k-1/arguments/0af1");
  EXPECT_EQ(ResultName("k-1"), "jobs/k-1/result.json");
  EXPECT_EQ(ClaimName("k-1", 2), "jobs/k-1/attempts/2/claim");
  EXPECT_EQ(RunResultName(RunKey("k-1", 2, 3)), "jobs/k-1/attempts/2/3/result.json");
  EXPECT_EQ(ValueName(RunKey("k-1", 2, 3)), "jobs/k-1/attempts/2/3/value.json");
  EXPECT_EQ(LogSegmentName(RunKey("k-1", 2, 3), 45), "jobs/k-1/attempts/2/3/log/000000000045");
  EXPECT_EQ(StoredValueName(RunKey("k-1", 2, 3), digest),
            "jobs/k-1/attempts/2/3/values/" + digest.Hex());
  EXPECT_EQ(OutputName("k-1", "a/b.txt"), "outputs/k-1/a/b.txt");
  EXPECT_EQ(CopyMarkerName("k-1"), "jobs/k-1/copying");
  EXPECT_EQ(CopyRequestName("k-1", "r"), "jobs/k-1/copies/requests/r");
  EXPECT_EQ(CopyProgressName("k-1", "r"), "jobs/k-1/copies/r/progress.json");
  EXPECT_EQ(CopyAnswerName("k-1", "r"), "jobs/k-1/copies/r/answer.json");
  EXPECT_EQ(CopiedFilesFolder("k-1", "r"), "jobs/k-1/copies/r/files/");
}

TEST(ObjectNamesTest, NamesOfRunsCanBeParsed) {
  const RunKey run("k-1", 10, 3);
  for (const std::string& name : {RunResultName(run), ValueName(run), LogSegmentName(run, 45),
                                  StoredValueName(run, Sha256::Of(""))}) {
    const auto parsed = ParseRunObject(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->run, run) << name;
    EXPECT_EQ("jobs/k-1/attempts/10/3/" + std::string(parsed->file), name);
  }
  EXPECT_LT(RunKey("k-1", 9), RunKey("k-1", 10)) << "by number";
  for (const char* name :
       {"", "jobs/", "jobs/k-1/result.json", "jobs/k-1/attempts/2/claim", "jobs/k-1/attempts/2/0/",
        "jobs/k-1/attempts/-1/0/result.json", "jobs/k-1/attempts/4294967296/0/result.json",
        "jobs/k-1/attempts/2/x/result.json", "outputs/k-1/attempts/2/0/result.json"}) {
    EXPECT_FALSE(ParseRunObject(name)) << name;
  }
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
