#include "runner/log_uploader.h"

#include "local/runtime.h"
#include "record/layout.h"
#include "record/log_reader.h"
#include "record/log_segment.h"
#include "runner/patient_store.h"
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
    const auto read = record::ReadStoredLog(store_, "k-1", 0,
                                            [&](const LogRecord& record) -> Status {
                                              texts.emplace_back(record.text);
                                              return {};
                                            },
                                            {});
    EXPECT_TRUE(read) << read.error().message;
    return texts;
  }

  /// Lets time go by, a second at a time, until something has come of it.
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
  LogUploader uploader_{store_, PosixFileSystem(), clock_, {tree_ / "spool", "k-1", 0}};
  Spool spool_{PosixFileSystem(), tree_ / "spool",
               [this](const SpooledSegment& segment) { uploader_.Take(segment); }};
};

TEST_F(LogUploaderTest, ASealedSegmentLeavesTheSpoolAtOnce) {
  Write("a\n");
  ASSERT_TRUE(spool_.Seal());
  const auto drained = uploader_.Drain();
  EXPECT_TRUE(drained) << drained.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(tree_ / "spool"));
  EXPECT_THAT(Stored(), ElementsAre("a\n"));
  EXPECT_EQ(puts_, 1);
}

TEST_F(LogUploaderTest, WhatGrowsIsOneObjectThatGrows) {
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
  EXPECT_EQ(puts_, 6) << "each time only what was new was waited for";
}

TEST_F(LogUploaderTest, NothingNewAsksTheStoreNothing) {
  Write("a");
  AdvanceUntil([&] { return puts_ == 1 && Stored().size() == 1; });
  const int stats = stats_;
  for (int i = 0; i < 100; ++i) clock_.Advance(std::chrono::seconds(10));
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_EQ(puts_, 1);
  EXPECT_EQ(stats_, stats);
}

TEST_F(LogUploaderTest, AHurryNeedsNoTime) {
  Write("a");
  uploader_.Hurry();
  while (puts_ == 0) std::this_thread::yield();
  ASSERT_TRUE(uploader_.Drain());
  EXPECT_THAT(Stored(), ElementsAre("a"));
}

TEST_F(LogUploaderTest, AnAnswerThatWasLostLeavesEachRecordOnce) {
  std::atomic<bool> lose = true;
  hook_ = [&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stored" && lose.exchange(false)) {
      return Fail(ErrorCode::kUnavailable, "the answer was lost");
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

TEST_F(LogUploaderTest, APatientStoreIsTriedAgain) {
  std::atomic<int> faults = 3;
  hook_ = [&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name != "proof" && faults-- > 0) {
      return Fail(ErrorCode::kUnavailable, "away");
    }
    return {};
  };
  ASSERT_TRUE(store::PutBytes(store_, "proof", "", store::Precondition::Absent(), {}));
  test::FakeClock quick;
  PatientStore patient(store_, quick, {.proof = "proof", .stopped = {}, .on_wait = {}});
  LogUploader uploader(patient, PosixFileSystem(), clock_, {tree_ / "other", "k-1", 0});
  Spool spool(PosixFileSystem(), tree_ / "other",
              [&](const SpooledSegment& segment) { uploader.Take(segment); });
  ASSERT_TRUE(spool.BeginAttempt(1));
  spool.Append(Stream::kStdout, WallTime(), "a\n");
  ASSERT_TRUE(spool.Seal());
  const auto drained = uploader.Drain();
  EXPECT_TRUE(drained) << drained.error().message;
  EXPECT_THAT(Stored(), ElementsAre("a\n"));
}

TEST_F(LogUploaderTest, AStoreThatDoesNotTakeItLeavesTheSegmentInTheSpool) {
  hook_ = [](std::string_view operation, std::string_view) -> Status {
    if (operation == "put") return Fail(ErrorCode::kPermissionDenied, "not yours");
    return {};
  };
  Write("a\n");
  ASSERT_TRUE(spool_.Seal());
  const auto drained = uploader_.Drain();
  ASSERT_FALSE(drained);
  EXPECT_EQ(drained.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(std::filesystem::exists(local::SpoolSegment(tree_ / "spool", 0)));
}

}  // namespace
}  // namespace kinetic::runner
