#include "record/log_reader.h"

#include "record/layout.h"
#include "record/log_segment.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LogReaderTest : public testing::Test {
 protected:
  /// Stores records [first, end), each saying its attempt and number.
  void Put(std::uint32_t attempt, std::uint64_t first, std::uint64_t end, std::uint32_t host = 0) {
    std::string plain = SegmentHeader(attempt, first);
    for (auto i = first; i < end; ++i) {
      AppendRecord(plain, Stream::kStdout, 5, std::to_string(attempt) + ":" + std::to_string(i));
    }
    const auto put = store::PutBytes(store_, LogSegmentName("k-1", attempt, host, first),
                                     Seal(plain), store::Precondition::Absent(), {});
    ASSERT_TRUE(put && *put);
  }

  LogPosition Read(std::uint64_t from = 0) {
    lines_.clear();
    const auto position = ReadStoredLog(store_, "k-1", from, Keep(), {});
    EXPECT_TRUE(position) << position.error().message;
    return position ? *position : LogPosition();
  }

  LogReader Keep() {
    return [this](const LogRecord& record) -> Status {
      lines_.emplace_back(record.text);
      return {};
    };
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  std::vector<std::string> lines_;
};

TEST_F(LogReaderTest, NothingIsNothing) {
  const LogPosition position = Read();
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_EQ(position.next_sequence, 0U);
  EXPECT_EQ(position.attempt, 0U);
}

TEST_F(LogReaderTest, JoinsSegmentsAndAttemptsInOrder) {
  Put(1, 0, 2);
  Put(1, 2, 3);
  Put(9, 3, 4);
  Put(10, 4, 6);     // after 9, whatever the names' order
  Put(1, 0, 50, 1);  // another host's log is not the job's
  const LogPosition position = Read();
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:2", "9:3", "10:4", "10:5"));
  EXPECT_EQ(position.next_sequence, 6U);
  EXPECT_EQ(position.attempt, 10U);
  EXPECT_EQ(position.missing, 0U);
}

TEST_F(LogReaderTest, BeginsWhereItIsTold) {
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

TEST_F(LogReaderTest, GivesEachRecordOnce) {
  Put(1, 0, 4);
  Put(1, 2, 6);
  Put(2, 5, 7);  // the first attempt went on after the second had begun
  EXPECT_EQ(Read().missing, 0U);
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:2", "1:3", "1:4", "2:5", "2:6"));
}

TEST_F(LogReaderTest, CountsWhatIsMissing) {
  Put(1, 0, 2);
  Put(1, 5, 6);
  const LogPosition position = Read();
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1", "1:5"));
  EXPECT_EQ(position.missing, 3U);
  EXPECT_EQ(position.next_sequence, 6U);
}

TEST_F(LogReaderTest, NamesADamagedSegment) {
  Put(1, 0, 2);
  const std::string name = LogSegmentName("k-1", 1, 0, 2);
  ASSERT_TRUE(store::PutBytes(store_, name, "junk", store::Precondition::Absent(), {}));
  const auto read = ReadStoredLog(store_, "k-1", 0, Keep(), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, HasSubstr(name));
  EXPECT_THAT(lines_, ElementsAre("1:0", "1:1"));
}

TEST_F(LogReaderTest, PassesOnTheErrorOfItsReader) {
  Put(1, 0, 2);
  const auto read =
      ReadStoredLog(store_, "k-1", 0,
                    [](const LogRecord&) -> Status { return Fail(ErrorCode::kAborted, "no"); }, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "no");
}

}  // namespace
}  // namespace kinetic::record
