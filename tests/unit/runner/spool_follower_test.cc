#include "runner/spool_follower.h"

#include "local/runtime.h"
#include "record/log_segment.h"
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
  /// A segment of so many records.
  static std::string Segment(std::uint64_t first, int records) {
    std::string bytes = record::SegmentHeader(2, first);
    for (int i = 0; i < records; ++i) record::AppendRecord(bytes, Stream::kStdout, i, "line\n");
    return bytes;
  }

  Path Place(std::uint64_t first) const { return local::SpoolSegment(tree_.path(), first); }
  void Write(std::uint64_t first, std::string_view bytes) const {
    std::ofstream(Place(first), std::ios::binary) << bytes;
  }

  static std::string Shown(const SpooledSegment& segment) {
    return std::to_string(segment.first) + "-" + std::to_string(segment.next) + " " +
           std::to_string(segment.bytes) + (segment.sealed ? " sealed" : "");
  }

  test::TempTree tree_;
  std::vector<std::string> told_;
  SpoolFollower follower_{PosixFileSystem(), tree_.path(), [this](const SpooledSegment& segment) {
                            EXPECT_EQ(segment.attempt, 2U);
                            told_.push_back(Shown(segment));
                          }};
};

TEST_F(SpoolFollowerTest, TellsOfWholeRecordsAsTheyCome) {
  ASSERT_TRUE(follower_.Look());
  EXPECT_THAT(told_, ElementsAre());
  EXPECT_FALSE(follower_.next_sequence());
  const std::string bytes = Segment(5, 3);
  const std::size_t two = Segment(5, 2).size();
  Write(5, bytes.substr(0, two + 4));
  ASSERT_TRUE(follower_.Look());
  ASSERT_TRUE(follower_.Look());
  EXPECT_THAT(told_, ElementsAre("5-7 " + std::to_string(two)));
  Write(5, bytes);
  ASSERT_TRUE(follower_.Look());
  EXPECT_EQ(told_.back(), "5-8 " + std::to_string(bytes.size()));
  EXPECT_EQ(follower_.next_sequence(), 8U);
}

TEST_F(SpoolFollowerTest, ASegmentWithALaterOneIsSealed) {
  Write(0, Segment(0, 1));
  Write(1, Segment(1, 2));
  ASSERT_TRUE(follower_.Look());
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_THAT(told_[0], ::testing::EndsWith(" sealed"));
  EXPECT_THAT(told_[1], ::testing::StartsWith("1-3 "));
  // Whoever took it over took it away.
  std::filesystem::remove(Place(0));
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(told_.size(), 3U);
  EXPECT_THAT(told_[2], ::testing::EndsWith(" sealed"));
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(told_.size(), 3U);
}

TEST_F(SpoolFollowerTest, WhatWasTornAtTheEndIsLeftOut) {
  const std::string bytes = Segment(0, 2);
  Write(0, bytes + "\x20");
  ASSERT_TRUE(follower_.Finish());
  EXPECT_THAT(told_, ElementsAre("0-2 " + std::to_string(bytes.size()) + " sealed"));
}

TEST_F(SpoolFollowerTest, ASegmentWithoutAWholeRecordGivesItsNameFree) {
  Write(0, Segment(0, 0) + "\x20");
  ASSERT_TRUE(follower_.Finish());
  EXPECT_THAT(told_, ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(Place(0)));
}

TEST_F(SpoolFollowerTest, ADamagedSegmentEndsWhereItIsWhole) {
  const std::string bytes = Segment(0, 2);
  Write(0, bytes + std::string(8, '\xff'));
  ASSERT_TRUE(follower_.Look());
  ASSERT_TRUE(follower_.Finish());
  EXPECT_EQ(told_.back(), "0-2 " + std::to_string(bytes.size()) + " sealed");
}

}  // namespace
}  // namespace kinetic::runner
