#include "record/log/stored_log.h"

#include "record/log/segment.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoredLogTest : public testing::Test {
 protected:
  /// Stores records [first, end) whose texts are their attempt and number.
  void Put(std::uint32_t attempt, std::uint64_t first, std::uint64_t end, std::uint32_t host = 0) {
    std::string plain = SegmentHeader(attempt, first);
    for (auto i = first; i < end; ++i) {
      AppendRecord(plain, Stream::kStdout, 5, std::to_string(attempt) + ":" + std::to_string(i));
    }
    const auto put =
        store::PutBytes(store_, LogSegmentName(RunKey("k-1", attempt, host), first), Seal(plain),
                        store::Precondition::Absent(), {}, OwnerMetadata(job_));
    ASSERT_TRUE(put && *put);
  }

  LogPosition Read(std::uint64_t from = 0) {
    lines_.clear();
    const auto position = ReadStoredLog(store_, job_, from, Collect(), {});
    EXPECT_TRUE(position) << position.error().message;
    return position ? *position : LogPosition();
  }

  LogRecordSink Collect() {
    return [this](const LogRecord& record) -> Status {
      lines_.emplace_back(record.text);
      return {};
    };
  }

  const JobKey job_{"k-1", "7"};
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  std::vector<std::string> lines_;
};

TEST_F(StoredLogTest, ReturnsNothingForAMissingLog) {
  const LogPosition position = Read();
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_EQ(position.next_sequence, 0U);
  EXPECT_EQ(position.attempt, 0U);
}

TEST_F(StoredLogTest, JoinsSegmentsAndAttemptsInOrder) {
  Put(1, 0, 2);
  Put(1, 2, 3);
  Put(9, 3, 4);
  Put(10, 4, 6);     // after 9, although its name sorts before
  Put(1, 0, 50, 1);  // another host's log is not the job's
  const LogPosition position = Read();
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:2", "9:3", "10:4", "10:5"));
  EXPECT_EQ(position.next_sequence, 6U);
  EXPECT_EQ(position.attempt, 10U);
  EXPECT_EQ(position.missing, 0U);
}

TEST_F(StoredLogTest, StartsAtAGivenRecord) {
  Put(1, 0, 3);
  Put(1, 3, 6);
  int gets = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "get") ++gets;
    return {};
  });
  EXPECT_EQ(Read(4).next_sequence, 6U);
  EXPECT_THAT(lines_, ElementsAre("1:4", "1:5"));
  EXPECT_EQ(gets, 1);
  EXPECT_EQ(Read(6).next_sequence, 6U);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StoredLogTest, ReturnsEachRecordOnce) {
  Put(1, 0, 4);
  Put(1, 2, 6);
  Put(2, 5, 7);  // the first attempt continued after the second started
  EXPECT_EQ(Read().missing, 0U);
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:2", "1:3", "1:4", "2:5", "2:6"));
}

TEST_F(StoredLogTest, CountsMissingRecords) {
  Put(1, 0, 2);
  Put(1, 5, 6);
  const LogPosition position = Read();
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:5"));
  EXPECT_EQ(position.missing, 3U);
  EXPECT_EQ(position.next_sequence, 6U);
}

TEST_F(StoredLogTest, ReportsADamagedSegment) {
  Put(1, 0, 2);
  const std::string name = LogSegmentName(RunKey("k-1", 1), 2);
  ASSERT_TRUE(store::PutBytes(store_, name, "junk", store::Precondition::Absent(), {},
                              OwnerMetadata(job_)));
  const auto read = ReadStoredLog(store_, job_, 0, Collect(), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, HasSubstr(name));
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1"));
}

TEST_F(StoredLogTest, ReturnsTheErrorOfItsCallback) {
  Put(1, 0, 2);
  const auto read =
      ReadStoredLog(store_, job_, 0,
                    [](const LogRecord&) -> Status { return Fail(ErrorCode::kAborted, "no"); }, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "no");
}

class GrowingLogTest : public StoredLogTest {
 protected:
  void SetUp() override {
    store_.SetHook([this](std::string_view operation, std::string_view) -> Status {
      if (operation == "get") ++gets_;
      return {};
    });
  }

