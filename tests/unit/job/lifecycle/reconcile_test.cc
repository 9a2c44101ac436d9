#include "job/lifecycle/reconcile.h"

#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/ended_task.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReconcileTest : public ::testing::Test {
 protected:
  /// A job whose supervisor died while it ran.
  test::FakeTarget::FakeJob& Die(const std::string& id) {
    auto& job = context_.target().jobs[id];
    job.lost = "its supervisor, process 812, is gone";
    job.observation.status.attempt = 2;
    job.observation.status.phase = Phase::kRun;
    job.observation.status.timeline = {{"started", context_.clock().Now(), ""}};
    return job;
  }
  Outcome ResultOf(const std::string& id) { return (*ReadResult(*context_, id, {}))->outcome; }

  test::FakeContext context_;
};

TEST_F(ReconcileTest, MarksAbandonedJobLostWithEvidence) {
  context_.Submit("j");
  Die("j");
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  const Outcome outcome = ResultOf("j");
  EXPECT_EQ(outcome.state, JobState::kLost);
  EXPECT_EQ(outcome.exit_code, 125);
  EXPECT_EQ(outcome.exit_source, ExitSource::kKinetic);
  EXPECT_EQ(outcome.phase, Phase::kRun);
  EXPECT_EQ(outcome.attempt, 2U);
  EXPECT_THAT(outcome.reason, HasSubstr("812"));
  EXPECT_EQ((*ReadResult(*context_, "j", {}))->written_by, "client");
  EXPECT_THAT(context_.target().jobs, IsEmpty());
  const auto indexed = record::NewestJobs(context_.store(), 0, {});
  ASSERT_THAT(*indexed, SizeIs(1));
  EXPECT_EQ(indexed->front().state, JobState::kLost);
}

TEST_F(ReconcileTest, LostJobHeldItsNodeUntilItsLastEvent) {
  using std::chrono::seconds;
  context_.target().price = JobPrice{.region = "us-west4", .price = Price{1.20, "2026-11-28"}};
  const auto record = context_.Submit("j", "job", "fake:here", "nonce");
  record::StoredOutcome first;
  first.job = KeyOf(record);
  first.outcome.state = JobState::kPreempted;
  first.written_by = "runner";
  first.node_time = seconds(10);
  ASSERT_TRUE(store::PutBytes(context_.store(), record::RunResultName(record::RunKey("j", 1)),
                              record::ToJson(first), store::Precondition::Absent(), {}));
  const WallTime now = context_.clock().Now();
  Die("j").observation.status.timeline = {{"scheduled", now, ""},
                                          {"started", now + seconds(40), ""}};
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_EQ((*ReadResult(*context_, "j", {}))->node_time, seconds(50));
  const auto indexed = record::NewestJobs(context_.store(), 0, {});
  ASSERT_THAT(*indexed, SizeIs(1));
  EXPECT_EQ(indexed->front().node_time, seconds(50));
  EXPECT_EQ(indexed->front().price, record.price);
}

TEST_F(ReconcileTest, ArrayHeldTheNodesOfAllItsTasks) {
  using std::chrono::milliseconds;
  context_.target().price = JobPrice{.region = "us-west4", .price = Price{1.20, "2026-11-28"}};
  auto record = context_.Submit("j", "job", "fake:here", "nonce");
  record.spec.array = ArraySpec{.count = 2};
  ASSERT_TRUE(
      store::Overwrite(context_.store(), record::RecordName("j"), record::ToJson(record), {}));
  for (const std::uint32_t task : {0U, 1U}) {
    record::StoredOutcome stored;
    stored.job = {record::TaskId("j", task), record::TaskNonce("nonce", task)};
    stored.outcome.state = JobState::kSucceeded;
    stored.node_time = milliseconds(1000 + task);
    ASSERT_TRUE(record::WriteEndedTask(context_.store(), stored, {}));
  }
  Die("j");
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_EQ((*ReadResult(*context_, "j", {}))->node_time, milliseconds(2001));
}

TEST_F(ReconcileTest, AppendsRemainingLog) {
  context_.Submit("j");
  context_.StoreSegment("j", 0, {"a", "b"});
  auto& job = Die("j");
  job.log = {"a", "b", "c", "d"};
  job.first_in_spool = 1;
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ((*ReadResult(*context_, "j", {}))->log_records, 4U);
}

