#include "backend/local/spool_reader.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace kinetic::backend {
namespace {

using test::TempTree;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Writes a spool as a supervisor does.
class Spool {
 public:
  Path folder() const { return tree_.path(); }

  void Begin(std::uint64_t first) {
    first_ = first;
    bytes_ = record::SegmentHeader(1, first);
    Save(bytes_);
  }
  void Add(std::string_view text) {
    record::AppendRecord(bytes_, Stream::kStdout, 0, text);
    Save(bytes_);
  }
  /// Writes a part of the next record.
  void AddHalf(std::string_view text) {
    std::string more = bytes_;
    record::AppendRecord(more, Stream::kStdout, 0, text);
    Save(std::string_view(more).substr(0, more.size() - text.size() / 2));
  }
  void Remove(std::uint64_t first) const {
    std::filesystem::remove(local::SpoolSegment(folder(), first));
  }

 private:
  void Save(std::string_view bytes) const {
    tree_.Write(local::SpoolSegment(folder(), first_).filename().native(), bytes);
  }

  TempTree tree_;
  std::uint64_t first_ = 0;
  std::string bytes_;
};

class SpoolReaderTest : public ::testing::Test {
 protected:
  std::vector<std::string> Read(SpoolReader& reader) {
    std::vector<std::string> texts;
    const auto read = reader.Read([&](const LogRecord& record) -> Status {
      texts.push_back(std::to_string(record.sequence) + std::string(record.text));
      return {};
    });
    EXPECT_TRUE(read) << read.error().message;
    return texts;
  }

  Spool spool_;
  SpoolReader reader_{PosixFileSystem(), spool_.folder(), 0};
};

TEST_F(SpoolReaderTest, MissingSpoolIsEmpty) {
  SpoolReader reader(PosixFileSystem(), spool_.folder() / "absent", 0);
  EXPECT_THAT(Read(reader), IsEmpty());
  EXPECT_FALSE(reader.moved_away());
}

TEST_F(SpoolReaderTest, ReadsNewRecords) {
  EXPECT_THAT(Read(reader_), IsEmpty());
  spool_.Begin(0);
  spool_.Add("a");
  EXPECT_THAT(Read(reader_), ElementsAre("0a"));
  EXPECT_THAT(Read(reader_), IsEmpty());
  spool_.Add("b");
  spool_.Add("c");
  EXPECT_THAT(Read(reader_), ElementsAre("1b", "2c"));
  EXPECT_EQ(reader_.next_sequence(), 3U);
}

TEST_F(SpoolReaderTest, WaitsForCompleteRecord) {
  spool_.Begin(0);
  spool_.AddHalf("abcdef");
  EXPECT_THAT(Read(reader_), IsEmpty());
  spool_.Add("abcdef");
  EXPECT_THAT(Read(reader_), ElementsAre("0abcdef"));
}

TEST_F(SpoolReaderTest, StartsInTheMiddle) {
  spool_.Begin(10);
  for (const char* text : {"a", "b", "c"}) spool_.Add(text);
  SpoolReader reader(PosixFileSystem(), spool_.folder(), 12);
  EXPECT_THAT(Read(reader), ElementsAre("12c"));
}

TEST_F(SpoolReaderTest, ContinuesWithNextSegment) {
  spool_.Begin(0);
  spool_.Add("a");
  EXPECT_THAT(Read(reader_), ElementsAre("0a"));
  spool_.Add("b");
  spool_.Begin(2);
  spool_.Add("c");
  EXPECT_THAT(Read(reader_), ElementsAre("1b", "2c"));
}

TEST_F(SpoolReaderTest, ReadsRemovedSegmentToItsEnd) {
  spool_.Begin(0);
  spool_.Add("a");
  EXPECT_THAT(Read(reader_), ElementsAre("0a"));
  spool_.Remove(0);
  EXPECT_THAT(Read(reader_), IsEmpty());
  EXPECT_FALSE(reader_.moved_away());
  spool_.Begin(1);
  spool_.Add("b");
  EXPECT_THAT(Read(reader_), ElementsAre("1b"));
}

TEST_F(SpoolReaderTest, ReportsMovedRecords) {
  spool_.Begin(5);
  spool_.Add("f");
  EXPECT_THAT(Read(reader_), IsEmpty());
  EXPECT_TRUE(reader_.moved_away());
  EXPECT_EQ(reader_.next_sequence(), 0U);
}

TEST_F(SpoolReaderTest, ReportsMovedRecordsInBetween) {
  spool_.Begin(0);
  spool_.Add("a");
  EXPECT_THAT(Read(reader_), ElementsAre("0a"));
  spool_.Begin(7);
  spool_.Add("h");
  EXPECT_THAT(Read(reader_), IsEmpty());
  EXPECT_TRUE(reader_.moved_away());
  EXPECT_EQ(reader_.next_sequence(), 1U);
}

TEST_F(SpoolReaderTest, IgnoresOtherFiles) {
  spool_.Begin(0);
  spool_.Add("a");
  std::filesystem::copy_file(local::SpoolSegment(spool_.folder(), 0), spool_.folder() / "x.klog");
  EXPECT_THAT(*SpoolSegments(PosixFileSystem(), spool_.folder()), ElementsAre(0U));
}

TEST_F(SpoolReaderTest, DamagedSegmentIsDataLoss) {
  spool_.Begin(0);
  std::filesystem::resize_file(local::SpoolSegment(spool_.folder(), 0), 0);
  spool_.Begin(1);
  const Path file = local::SpoolSegment(spool_.folder(), 1);
  ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), file, std::string(100, '?')));
  SpoolReader reader(PosixFileSystem(), spool_.folder(), 1);
  const auto read = reader.Read([](const LogRecord&) -> Status { return {}; });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
}

TEST_F(SpoolReaderTest, ReaderErrorStopsReading) {
  spool_.Begin(0);
  spool_.Add("a");
  const auto read =
      reader_.Read([](const LogRecord&) -> Status { return Fail(ErrorCode::kAborted, "enough"); });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "enough");
}

}  // namespace
}  // namespace kinetic::backend
