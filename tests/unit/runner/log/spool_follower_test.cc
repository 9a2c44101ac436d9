#include "runner/log/spool_follower.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

class SpoolFollowerTest : public ::testing::Test {
 protected:
  /// Returns a segment with `records` records.
  static std::string Segment(std::uint64_t first, int records) {
    std::string bytes = record::SegmentHeader(2, first);
    for (int i = 0; i < records; ++i) record::AppendRecord(bytes, Stream::kStdout, i, "line\n");
    return bytes;
  }

  Path File(std::uint64_t first) const { return local::SpoolSegment(tree_.path(), first); }
  void Write(std::uint64_t first, std::string_view bytes) const {
    std::ofstream(File(first), std::ios::binary) << bytes;
  }

  static std::string Text(const SpooledSegment& segment) {
    return std::to_string(segment.first) + "-" + std::to_string(segment.next) + " " +
           std::to_string(segment.bytes) + (segment.sealed ? " sealed" : "");
  }

  test::TempTree tree_;
  std::vector<std::string> reported_;
  SpoolFollower follower_{PosixFileSystem(), tree_.path(), [this](const SpooledSegment& segment) {
                            EXPECT_EQ(segment.attempt, 2U);
                            reported_.push_back(Text(segment));
                          }};
};

TEST_F(SpoolFollowerTest, ReportsWholeRecords) {
  ASSERT_TRUE(follower_.Poll());
  EXPECT_THAT(reported_, ElementsAre());
  EXPECT_FALSE(follower_.next_sequence());
  const std::string bytes = Segment(5, 3);
  const std::size_t two = Segment(5, 2).size();
  Write(5, bytes.substr(0, two + 4));
  ASSERT_TRUE(follower_.Poll());
  ASSERT_TRUE(follower_.Poll());
  EXPECT_THAT(reported_, ElementsAre("5-7 " + std::to_string(two)));
  Write(5, bytes);
  ASSERT_TRUE(follower_.Poll());
  EXPECT_EQ(reported_.back(), "5-8 " + std::to_string(bytes.size()));
  EXPECT_EQ(follower_.next_sequence(), 8U);
}

TEST_F(SpoolFollowerTest, SealsSegmentWhenALaterOneExists) {
  Write(0, Segment(0, 1));
  Write(1, Segment(1, 2));
  ASSERT_TRUE(follower_.Poll());
  ASSERT_EQ(reported_.size(), 2U);
  EXPECT_THAT(reported_[0], ::testing::EndsWith(" sealed"));
  EXPECT_THAT(reported_[1], ::testing::StartsWith("1-3 "));
  // The receiver owns the file.
  std::filesystem::remove(File(0));
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(reported_.size(), 3U);
  EXPECT_THAT(reported_[2], ::testing::EndsWith(" sealed"));
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(reported_.size(), 3U);
}

TEST_F(SpoolFollowerTest, IgnoresIncompleteRecord) {
  const std::string bytes = Segment(0, 2);
  Write(0, bytes + "\x20");
  ASSERT_TRUE(follower_.Finish());
  EXPECT_THAT(reported_, ElementsAre("0-2 " + std::to_string(bytes.size()) + " sealed"));
}

TEST_F(SpoolFollowerTest, RemovesSegmentWithoutWholeRecord) {
  Write(0, Segment(0, 0) + "\x20");
  ASSERT_TRUE(follower_.Finish());
  EXPECT_THAT(reported_, ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(File(0)));
}

TEST_F(SpoolFollowerTest, EndsSegmentBeforeDamage) {
  const std::string bytes = Segment(0, 2);
  Write(0, bytes + std::string(8, '\xff'));
  ASSERT_TRUE(follower_.Poll());
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(reported_.back(), "0-2 " + std::to_string(bytes.size()) + " sealed");
}

}  // namespace
}  // namespace kinetic::runner
