#include "backend/local/runtimes.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::backend {
namespace {

using ::testing::HasSubstr;

class LocalCollect : public ::testing::Test {
 protected:
  void KeepOutcome(JobState state, const std::string& id = "k") {
    record::StoredOutcome stored;
    stored.job.id = id;
    stored.outcome.state = state;
    stored.outcome.attempt = 2;
    stored.written_by = "runner";
    tree_.Write("outcome.json", record::ToJson(stored));
  }
  Result<CollectedState> Collect() {
    return CollectRuntime(PosixFileSystem(), store_, local::Runtime{tree_.path()}, "k", {});
  }
  std::string Stored(const std::string& name) { return store_.Peek(name).value_or("(absent)"); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  test::TempTree tree_;
};

TEST_F(LocalCollect, StoresValueAndOutputsOfSuccess) {
  KeepOutcome(JobState::kSucceeded);
  tree_.Write("exchange/value.json", "[1,2]");
  tree_.Write("output/a/b.txt", "kept");
  const auto state = Collect();
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_TRUE(state->outcome);
  EXPECT_EQ(state->outcome->outcome.value.ToJson(), "[1,2]");
  EXPECT_EQ(Stored("outputs/k/a/b.txt"), "kept");
  EXPECT_EQ(Stored(record::ValueName(record::RunKey("k", 2))), "[1,2]");
}

TEST_F(LocalCollect, IgnoresOutcomeOfAnotherJob) {
  KeepOutcome(JobState::kSucceeded, "other");
  const auto remains = Collect();
  ASSERT_TRUE(remains) << remains.error().message;
  EXPECT_FALSE(remains->outcome);
}

TEST_F(LocalCollect, RefersToLargeValueByDigest) {
  KeepOutcome(JobState::kSucceeded);
  const std::string json = "\"" + std::string(record::kInlineValueBytes, 'x') + "\"";
  tree_.Write("exchange/value.json", json);
  const auto state = Collect();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->outcome->value, Sha256::Of(json));
}

TEST_F(LocalCollect, FailureHasNoValue) {
  KeepOutcome(JobState::kFailed);
  tree_.Write("exchange/value.json", "1");
  const auto state = Collect();
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->outcome->outcome.value.IsNull());
}

TEST_F(LocalCollect, StoresOutputsWithoutOutcome) {
  tree_.Write("output/half.txt", "half");
  tree_.Write("exchange/value.json", "[1,");  // killed while it was written
  const auto state = Collect();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_FALSE(state->outcome);
  EXPECT_EQ(Stored("outputs/k/half.txt"), "half");
}

TEST_F(LocalCollect, MissingFolderHasNothingToStore) {
  const auto state = CollectRuntime(PosixFileSystem(), store_,
                                    local::RuntimeOf(tree_ / "state", "gone"), "gone", {});
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_FALSE(state->outcome);
}

TEST_F(LocalCollect, DamagedValueFailsJob) {
  KeepOutcome(JobState::kSucceeded);
  tree_.Write("exchange/value.json", "[1");
  const auto state = Collect();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->outcome->outcome.state, JobState::kFailed);
  EXPECT_EQ(state->outcome->outcome.phase, Phase::kCollect);
}

TEST_F(LocalCollect, UnavailableStoreIsAnError) {
  KeepOutcome(JobState::kSucceeded);
  tree_.Write("output/a", "kept");
  store_.SetHook([](std::string_view, std::string_view) -> Status {
    return Fail(ErrorCode::kResourceExhausted, "the disk is full");
  });
  const auto state = Collect();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().message, HasSubstr("full"));
}

}  // namespace
}  // namespace kinetic::backend