  /// Appends a segment of records [from, end) to the object that starts with record `first`.
  void Grow(std::uint64_t first, std::uint64_t from, std::uint64_t end) {
    std::string plain = SegmentHeader(1, from);
    for (auto i = from; i < end; ++i) AppendRecord(plain, Stream::kStdout, 5, std::to_string(i));
    object_ += Seal(plain);
    ASSERT_TRUE(store::Overwrite(store_, LogSegmentName(RunKey("k-1", 1), first), object_, {},
                                 LogMetadata(job_, end)));
  }

  std::vector<std::string> ReadNew() {
    lines_.clear();
    const auto gap = [this](std::uint64_t missing) -> Status {
      lines_.push_back("[" + std::to_string(missing) + "]");
      return {};
    };
    const auto read = log_.Read(Collect(), gap, {});
    EXPECT_TRUE(read) << read.error().message;
    return lines_;
  }

  std::string object_;
  int gets_ = 0;
  StoredLog log_{store_, job_, 0};
};

TEST_F(GrowingLogTest, ReturnsNewRecordsAndReadsOnlyNewObjects) {
  Grow(0, 0, 2);
  EXPECT_THAT(ReadNew(), ElementsAre("0", "1"));
  EXPECT_THAT(ReadNew(), IsEmpty());
  EXPECT_EQ(gets_, 1);
  Grow(0, 2, 3);
  Grow(0, 3, 5);
  EXPECT_THAT(ReadNew(), ElementsAre("2", "3", "4"));
  EXPECT_EQ(gets_, 2);
  object_.clear();
  Grow(5, 5, 6);
  EXPECT_THAT(ReadNew(), ElementsAre("5"));
}

TEST_F(GrowingLogTest, ReadsOnlyNewBytes) {
  Grow(0, 0, 2);
  EXPECT_THAT(ReadNew(), ElementsAre("0", "1"));
  // The old bytes are not read again.
  object_.replace(0, object_.size(), object_.size(), '!');
  Grow(0, 2, 3);
  EXPECT_THAT(ReadNew(), ElementsAre("2"));
}

TEST_F(GrowingLogTest, ReportsAGapInOrder) {
  Grow(0, 0, 2);
  object_.clear();
  Grow(7, 7, 8);
  EXPECT_THAT(ReadNew(), ElementsAre("0", "1", "[5]", "7"));
  EXPECT_EQ(log_.position().missing, 5U);
}

TEST_F(GrowingLogTest, SkipsRecords) {
  Grow(0, 0, 3);
  log_.SkipTo(2);
  EXPECT_THAT(ReadNew(), ElementsAre("2"));
}

TEST_F(GrowingLogTest, ReportsAnObjectWithTooFewRecords) {
  Grow(0, 0, 3);
  const std::string name = LogSegmentName(RunKey("k-1", 1), 0);
  ASSERT_TRUE(store::Overwrite(store_, name, object_, {}, LogMetadata(job_, 4)));
  const auto read = log_.Read(Collect(), {}, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, HasSubstr(name));
}

TEST_F(StoredLogTest, RejectsSegmentsOfOtherJobs) {
  Put(1, 0, 2);
  for (const JobKey& other : {JobKey("k-2", "7"), JobKey("k-1", "8"), JobKey()}) {
    Put(1, 2, 4);
    const std::string name = LogSegmentName(RunKey("k-1", 1), 2);
    ASSERT_TRUE(store::Overwrite(store_, name, *store_.Peek(name), {}, LogMetadata(other, 9)));
    lines_.clear();
    const auto read = ReadStoredLog(store_, job_, 0, Collect(), {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr(name + ": belongs to "));
    EXPECT_THAT(read.error().message, HasSubstr("expected "));
    EXPECT_THAT(lines_, ElementsAre("1:0", "1:1"));
    EXPECT_EQ(*CountLogRecords(store_, job_, {}), 2U)
        << "the number in its metadata is not believed";
    store_.Drop(name);
  }
}

TEST_F(GrowingLogTest, ReportsTheResult) {
  EXPECT_THAT(ReadNew(), IsEmpty());
  EXPECT_FALSE(log_.position().exists);
  ASSERT_TRUE(store::PutBytes(store_, RecordName("k-1"), "", store::Precondition::Absent(), {}));
  ASSERT_TRUE(store::PutBytes(store_, ResultName("k-1"), "", store::Precondition::Absent(), {}));
  EXPECT_THAT(ReadNew(), IsEmpty());
  EXPECT_TRUE(log_.position().exists);
  EXPECT_TRUE(log_.position().ended);
}

}  // namespace
}  // namespace kinetic::record
