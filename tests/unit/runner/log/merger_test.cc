#include "runner/log/merger.h"

#include "record/log/objects.h"
#include "record/log/segment.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kinetic::runner {
namespace {

class LogMergerTest : public ::testing::Test {
 protected:
  /// Stores a segment of two records and adds it.
  Status Add(std::uint64_t number) {
    const std::uint64_t first = number * 2;
    std::string plain = record::SegmentHeader(1, first);
    for (const auto i : {first, first + 1}) {
      record::AppendRecord(plain, Stream::kStdout, 0, std::to_string(i));
    }
    auto put = store::PutBytes(store_, record::LogSegmentName(record::RunKey("k-1", 1), first),
                               record::Seal(plain), store::Precondition::Absent(), {},
                               record::LogMetadata({"k-1", "7"}, first + 2));
    if (!put || !*put) return Fail(ErrorCode::kUnavailable, "not stored");
    return merger_.Add(**put, first + 2, {});
  }

  std::vector<std::string> Read(std::uint64_t from = 0) {
    std::vector<std::string> texts;
    const auto read = record::ReadStoredLog(store_, {"k-1", "7"}, from,
                                            [&](const LogRecord& record) -> Status {
                                              texts.emplace_back(record.text);
                                              return {};
                                            },
                                            {});
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read ? read->missing : 1, 0U);
    return texts;
  }

  static std::vector<std::string> Numbers(std::uint64_t from, std::uint64_t end) {
    std::vector<std::string> numbers;
    for (auto i = from; i < end; ++i) numbers.push_back(std::to_string(i));
    return numbers;
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  LogMerger merger_{store_, {"k-1", "7"}};
};

TEST_F(LogMergerTest, KeepsTheNumberOfObjectsSmall) {
  std::size_t most = 0;
  constexpr std::uint64_t kSegments = 5000;  // 20 GB, if they were full
  for (std::uint64_t i = 0; i < kSegments; ++i) {
    ASSERT_TRUE(Add(i));
    most = std::max(most, store_.Objects().size());
  }
  EXPECT_LE(most, 36U);
  EXPECT_EQ(Read(), Numbers(0, 2 * kSegments));
  EXPECT_EQ(Read(4711), Numbers(4711, 2 * kSegments));
}

TEST_F(LogMergerTest, RemainingPartsDoNotDuplicateRecords) {
  int removals = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "remove" && ++removals == 3)
      return Fail(ErrorCode::kUnavailable, "unavailable");
    return {};
  });
  for (std::uint64_t i = 0; i < 7; ++i) ASSERT_TRUE(Add(i));
  EXPECT_FALSE(Add(7));
  EXPECT_EQ(store_.Objects().size(), 6U);
  ASSERT_TRUE(Add(8));
  for (const std::uint64_t from : {0U, 1U, 5U, 9U, 15U, 16U}) {
    EXPECT_EQ(Read(from), Numbers(from, 18)) << from;
  }
}

TEST_F(LogMergerTest, ReaderSurvivesConcurrentMerge) {
  for (std::uint64_t i = 0; i < 7; ++i) ASSERT_TRUE(Add(i));
  for (const std::string_view moment : {"list", "get"}) {
    bool done = false;
    store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
      const bool now = operation == moment && (moment == "list" || name.ends_with("02"));
      if (now && !std::exchange(done, true)) {
        for (std::uint64_t i = moment == "list" ? 7 : 8; i < 16; ++i) {
          if (auto added = Add(i); !added) return added;
          if (moment == "list") break;
        }
      }
      return {};
    });
    const auto texts = Read();
    store_.SetHook({});
    EXPECT_EQ(texts, Numbers(0, texts.size())) << moment;
    EXPECT_GE(texts.size(), 14U);
  }
}

}  // namespace
}  // namespace kinetic::runner