TEST_F(ReconcileTest, RetriesTemporarilyUnreadableLog) {
  context_.Submit("j");
  auto& job = Die("j");
  job.outcome.emplace().outcome.state = JobState::kFailed;
  job.log_error = Error{ErrorCode::kUnavailable, "dial tcp: connection refused", "", {}};
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_FALSE(*ReadResult(*context_, "j", {}));
  job.log_error.reset();
  job.log_availability.unavailable_reason = "its node n2 does not respond";
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_FALSE(*ReadResult(*context_, "j", {}));
  job.log_availability.unavailable_reason.clear();
  job.log = {"a", "b"};
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_EQ(ResultOf("j").state, JobState::kFailed);
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b"));
}

TEST_F(ReconcileTest, RecordsUnreadableLogAsGap) {
  for (const std::string id : {"refused", "silent"}) {
    context_.Submit(id);
    context_.StoreSegment(id, 0, {"a"});
    auto& job = Die(id);
    job.outcome.emplace().outcome.state = JobState::kPreempted;
    job.outcome->outcome.reason = "preempted";
    job.log_availability.is_final = true;
  }
  context_.target().jobs["refused"].log = {"a", "b"};
  context_.target().jobs["refused"].log_error =
      Error{ErrorCode::kUnavailable, "node n2 is away", "", {}};
  context_.target().jobs["silent"].log_availability.unavailable_reason = "node n2 is away";
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_THAT(context_.target().jobs, IsEmpty());
  const std::string told = "the end of the log could not be read: node n2 is away";
  EXPECT_THAT(context_.ReadLog("refused"), ElementsAre("a", "b", "[" + told + "]\n"));
  EXPECT_THAT(context_.ReadLog("silent", {.follow = true}), ElementsAre("a", "[" + told + "]\n"));
  for (const std::string id : {"refused", "silent"}) {
    EXPECT_EQ(ResultOf(id).state, JobState::kPreempted);
    EXPECT_EQ(ResultOf(id).reason,
              "preempted; the end of its log could not be read: node n2 is away");
  }
}

TEST_F(ReconcileTest, SplitsLongLogIntoSegments) {
  context_.Submit("j");
  auto& job = Die("j");
  for (int i = 0; i < 200; ++i)
    job.log.push_back(std::string(50000, static_cast<char>('a' + i % 26)));
  const auto expected = job.log;
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_EQ(context_.ReadLog("j"), expected);
}

TEST_F(ReconcileTest, RemovesClusterJobWithoutRecordAfterSubmission) {
  context_.target().is_cluster = true;
  auto& job = Die("j");
  job.outcome.emplace().outcome.state = JobState::kLost;
  for (const auto& young : {std::optional<WallTime::duration>(), {std::chrono::minutes(59)}}) {
    job.age = young;
    ASSERT_TRUE(ReconcileAll(*context_, {}));
    EXPECT_THAT(context_.target().jobs, SizeIs(1)) << "its record may be stored soon";
  }
  job.age = std::chrono::hours(1);
  ASSERT_TRUE(ReconcileAll(*context_, {})) << "by the first command of another process";
  EXPECT_THAT(context_.target().jobs, IsEmpty());
  EXPECT_FALSE(*ReadResult(*context_, "j", {}));
}

