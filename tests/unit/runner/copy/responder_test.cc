#include "runner/copy/responder.h"

#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace kinetic::runner {
namespace {

using std::chrono::seconds;

class CopyResponderTest : public ::testing::Test {
 protected:
  CopyResponderTest() {
    record_.id = "k-1";
    record_.nonce = "00aa";
    tree_.Write("run/work/train.log", "line\n");
    store_.SetHook([this](std::string_view operation, std::string_view) -> Status {
      if (operation == "list") ++lists_;
      if (operation == "stat") ++stats_;
      return {};
    });
  }

  void Start() { responder_.emplace(CopiedJob{store_, files_, record_, runtime_}, clock_); }

  void Request(const std::string& id, const record::JobKey& job) {
    ASSERT_TRUE(store::Overwrite(store_, record::CopyRequestName("k-1", id),
                                 ToJson(record::CopyRequest{.job = job, .path = "train.log"}), {}));
    ASSERT_TRUE(store::Overwrite(store_, record::CopyMarkerName("k-1"), "", {}));
  }
  bool HasAnswer(const std::string& id) const {
    return store_.Peek(record::CopyAnswerName("k-1", id)).has_value();
  }

  /// Advances the clock until the condition holds.
  void AdvanceUntil(const std::function<bool()>& condition) {
    for (int i = 0; i < 10000 && !condition(); ++i) {
      clock_.Advance(std::chrono::milliseconds(100));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(condition());
  }

  test::TempTree tree_;
  test::FakeClock clock_{false};
  test::MemoryStore store_{clock_};
  record::Record record_;
  const local::Runtime runtime_{tree_ / "run"};
  const local::ProgramFiles files_ =
      *local::ProgramFiles::Open(PosixFileSystem(), tree_.MakeFolder("run"), std::nullopt);
  std::atomic<int> lists_ = 0;
  std::atomic<int> stats_ = 0;
  std::optional<CopyResponder> responder_;
};

TEST_F(CopyResponderTest, AnswersARequestOnce) {
  Request("r", {"k-1", "00aa"});
  Start();
  AdvanceUntil([&] { return HasAnswer("r"); });
  const auto answer = record::CopyAnswerFromJson(*store_.Peek(record::CopyAnswerName("k-1", "r")));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->bytes, 5U);
  const int stats = stats_;
  AdvanceUntil([&] { return stats_ > stats + 5; });
  EXPECT_EQ(lists_, 1) << "an unchanged marker means no new request";
}

TEST_F(CopyResponderTest, AnswersAtOnceWhenItIsTold) {
  Start();
  Request("r", {"k-1", "00aa"});
  responder_->CheckNow();
  for (int i = 0; i < 10000 && !HasAnswer("r"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(HasAnswer("r")) << "the clock stands still";
}

TEST_F(CopyResponderTest, ReadsOneObjectWithoutRequests) {
  Start();
  AdvanceUntil([&] { return stats_ >= 5; });
  EXPECT_EQ(lists_, 0);
}

TEST_F(CopyResponderTest, IgnoresRequestsOfOtherJobsAndOldOnes) {
  Request("old", {"k-1", "00aa"});
  clock_.Advance(seconds(90));
  Request("other", {"k-1", "11bb"});
  Request("mine", {"k-1", "00aa"});
  Start();
  AdvanceUntil([&] { return HasAnswer("mine"); });
  responder_.reset();
  EXPECT_FALSE(HasAnswer("old"));
  EXPECT_FALSE(HasAnswer("other"));
}

TEST_F(CopyResponderTest, RemovesWhatItStoredForARequestThatIsGone) {
  std::atomic<bool> removed = false;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    const bool is_file = name.starts_with(record::CopiedFilesFolder("k-1", "r"));
    if (operation != "put" || !is_file || removed.exchange(true)) return {};
    const auto request = store_.Stat(record::CopyRequestName("k-1", "r"), {});
    if (request && *request) (void)store_.RemoveIfUnchanged(**request, {});
    return {};
  });
  Request("r", {"k-1", "00aa"});
  Start();
  AdvanceUntil([&] { return removed.load(); });
  responder_.reset();
  for (const auto& [name, info] : store_.Objects()) {
    EXPECT_FALSE(name.starts_with(record::CopiesFolder("k-1"))) << name;
  }
}

}  // namespace
}  // namespace kinetic::runner
