#include "runner/log/uploader.h"

#include "local/runtime.h"
#include "record/log/segment.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "runner/staging/retrying_store.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class LogUploaderTest : public ::testing::Test {
 protected:
  LogUploaderTest() {
    store_.SetHook([this](std::string_view operation, std::string_view name) {
      if (operation == "put") ++puts_;
      if (operation == "stat") ++stats_;
      return hook_ ? hook_(operation, name) : Status();
    });
    EXPECT_TRUE(spool_.BeginAttempt(1));
  }

  void Write(std::string_view text) {
    spool_.Append(Stream::kStdout, WallTime(), text);
    ASSERT_TRUE(spool_.Commit());
  }

  std::vector<std::string> Stored() {
    std::vector<std::string> texts;
    const auto read = record::ReadStoredLog(store_, {"k-1", "7"}, 0,
                                            [&](const LogRecord& record) -> Status {
                                              texts.emplace_back(record.text);
                                              return {};
                                            },
                                            {});
    EXPECT_TRUE(read) << read.error().message;
    return texts;
  }

  /// Advances the clock second by second until the condition holds.
  void AdvanceUntil(const std::function<bool()>& condition) {
    for (int i = 0; i < 10000 && !condition(); ++i) {
      clock_.Advance(std::chrono::seconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(condition());
  }

  test::TempTree tree_;
  test::FakeClock clock_{false};
  test::MemoryStore store_{clock_};
  test::MemoryStore::Hook hook_;
  std::atomic<int> puts_ = 0;
  std::atomic<int> stats_ = 0;
  LogUploader uploader_{store_, PosixFileSystem(), clock_, {tree_ / "spool", {"k-1", "7"}}};
  Spool spool_{PosixFileSystem(), tree_ / "spool",
               [this](const SpooledSegment& segment) { uploader_.OnSegment(segment); }};
};

TEST_F(LogUploaderTest, MovesSealedSegmentToTheStoreAtOnce) {
  Write("a\n");
  ASSERT_TRUE(spool_.Seal());
  const auto drained = uploader_.Drain();
  EXPECT_TRUE(drained) << drained.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(tree_ / "spool"));
  EXPECT_THAT(Stored(), ElementsAre("a\n"));
  EXPECT_EQ(puts_, 1);
}

