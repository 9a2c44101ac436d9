#include "runner/outcome/checkpoints.h"

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_removal.h"
#include "record/object_names.h"
#include "record/referenced_trees.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Files = std::map<std::string, std::string>;

class CheckpointsTest : public ::testing::Test {
 protected:
  CheckpointsTest() {
    clock_.Jump(std::chrono::system_clock::now() - clock_.Now());
    store_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
      if (operation != "stored") ++operations_;
      return hook_ ? hook_(operation, name) : Status();
    });
  }

  Checkpoints On(const std::string& machine) {
    return Checkpoints({store_, PosixFileSystem(), clock_},
                       {tree_ / (machine + "/folder"), tree_ / (machine + "/cache"), "k-1"});
  }

  void Write(const std::string& name, std::string_view content) {
    tree_.Write("a/folder/" + name, content);
  }

  Files Read(const std::string& machine) const {
    Files files;
    const Path folder = tree_ / (machine + "/folder");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = entry.path().lexically_relative(folder).native();
      files[path] = tree_.Read(machine + "/folder/" + path);
    }
    return files;
  }

  std::vector<std::string> Manifests() const {
    std::vector<std::string> names;
    for (const auto& [name, info] : store_.Objects()) {
      if (name.starts_with("checkpoints/")) names.push_back(name);
    }
    return names;
  }

  /// Polls twice with the quiet time between.
  Status PollUntilQuiet(Checkpoints& checkpoints) {
    auto polled = checkpoints.Poll({});
    if (!polled) return polled;
    clock_.Advance(kCheckpointQuiet);
    return checkpoints.Poll({});
  }

  /// Returns what an attempt on another machine starts with.
  Files RestoredElsewhere() {
    Checkpoints other = On("b");
    const auto restored = other.Restore(2, {});
    EXPECT_TRUE(restored) << restored.error().message;
    return Read("b");
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  test::MemoryStore::Hook hook_;
  std::atomic<int> operations_ = 0;  // several threads write
};

TEST_F(CheckpointsTest, RestoresLastCompleteStateOnAnotherMachine) {
  Checkpoints checkpoints = On("a");
  const auto none = checkpoints.Restore(1, {});
  ASSERT_TRUE(none && !*none);
  Write("step", "7");
  Write("deep/weights", std::string(3 << 20, 'w'));
  ASSERT_TRUE(checkpoints.Poll({}));
  EXPECT_THAT(Manifests(), IsEmpty()) << "it may still be written";
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_THAT(Manifests(), ElementsAre("checkpoints/k-1/000000000001"));
  Checkpoints other = On("b");
  const auto restored = other.Restore(2, {});
  ASSERT_TRUE(restored && *restored) << restored.error().message;
  EXPECT_EQ(**restored, "checkpoint 1 of attempt 1: 2 files, 3.0 MiB");
  EXPECT_EQ(Read("b"), Read("a"));
}

TEST_F(CheckpointsTest, UnchangedFolderDoesNotAccessTheStore) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  const int before = operations_;
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_EQ(operations_, before) << "an empty folder";
  Write("step", "7");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  const int saved = operations_;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(PollUntilQuiet(checkpoints));
  ASSERT_TRUE(checkpoints.Finish(false, {}));
  EXPECT_EQ(operations_, saved);
}

TEST_F(CheckpointsTest, DoesNotSaveChangingFolder) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  for (int i = 0; i < 5; ++i) {
    Write("weights", std::string(static_cast<std::size_t>(i) + 1, 'w'));
    ASSERT_TRUE(checkpoints.Poll({}));
    clock_.Advance(kCheckpointQuiet - std::chrono::seconds(1));
    ASSERT_TRUE(checkpoints.Poll({}));
  }
  EXPECT_THAT(Manifests(), IsEmpty());
}

TEST_F(CheckpointsTest, SavesStateOfExitedProgram) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "7");
  ASSERT_TRUE(checkpoints.Finish(false, {}));
  EXPECT_THAT(RestoredElsewhere(), ElementsAre(Pair("step", "7")));
}

TEST_F(CheckpointsTest, NeverRestoresIncompleteState) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "7");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  Write("step", "hal");
  Write("more", "f");
  ASSERT_TRUE(checkpoints.Finish(true, {}));
  EXPECT_THAT(RestoredElsewhere(), ElementsAre(Pair("step", "7")));
  ASSERT_TRUE(checkpoints.Restore(2, {}));
  EXPECT_THAT(Read("a"), ElementsAre(Pair("step", "7"))) << "nor on the same machine";
  Write("step", "8");
  Write(".incomplete", "");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  ASSERT_TRUE(checkpoints.Finish(false, {}));
  EXPECT_THAT(RestoredElsewhere(), ElementsAre(Pair("step", "7")));
}

TEST_F(CheckpointsTest, EmptiesFolderWithoutCompleteState) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "hal");
  ASSERT_TRUE(checkpoints.Finish(true, {}));
  ASSERT_TRUE(checkpoints.Restore(2, {}));
  EXPECT_THAT(Read("a"), IsEmpty());
}

