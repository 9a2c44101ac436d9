#include "runner/outcome/output_sync.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <utility>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class OutputSyncTest : public ::testing::Test {
 protected:
  OutputSyncTest() {
    store_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
      if (operation != "stored") ++operations_;
      return hook_ ? hook_(operation, name) : Status();
    });
    tree_.MakeFolder("out");
    EXPECT_TRUE(sync_.Open(std::nullopt));
  }

  void Write(const std::string& name, std::string_view content) {
    tree_.Write("out/" + name, content);
  }

  Status PollUntilQuiet() {
    auto polled = sync_.Poll({});
    if (!polled) return polled;
    clock_.Advance(kOutputQuiet);
    return sync_.Poll({});
  }

  std::map<std::string, std::string> Stored() const {
    std::map<std::string, std::string> stored;
    for (const auto& [name, info] : store_.Objects()) stored[name] = *store_.Peek(name);
    return stored;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  test::MemoryStore::Hook hook_;
  std::atomic<int> operations_ = 0;
  OutputSync sync_{{store_, PosixFileSystem(), clock_}, {tree_ / "out", "k-1"}};
};

TEST_F(OutputSyncTest, StoresFileAfterQuietTime) {
  Write("a", "one");
  ASSERT_TRUE(sync_.Poll({}));
  EXPECT_THAT(Stored(), IsEmpty()) << "it may still be written";
  ASSERT_TRUE(PollUntilQuiet());
  EXPECT_THAT(Stored(), ElementsAre(Pair("outputs/k-1/a", "one")));
  for (int i = 0; i < 5; ++i) {
    Write("b", std::string(static_cast<std::size_t>(i) + 1, 'b'));
    ASSERT_TRUE(sync_.Poll({}));
    clock_.Advance(kOutputQuiet - std::chrono::seconds(1));
  }
  EXPECT_THAT(Stored(), ElementsAre(Pair("outputs/k-1/a", "one"))) << "b keeps changing";
}

TEST_F(OutputSyncTest, NamesUnstoredOutputs) {
  Write("a", "one");
  std::filesystem::create_symlink("/etc/passwd", tree_ / "out/evil");
  EXPECT_THAT(sync_.Skipped({}), ElementsAre(HasSubstr("evil: points outside")));
}

TEST_F(OutputSyncTest, DoesNotResendUnchangedFiles) {
  Write("a", "one");
  Write("b", "two");
  ASSERT_TRUE(PollUntilQuiet());
  EXPECT_EQ(operations_, 2) << "one put a file";
  ASSERT_TRUE(PollUntilQuiet());
  EXPECT_EQ(operations_, 2) << "nothing changed";
  Write("b", "three");
  const auto report = sync_.Finish({});
  ASSERT_TRUE(report);
  EXPECT_EQ(operations_, 3) << "only what changed, and by one request";
  EXPECT_EQ(report->files, 2U);
  EXPECT_EQ(report->bytes, 8U);
  EXPECT_THAT(Stored(), ElementsAre(Pair("outputs/k-1/a", "one"), Pair("outputs/k-1/b", "three")));
}

TEST_F(OutputSyncTest, ReplacesFilesAndRemovesDeletedOnesAtTheEnd) {
  Write("a", "long content");
  Write("b", "two");
  ASSERT_TRUE(PollUntilQuiet());
  ASSERT_TRUE(
      store::PutBytes(store_, "outputs/k-1/foreign", "x", store::Precondition::Absent(), {}));
  Write("a", "short");
  std::filesystem::remove(tree_ / "out/b");
  ASSERT_TRUE(PollUntilQuiet());
  EXPECT_EQ(Stored().at("outputs/k-1/a"), "short");
  EXPECT_EQ(Stored().count("outputs/k-1/b"), 1U) << "until the end";
  ASSERT_TRUE(sync_.Finish({}));
  EXPECT_THAT(Stored(),
              ElementsAre(Pair("outputs/k-1/a", "short"), Pair("outputs/k-1/foreign", "x")))
      << "an object that this instance did not store";
}

TEST_F(OutputSyncTest, ResendsFileThatChangedMeanwhile) {
  Write("a", "one");
  bool changed = false;
  hook_ = [&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stored" && !std::exchange(changed, true)) Write("a", "other");
    return {};
  };
  ASSERT_TRUE(PollUntilQuiet());
  ASSERT_TRUE(sync_.Finish({}));
  EXPECT_EQ(Stored().at("outputs/k-1/a"), "other");
}

TEST_F(OutputSyncTest, SurvivesLostResponse) {
  Write("a", "one");
  bool lost = false;
  hook_ = [&](std::string_view operation, std::string_view) -> Status {
    if (operation == "stored" && !std::exchange(lost, true)) {
      return Fail(ErrorCode::kUnavailable, "the response was lost");
    }
    return {};
  };
  EXPECT_FALSE(PollUntilQuiet());
  Write("b", "two");
  const auto report = sync_.Finish({});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
  EXPECT_THAT(Stored(), ElementsAre(Pair("outputs/k-1/a", "one"), Pair("outputs/k-1/b", "two")));
}

TEST_F(OutputSyncTest, StoresOtherFilesIfOneIsRejected) {
  Write("a", "one");
  Write("b", "two");
  hook_ = [](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name.ends_with("/a")) {
      return Fail(ErrorCode::kInvalidArgument, "no such name");
    }
    return {};
  };
  const auto report = sync_.Finish({});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->failure);
  EXPECT_EQ(report->files, 1U);
  EXPECT_THAT(Stored(), ElementsAre(Pair("outputs/k-1/b", "two")));
}

}  // namespace
}  // namespace kinetic::runner