TEST_F(LogUploaderTest, ExtendsTheObjectOfAGrowingSegment) {
  for (int i = 0; i < 5; ++i) {
    Write("line " + std::to_string(i));
    AdvanceUntil([&] { return puts_ == i + 1; });
  }
  AdvanceUntil([&] { return Stored().size() == 5; });
  EXPECT_THAT(store_.Objects(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::is_empty(tree_ / "spool")) << "it still grows";
  Write("last");
  ASSERT_TRUE(spool_.Seal());
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_THAT(Stored(), SizeIs(6));
  EXPECT_THAT(store_.Objects(), SizeIs(1));
  EXPECT_EQ(puts_, 6) << "one write per flush";
}

TEST_F(LogUploaderTest, SummarizesTheMetricsOfTheLastAttempt) {
  const auto row = [](int step, int loss) {
    return *FormatMetrics({{"step", step}, {"loss", loss}}) + "\n";
  };
  Write(row(1, 5));
  ASSERT_TRUE(spool_.Seal());
  ASSERT_TRUE(spool_.BeginAttempt(2));
  Write(row(1, 4));
  ASSERT_TRUE(uploader_.Drain());
  std::atomic<bool> fails = true;
  hook_ = [&](std::string_view operation, std::string_view) -> Status {
    if (operation != "put" || !fails) return {};
    return Fail(ErrorCode::kInternal, "rejected");
  };
  Write(row(2, 3));
  Write("loss 7\n");
  spool_.Append(Stream::kStderr, WallTime(), row(9, 9));
  EXPECT_FALSE(uploader_.Drain());
  fails = false;
  ASSERT_TRUE(spool_.Seal());
  ASSERT_TRUE(uploader_.Drain());
  const auto metrics = uploader_.metrics();
  ASSERT_THAT(metrics, SizeIs(2));
  EXPECT_EQ(metrics[0].last, 2);
  EXPECT_EQ(metrics[0].count, 2U) << "each row counts once";
  EXPECT_EQ(metrics[1].min, 3);
  EXPECT_EQ(metrics[1].max, 4);
}

TEST_F(LogUploaderTest, IdleLogDoesNotAccessTheStore) {
  Write("a");
  AdvanceUntil([&] { return puts_ == 1 && Stored().size() == 1; });
  const int stats = stats_;
  for (int i = 0; i < 100; ++i) clock_.Advance(std::chrono::seconds(10));
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_EQ(puts_, 1);
  EXPECT_EQ(stats_, stats);
}

TEST_F(LogUploaderTest, HurryUploadsWithoutDelay) {
  Write("a");
  uploader_.Expedite();
  while (puts_ == 0) std::this_thread::yield();
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_THAT(Stored(), ElementsAre("a"));
}

TEST_F(LogUploaderTest, LostResponseStoresEachRecordOnce) {
  std::atomic<bool> lose = true;
  hook_ = [&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stored" && lose.exchange(false)) {
      return Fail(ErrorCode::kUnavailable, "the response was lost");
    }
    return {};
  };
  Write("a");
  EXPECT_FALSE(uploader_.Drain());
  Write("b");
  ASSERT_TRUE(uploader_.Drain());
  lose = true;
  Write("c");
  EXPECT_FALSE(uploader_.Drain());
  ASSERT_TRUE(uploader_.Drain());
  ASSERT_TRUE(spool_.Seal());
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_THAT(Stored(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(store_.Objects(), SizeIs(1));
}

TEST_F(LogUploaderTest, UsesRetriesOfTheStore) {
  std::atomic<int> faults = 3;
  hook_ = [&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name != "proof" && faults-- > 0) {
      return Fail(ErrorCode::kUnavailable, "unavailable");
    }
    return {};
  };
  ASSERT_TRUE(store::PutBytes(store_, "proof", "", store::Precondition::Absent(), {}));
  test::FakeClock quick;
  RetryingStore retrying(store_, quick, {.proof = "proof", .stopped = {}, .on_wait = {}});
  LogUploader uploader(retrying, PosixFileSystem(), clock_, {tree_ / "other", {"k-1", "7"}});
  Spool spool(PosixFileSystem(), tree_ / "other",
              [&](const SpooledSegment& segment) { uploader.OnSegment(segment); });
  ASSERT_TRUE(spool.BeginAttempt(1));
  spool.Append(Stream::kStdout, WallTime(), "a\n");
  ASSERT_TRUE(spool.Seal());
  const auto drained = uploader.Drain();
  EXPECT_TRUE(drained) << drained.error().message;
  EXPECT_THAT(Stored(), ElementsAre("a\n"));
}

TEST_F(LogUploaderTest, RejectedSegmentStaysInTheSpool) {
  hook_ = [](std::string_view operation, std::string_view) -> Status {
    if (operation == "put") return Fail(ErrorCode::kPermissionDenied, "denied");
    return {};
  };
  Write("a\n");
  ASSERT_TRUE(spool_.Seal());
  const auto drained = uploader_.Drain();
  ASSERT_FALSE(drained);
  EXPECT_EQ(drained.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(std::filesystem::exists(local::SpoolSegment(tree_ / "spool", 0)));
}

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class FlushScheduleTest : public ::testing::Test {
 protected:
  /// Flushes when due; returns the delay.
  milliseconds Flush(bool followed = false) {
    schedule_.OnGrown(10, now_);
    const SteadyTime due = std::max(*schedule_.Due(followed), now_);
    const auto waited = std::chrono::duration_cast<milliseconds>(due - now_);
    now_ = due;
    schedule_.OnFlushed(now_);
    return waited;
  }

  FlushSchedule schedule_;
  SteadyTime now_{hours(1)};
};

TEST_F(FlushScheduleTest, IsNotDueWithoutNewRecords) {
  EXPECT_FALSE(schedule_.Due(true));
  Flush();
  EXPECT_FALSE(schedule_.Due(true));
}

TEST_F(FlushScheduleTest, DelayDoublesFromTwoToThirtySeconds) {
  EXPECT_EQ(Flush(), seconds(2));
  EXPECT_EQ(Flush(), seconds(4));
  EXPECT_EQ(Flush(), seconds(8));
  EXPECT_EQ(Flush(), seconds(16));
  EXPECT_EQ(Flush(), seconds(30));
  EXPECT_EQ(Flush(), seconds(30));
}

TEST_F(FlushScheduleTest, DelayIsTwoSecondsWhileFollowed) {
  for (int i = 0; i < 10; ++i) Flush();
  EXPECT_EQ(Flush(true), seconds(2));
  EXPECT_EQ(Flush(true), seconds(2));
  EXPECT_EQ(Flush(false), seconds(30));
}

TEST_F(FlushScheduleTest, ManyBytesAreDueAtOnceButNotTwiceASecond) {
  Flush();
  now_ += hours(1);
  schedule_.OnGrown(10, now_);
  schedule_.OnGrown(kFlushBytes, now_ + seconds(1));
  EXPECT_LE(*schedule_.Due(false), now_ + seconds(1));
  schedule_.OnFlushed(now_ + seconds(1));
  schedule_.OnGrown(kFlushBytes, now_ + seconds(1));
  EXPECT_EQ(*schedule_.Due(true), now_ + seconds(2));
}

TEST_F(FlushScheduleTest, FlushesLessThanThreeThousandTimesADay) {
  const SteadyTime end = now_ + hours(24);
  int flushes = 0;
  while (now_ < end) {
    Flush();
    ++flushes;
  }
  EXPECT_LE(flushes, 3000);
}

}  // namespace
}  // namespace kinetic::runner