TEST_F(CheckpointsTest, DiscardsStateThatChangedMeanwhile) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "7");
  hook_ = [this](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name.starts_with("trees/")) Write("step", "eight");
    return {};
  };
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_THAT(Manifests(), IsEmpty());
  hook_ = {};
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_THAT(RestoredElsewhere(), ElementsAre(Pair("step", "eight")));
}

TEST_F(CheckpointsTest, KeepsLastTwo) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  for (int i = 1; i <= 4; ++i) {
    Write("step", std::to_string(i));
    ASSERT_TRUE(PollUntilQuiet(checkpoints));
  }
  EXPECT_THAT(Manifests(),
              ElementsAre("checkpoints/k-1/000000000003", "checkpoints/k-1/000000000004"));
  ASSERT_TRUE(checkpoints.Restore(2, {}));
  Write("step", "5");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_THAT(Manifests(),
              ElementsAre("checkpoints/k-1/000000000004", "checkpoints/k-1/000000000005"));
}

TEST_F(CheckpointsTest, SkipsDamagedState) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "1");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  Write("step", "2");
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  const auto listed = *record::ListCheckpoints(store_, "k-1", {});
  store_.Drop(record::TreeName(record::ReadCheckpoint(store_, listed.back(), {})->tree));
  EXPECT_THAT(RestoredElsewhere(), ElementsAre(Pair("step", "1")));
  store_.Drop(record::TreeName(record::ReadCheckpoint(store_, listed.front(), {})->tree));
  const auto none = On("c").Restore(2, {});
  ASSERT_FALSE(none) << "lost progress must be an error";
  EXPECT_THAT(none.error().message, HasSubstr("checkpoint"));
}

TEST_F(CheckpointsTest, ReplacedAttemptSavesNothing) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  Write("step", "7");
  ASSERT_TRUE(
      store::PutBytes(store_, record::ClaimName("k-1", 2), "", store::Precondition::Absent(), {}));
  ASSERT_TRUE(PollUntilQuiet(checkpoints));
  EXPECT_THAT(Manifests(), IsEmpty());
}

TEST_F(CheckpointsTest, RecoversFromFailureAtEachOperation) {
  Files before;
  for (const std::string_view lost : {"", "stored"}) {
    std::atomic<int> seen = 1;
    for (int fail_at = 1; seen >= fail_at; ++fail_at) {
      Checkpoints checkpoints = On("a");
      ASSERT_TRUE(checkpoints.Restore(1, {}));
      const Files now{{"step", std::string(lost) + std::to_string(fail_at)}};
      Write("step", now.at("step"));
      seen = 0;
      hook_ = [&](std::string_view operation, std::string_view) -> Status {
        const bool counts = lost.empty() ? operation != "stored" : operation == lost;
        if (counts && ++seen == fail_at) return Fail(ErrorCode::kUnavailable, "unavailable");
        return {};
      };
      const auto polled = PollUntilQuiet(checkpoints);
      hook_ = {};
      if (!polled) {
        EXPECT_THAT(RestoredElsewhere(), ::testing::AnyOf(before, now)) << fail_at;
        ASSERT_TRUE(PollUntilQuiet(checkpoints)) << fail_at;
      }
      EXPECT_EQ(RestoredElsewhere(), now) << fail_at;
      Write("step", "more");
      ASSERT_TRUE(PollUntilQuiet(checkpoints)) << fail_at;
      before = RestoredElsewhere();
      EXPECT_EQ(before, (Files{{"step", "more"}})) << fail_at;
    }
  }
}

TEST_F(CheckpointsTest, GarbageCollectionKeepsReferencedContent) {
  Checkpoints checkpoints = On("a");
  ASSERT_TRUE(checkpoints.Restore(1, {}));
  for (int i = 1; i <= 4; ++i) {
    Write("weights", std::string(1 << 20, static_cast<char>('a' + i)));
    ASSERT_TRUE(PollUntilQuiet(checkpoints));
  }
  const auto collect = [&] {
    clock_.Advance(std::chrono::hours(24 * 40));
    const auto report = bundle::CollectContent(
        store_, &bundle::ReferencesOf,
        [&](const std::stop_token& stop) -> Result<std::set<Digest>> {
          const auto referrers = record::ListReferrers(store_, stop);
          if (!referrers) return Failure(referrers.error());
          auto references = record::ReadReferences(store_, *referrers, std::chrono::hours(1), stop);
          if (!references) return Failure(references.error());
          return std::move(references->trees);
        },
        {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->removed.size() : 0;
  };
  EXPECT_GE(collect(), 2U) << "the trees of the first two";
  EXPECT_EQ(RestoredElsewhere(), Read("a"));
  EXPECT_EQ(collect(), 0U);
  for (const auto& name : Manifests()) store_.Drop(name);
  collect();
  EXPECT_THAT(store_.Objects(), IsEmpty());
}

}  // namespace
}  // namespace kinetic::runner
