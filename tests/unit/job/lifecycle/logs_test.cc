#include "job/lifecycle/logs.h"

#include "record/object_names.h"
#include "support/memory_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LogsTest : public ::testing::Test {
 protected:
  LogsTest() {
    context_.Submit("j");
    auto& job = context_.target().jobs["j"];
    job.observation.alive = true;
    job.log = {"a", "b", "c", "d"};
  }

  test::FakeContext context_;
};

TEST_F(LogsTest, ReadsEmptyLog) {
  context_.Submit("k");
  EXPECT_THAT(context_.ReadLog("k"), IsEmpty());
  EXPECT_THAT(context_.ReadLog("k", {.follow = true}), IsEmpty());
}

TEST_F(LogsTest, ContinuesFromStoreToSpool) {
  context_.StoreSegment("j", 0, {"a", "b"});
  context_.target().jobs["j"].first_in_spool = 2;
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b", "c", "d"));
}

TEST_F(LogsTest, ReadsDuplicateRecordsOnce) {
  context_.StoreSegment("j", 0, {"a", "b"});
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b", "c", "d"));
}

TEST_F(LogsTest, ReadsSegmentThatMovesToStore) {
  context_.StoreSegment("j", 0, {"a"});
  context_.target().jobs["j"].first_in_spool = 1;
  int calls = 0;
  context_.target().before_logs = [&] {
    if (++calls > 1) return;
    context_.StoreSegment("j", 1, {"b", "c"});
    context_.target().jobs["j"].first_in_spool = 3;
  };
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(context_.ReadLog("j", {.from_sequence = 1}), ElementsAre("b", "c", "d"));
}

TEST_F(LogsTest, FollowsUntilResult) {
  int calls = 0;
  context_.target().before_logs = [&] {
    if (++calls < 3) {
      context_.target().jobs["j"].log.push_back("more");
    } else if (calls == 3) {
      context_.StoreSegment("j", 0, {"a", "b", "c", "d", "more", "more", "last"});
      context_.StoreResult("j", JobState::kSucceeded, 7);
    }
  };
  EXPECT_THAT(context_.ReadLog("j", {.follow = true}),
              ElementsAre("a", "b", "c", "d", "more", "more", "last"));
}

TEST_F(LogsTest, SendsNoRequestAfterWholeLog) {
  const auto store = std::make_shared<test::MemoryStore>(context_.clock());
  context_->store = store;
  context_.Submit("j");
  context_.target().jobs["j"].log_is_whole = true;
  bool is_read = false;
  context_.target().before_logs = [&] { is_read = true; };
  std::vector<std::string> later;
  store->SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (is_read) later.push_back(std::string(operation) + " " + std::string(name));
    return {};
  });
  EXPECT_THAT(context_.ReadLog("j", {.follow = true}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(later, IsEmpty());
}

TEST_F(LogsTest, StopsFollowingAbandonedJob) {
  context_.target().jobs["j"].observation.alive = false;
  EXPECT_THAT(context_.ReadLog("j", {.follow = true}), ElementsAre("a", "b", "c", "d"));
}

TEST_F(LogsTest, StartsAtSequenceNumber) {
  EXPECT_THAT(context_.ReadLog("j", {.from_sequence = 2}), ElementsAre("c", "d"));
  EXPECT_THAT(context_.ReadLog("j", {.from_sequence = 9}), IsEmpty());
}

TEST_F(LogsTest, TailIsExactWithOutdatedStatus) {
  context_.target().jobs["j"].observation.status.log_records = 2;
  EXPECT_THAT(context_.ReadLog("j", {.tail = 3}), ElementsAre("b", "c", "d"));
  EXPECT_THAT(context_.ReadLog("j", {.tail = 1}), ElementsAre("d"));
  EXPECT_THAT(context_.ReadLog("j", {.tail = 0}), IsEmpty());
  EXPECT_THAT(context_.ReadLog("j", {.tail = 9}), ElementsAre("a", "b", "c", "d"));
}

TEST_F(LogsTest, ReadsTailOfEndedJobFromStore) {
  context_.StoreSegment("j", 0, {"a", "b"});
  context_.StoreSegment("j", 2, {"c", "d"});
  context_.StoreResult("j", JobState::kFailed, 4);
  context_.target().jobs.clear();
  EXPECT_THAT(context_.ReadLog("j", {.tail = 3}), ElementsAre("b", "c", "d"));
}

TEST_F(LogsTest, FollowsJobOfAnotherMachine) {
  context_.target().jobs.clear();
  context_.target().identity = "fake:elsewhere";
  context_.StoreSegment("j", 0, {"a", "b"});
  int looks = 0;
  context_.target().before_logs = [&] {
    if (++looks == 3) context_.StoreSegment("j", 2, {"c"});
    if (looks == 5) context_.StoreSegment("j", 5, {"d"});
    if (looks == 7) context_.StoreResult("j", JobState::kSucceeded, 8);
  };
  EXPECT_THAT(
      context_.ReadLog("j", {.follow = true}),
      ElementsAre("a", "b", "c", "[2 records are missing]\n", "d", "[2 records are missing]\n"));
  EXPECT_TRUE(*context_.store().Stat(record::FollowMarkerName("j"), {}))
      << "the runner sees the marker";
}

TEST_F(LogsTest, StopsFollowingRemovedJob) {
  context_.target().jobs.clear();
  context_.target().identity = "fake:elsewhere";
  context_.StoreSegment("j", 0, {"a"});
  int looks = 0;
  context_.target().before_logs = [&] {
    if (++looks < 3) return;
    const auto record = context_.store().Stat(record::RecordName("j"), {});
    if (record && *record) {
      EXPECT_TRUE(context_.store().RemoveIfUnchanged(**record, {}));
    }
  };
  EXPECT_THAT(context_.ReadLog("j", {.follow = true}), ElementsAre("a"));
}

TEST_F(LogsTest, PropagatesReaderError) {
  const auto read =
      ReadLogs(*context_, "j", {},
               [](const LogRecord&) { return Status(Fail(ErrorCode::kAborted, "x")); }, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kAborted);
}

}  // namespace
}  // namespace kinetic::job
