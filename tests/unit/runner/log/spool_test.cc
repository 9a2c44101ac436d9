#include "runner/log/spool.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Seen {
  std::uint64_t sequence;
  std::uint32_t attempt;
  std::string text;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> Parse(std::string_view plain) {
  std::vector<Seen> seen;
  record::SegmentParser parser;
  const auto fed = parser.Feed(plain, [&](const LogRecord& record) -> Status {
    seen.push_back({record.sequence, record.attempt, std::string(record.text)});
    return {};
  });
  EXPECT_TRUE(fed);
  return seen;
}

class SpoolTest : public ::testing::Test {
 protected:
  std::string File(std::uint64_t first) {
    return tree_.Read(local::SpoolSegment("spool", first).native());
  }

  void Note(const SpooledSegment& segment) {
    written_ = segment;
    if (segment.sealed) sealed_.push_back(segment.first);
  }

  test::TempTree tree_;
  std::vector<std::uint64_t> sealed_;
  SpooledSegment written_;
  Spool spool_{PosixFileSystem(), tree_ / "spool",
               [this](const SpooledSegment& segment) { Note(segment); }};
};

TEST_F(SpoolTest, CommitWritesRecords) {
  ASSERT_TRUE(spool_.BeginAttempt(1));
  spool_.Append(Stream::kStdout, WallTime(), "a\n");
  spool_.Append(Stream::kStderr, WallTime(), "b\n");
  ASSERT_TRUE(spool_.Commit());
  EXPECT_THAT(Parse(File(0)), ElementsAre(Seen{0, 1, "a\n"}, Seen{1, 1, "b\n"}));
  EXPECT_THAT(sealed_, IsEmpty());
}

TEST_F(SpoolTest, NewAttemptStartsNewSegmentAndContinuesNumbers) {
  ASSERT_TRUE(spool_.BeginAttempt(1));
  spool_.Append(Stream::kStdout, WallTime(), "a\n");
  ASSERT_TRUE(spool_.Seal());
  ASSERT_TRUE(spool_.BeginAttempt(2));
  ASSERT_TRUE(spool_.Seal());  // no segment
  spool_.Append(Stream::kStdout, WallTime(), "b\n");
  ASSERT_TRUE(spool_.Seal());
  EXPECT_THAT(sealed_, ElementsAre(0, 1));
  EXPECT_THAT(Parse(File(1)), ElementsAre(Seen{1, 2, "b\n"}));
  EXPECT_EQ(spool_.next_sequence(), 2U);
}

TEST_F(SpoolTest, SealsFullSegment) {
  ASSERT_TRUE(spool_.BeginAttempt(1));
  const std::string line(60000, 'x');
  for (int i = 0; i < 150; ++i) spool_.Append(Stream::kStdout, WallTime(), line);
  ASSERT_TRUE(spool_.Commit());
  ASSERT_EQ(sealed_.size(), 2U);
  EXPECT_LE(File(0).size(), record::kLogSegmentBytes + record::kLogRecordBytes);
  EXPECT_EQ(Parse(File(0)).size(), sealed_[1]);
}

TEST(SpoolFault, NextCommitReportsFullDisk) {
  const test::TempTree tree;
  test::FaultyFileSystem fs([](std::uint64_t, std::string_view operation, const Path&) {
    return operation == "writing" ? std::optional<int>(ENOSPC) : std::nullopt;
  });
  Spool spool(fs, tree / "spool", [](const SpooledSegment&) {});
  ASSERT_TRUE(spool.BeginAttempt(1));
  spool.Append(Stream::kStdout, WallTime(), "a\n");
  const auto committed = spool.Commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kResourceExhausted);
}

/// A spool on a disk that accepts half of a write and then nothing until it has space again.
class SpoolOnFullDisk : public SpoolTest {
 protected:
  bool full_ = false;
  test::FaultyFileSystem fs_{[this](std::uint64_t, std::string_view operation, const Path&) {
    return full_ && operation == "writing" ? std::optional<int>(ENOSPC) : std::nullopt;
  }};
  Spool on_disk_{fs_, tree_ / "spool", [this](const SpooledSegment& segment) { Note(segment); }};
};

TEST_F(SpoolOnFullDisk, OverwritesPartialWrite) {
  ASSERT_TRUE(on_disk_.BeginAttempt(1));
  on_disk_.Append(Stream::kStdout, WallTime(), "one\n");
  ASSERT_TRUE(on_disk_.Commit());
  on_disk_.Append(Stream::kStdout, WallTime(), "two\n");
  on_disk_.Append(Stream::kStdout, WallTime(), std::string(1000, 'x'));
  full_ = true;
  EXPECT_FALSE(on_disk_.Commit());
  EXPECT_FALSE(on_disk_.Seal());
  full_ = false;
  on_disk_.Append(Stream::kStdout, WallTime(), "four\n");
  ASSERT_TRUE(on_disk_.Seal());
  EXPECT_THAT(Parse(File(0)),
              ElementsAre(Seen{0, 1, "one\n"}, Seen{1, 1, "two\n"},
                          Seen{2, 1, std::string(1000, 'x')}, Seen{3, 1, "four\n"}));
  EXPECT_THAT(sealed_, ElementsAre(0));
}

TEST_F(SpoolOnFullDisk, SealWrittenCountsLostRecords) {
  ASSERT_TRUE(on_disk_.BeginAttempt(1));
  on_disk_.Append(Stream::kStdout, WallTime(), "one\n");
  ASSERT_TRUE(on_disk_.Commit());
  on_disk_.Append(Stream::kStdout, WallTime(), "two\n");
  on_disk_.Append(Stream::kStdout, WallTime(), "three\n");
  full_ = true;
  EXPECT_FALSE(on_disk_.Seal());
  EXPECT_EQ(on_disk_.SealWritten(), 2U);
  EXPECT_EQ(on_disk_.next_sequence(), 3U);
  EXPECT_THAT(Parse(File(0)), ElementsAre(Seen{0, 1, "one\n"}));
  EXPECT_THAT(sealed_, ElementsAre(0));
}

}  // namespace
}  // namespace kinetic::runner