TEST_F(ReconcileTest, KeepsExistingResult) {
  context_.Submit("j");
  context_.StoreResult("j", JobState::kSucceeded);
  Die("j");
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_EQ(ResultOf("j").state, JobState::kSucceeded);
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(ReconcileTest, StoresMissingEndOfLog) {
  context_.Submit("j");
  context_.StoreSegment("j", 0, {"a", "b"});
  context_.StoreResult("j", JobState::kSucceeded, 4);
  auto& job = context_.target().jobs["j"];
  job.log = {"a", "b", "c", "d"};
  job.first_in_spool = 2;
  ASSERT_TRUE(AwaitOutcome(*context_, "j", nullptr, {}, {}));
  EXPECT_THAT(context_.target().jobs, IsEmpty());
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b", "c", "d"));
}

TEST_F(ReconcileTest, RemovesJobWithoutRecord) {
  Die("orphan");
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_FALSE(*ReadResult(*context_, "orphan", {}));
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(ReconcileTest, StoresOutcomeOfRunner) {
  context_.Submit("j");
  auto& job = Die("j");
  job.log = {"a", "b"};
  job.outcome.emplace();
  job.outcome->outcome.state = JobState::kSucceeded;
  job.outcome->outcome.value = 42;
  job.outcome->written_by = "runner";
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  const auto stored = *ReadResult(*context_, "j", {});
  EXPECT_EQ(stored->outcome.state, JobState::kSucceeded);
  EXPECT_EQ(stored->outcome.value.ToJson(), "42");
  EXPECT_EQ(stored->written_by, "client");
  EXPECT_THAT(stored->evidence, HasSubstr("812"));
  EXPECT_EQ(stored->log_records, 2U);
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b"));
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(ReconcileTest, KeepsOutcomeWithoutRecord) {
  Die("elsewhere").outcome.emplace();
  ASSERT_TRUE(ReconcileAll(*context_, {}));
  EXPECT_FALSE(*ReadResult(*context_, "elsewhere", {}));
  EXPECT_THAT(context_.target().jobs, SizeIs(1));
}

TEST_F(ReconcileTest, MarksUnstartedJobLostAfterTimeout) {
  const auto record = context_.Submit("j");
  auto summary = Refresh(*context_, SummaryOf(record), {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->state, JobState::kPending) << "its client may be about to start it";
  context_.clock().Advance(kSubmissionTimeout + std::chrono::seconds(1));
  summary = Refresh(*context_, SummaryOf(record), {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->state, JobState::kLost);
  EXPECT_THAT(summary->reason, HasSubstr("before the job was started"));
}

TEST_F(ReconcileTest, SkipsJobsOfOtherMachines) {
  const auto record = context_.Submit("j");
  context_.target().identity = "fake:elsewhere";
  context_.clock().Advance(std::chrono::hours(1));
  const auto summary = Refresh(*context_, SummaryOf(record), {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->state, JobState::kPending);
  const auto cancelled = CancelJob(*context_, "j", {});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(cancelled.error().message, HasSubstr("fake:here"));
}

TEST_F(ReconcileTest, WaitsForJobOfAnotherMachine) {
  context_.Submit("j");
  context_.target().identity = "fake:elsewhere";
  const auto begin = context_.clock().Steady();
  const std::jthread other([&] {
    while (context_.clock().Steady() == begin) std::this_thread::yield();
    context_.StoreResult("j", JobState::kSucceeded, 0);
  });
  const auto outcome =
      AwaitOutcome(*context_, "j", nullptr, {}, {});  // the clock advances automatically
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->state, JobState::kSucceeded);
}

TEST_F(ReconcileTest, WaitEndsForUnstartedJob) {
  context_.Submit("j");
  const auto outcome =
      AwaitOutcome(*context_, "j", nullptr, {}, {});  // the clock advances automatically
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->state, JobState::kLost);
}

TEST_F(ReconcileTest, RefreshReturnsTargetState) {
  const auto record = context_.Submit("j");
  auto& job = context_.target().jobs["j"];
  job.observation.alive = true;
  job.observation.status.state = JobState::kQueued;
  job.observation.status.reason = "waiting for 2 jobs";
  const auto summary = Refresh(*context_, SummaryOf(record), {});
  EXPECT_EQ(summary->state, JobState::kQueued);
  EXPECT_EQ(summary->reason, "waiting for 2 jobs");
  job.observation.status.state = JobState::kSucceeded;
  EXPECT_EQ(Refresh(*context_, SummaryOf(record), {})->state, JobState::kRunning)
      << "ends when the result exists";
}

/// Both writing the same object would exceed the limit of a bucket.
TEST_F(ReconcileTest, LeavesTheIndexToALivingSupervisor) {
  const auto record = context_.Submit("j");
  context_.StoreResult("j", JobState::kSucceeded);
  auto& job = context_.target().jobs["j"];
  job.observation.alive = true;
  job.observation.status.state = JobState::kSucceeded;
  EXPECT_EQ(Refresh(*context_, SummaryOf(record), {})->state, JobState::kSucceeded);
  EXPECT_FALSE(*record::IsIndexedAsEnded(context_.store(), record.created, "j", {}));
  job.observation.alive = false;
  EXPECT_EQ(Refresh(*context_, SummaryOf(record), {})->state, JobState::kSucceeded);
  EXPECT_TRUE(*record::IsIndexedAsEnded(context_.store(), record.created, "j", {}));
}

}  // namespace
}  // namespace kinetic::job
