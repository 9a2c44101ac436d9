#include "job/find.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "local/process_identity.h"
#include "record/heartbeat.h"
#include "record/index.h"
#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>

namespace kinetic::job {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kThisMachine = "local:here:/state";
constexpr const char* kOtherMachine = "local:there:/state";
constexpr seconds kWithinTimeout = record::kHeartbeatTimeout - seconds(10);
constexpr seconds kAfterTimeout = record::kHeartbeatTimeout + seconds(10);

/// A job that ran and of which the client's target has no trace.
struct GoneCase {
  const char* name;
  const char* identity;  ///< of the job's target
  bool has_heartbeat;
  bool is_same_machine;  ///< boot and namespace of PIDs, as far as the heartbeat tells
  bool is_process_alive;
  seconds age;           ///< since the last sign of life
  const char* evidence;  ///< nullptr: the job counts as running
};

std::ostream& operator<<(std::ostream& out, const GoneCase& one) { return out << one.name; }

class GoneSupervisorTest : public ::testing::TestWithParam<GoneCase> {
 protected:
  GoneSupervisorTest() { context_.target().identity = kThisMachine; }

  void Beat(const record::Record& record) {
    const auto self = *local::IdentifyThisProcess("");
    record::Heartbeat heartbeat{.job = KeyOf(record),
                                .host = "there",
                                .machine = local::MachineIdentity(),
                                .pid = self.pid,
                                .start_time = static_cast<std::int64_t>(self.start_time),
                                .boot_id = self.boot_id};
    if (!GetParam().is_same_machine) heartbeat.machine = "another";
    if (!GetParam().is_process_alive) ++heartbeat.start_time;
    ASSERT_TRUE(record::WriteHeartbeat(context_.store(), heartbeat, {}));
  }

  record::Record Run() {
    const auto record = context_.Submit("j", "job", GetParam().identity);
    EXPECT_TRUE(store::Overwrite(context_.store(), record::ClaimName("j", 1), "", {}));
    JobSummary summary = record::SummaryOf(record);
    summary.state = JobState::kRunning;
    summary.attempt = 1;
    EXPECT_TRUE(record::WriteIndex(context_.store(), summary, {}));
    if (GetParam().has_heartbeat) Beat(record);
    context_.clock().Advance(GetParam().age);
    return record;
  }

  test::FakeContext context_;
};

TEST_P(GoneSupervisorTest, IsDecidedFromItsHeartbeat) {
  Run();
  const auto found = FindJob(*context_, "j", {});
  ASSERT_TRUE(found);
  auto summary = Refresh(*context_, *found, {});
  ASSERT_TRUE(summary) << summary.error().message;
  // A single look at a clock is no evidence, but the next one at an unchanged heartbeat is.
  const bool is_provable = GetParam().identity == std::string(kThisMachine) &&
                           (!GetParam().has_heartbeat || GetParam().is_same_machine);
  if (GetParam().evidence != nullptr && !is_provable) {
    EXPECT_EQ(summary->state, JobState::kRunning);
    EXPECT_THAT(summary->reason, HasSubstr(GetParam().evidence));
    EXPECT_THAT(summary->reason, HasSubstr("may be lost"));
    context_.clock().Advance(record::kHeartbeatTimeout);
    summary = Refresh(*context_, *found, {});
    ASSERT_TRUE(summary) << summary.error().message;
  }
  if (GetParam().evidence == nullptr) {
    EXPECT_EQ(summary->state, JobState::kRunning);
    EXPECT_FALSE(*ReadResult(*context_, "j", {}));
    return;
  }
  EXPECT_EQ(summary->state, JobState::kLost);
  const auto stored = *ReadResult(*context_, "j", {});
  ASSERT_TRUE(stored);
  EXPECT_THAT(stored->evidence, HasSubstr(GetParam().evidence));
  EXPECT_EQ(stored->outcome.phase, Phase::kRun);
  // The commands that would wait for the supervisor end.
  EXPECT_EQ(AwaitOutcome(*context_, "j", nullptr, {}, {})->state, JobState::kLost);
  EXPECT_TRUE(CancelJob(*context_, "j", {}));
  EXPECT_TRUE(RemoveJob(*context_, *found, {}));
}

TEST_P(GoneSupervisorTest, WaitEnds) {
  Run();
  if (GetParam().is_process_alive && GetParam().is_same_machine) return;  // it does run
  // The clock advances automatically, and there are no more heartbeats.
  const auto outcome = AwaitOutcome(*context_, "j", nullptr, {}, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->state, JobState::kLost);
}

TEST_P(GoneSupervisorTest, ForceRemovesTheJob) {
  const auto record = Run();
  ASSERT_TRUE(ForceRemoveJob(*context_, record::SummaryOf(record), nullptr, {}));
  EXPECT_FALSE(*context_.store().Stat(record::RecordName("j"), {}));
  EXPECT_EQ(FindJob(*context_, "j", {}).error().code, ErrorCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(
    All, GoneSupervisorTest,
    ::testing::Values(
        GoneCase{"same_machine", kThisMachine, true, true, false, seconds(1),
                 "is gone, and so is its"},
        GoneCase{"same_machine_alive", kThisMachine, true, true, true, kAfterTimeout, nullptr},
        GoneCase{"never_beat", kThisMachine, false, false, false, kSubmissionTimeout + seconds(1),
                 "its runtime directory no longer exists"},
        GoneCase{"never_beat_young", kThisMachine, false, false, false, seconds(1), nullptr},
        GoneCase{"restarted_container", kThisMachine, true, false, false, kAfterTimeout,
                 "no heartbeat"},
        GoneCase{"container_of_that_name", kThisMachine, true, false, true, kWithinTimeout,
                 nullptr},
        GoneCase{"other_machine", kOtherMachine, true, false, false, kAfterTimeout,
                 "no heartbeat since"},
        GoneCase{"other_machine_alive", kOtherMachine, true, false, true, kWithinTimeout, nullptr},
        GoneCase{"other_machine_never_beat", kOtherMachine, false, false, false, kAfterTimeout,
                 kOtherMachine},
        GoneCase{"other_machine_young", kOtherMachine, false, false, false, kWithinTimeout,
                 nullptr}),
    [](const auto& one) { return std::string(one.param.name); });

/// Any clock may be wrong by any amount at any observation: only the steady time between two
/// observations of the same heartbeat counts.
TEST(LivenessTest, NoClockMakesALivingJobLost) {
  test::FakeContext context;
  context.target().identity = kThisMachine;
  const auto record = context.Submit("j", "job", kOtherMachine);
  const record::Heartbeat heartbeat{
      .job = KeyOf(record), .host = "there", .machine = "m", .pid = 1, .boot_id = "b"};
  std::mt19937 random(7);
  std::uniform_int_distribution<int> days(-60, 400);
  for (int i = 0; i < 500; ++i) {
    if (i % 5 == 0) {
      ASSERT_TRUE(record::WriteHeartbeat(context.store(), heartbeat, {}));
    }
    context.clock().Jump(std::chrono::hours(24 * days(random)));
    context.clock().Advance(seconds(30));
    const auto summary = Refresh(*context, record::SummaryOf(record), {});
    ASSERT_TRUE(summary) << summary.error().message;
    ASSERT_EQ(summary->state, JobState::kPending) << "after " << i << " observations";
  }
  EXPECT_FALSE(*ReadResult(*context, "j", {}));
}

TEST(LivenessTest, IgnoresHeartbeatsOfOtherJobs) {
  test::FakeContext context;
  context.target().identity = kThisMachine;
  const auto record = context.Submit("j", "job", kOtherMachine);
  record::Heartbeat foreign{.job = {"k", ""}, .host = "h", .machine = "m", .boot_id = "b"};
  ASSERT_TRUE(store::Overwrite(context.store(), record::HeartbeatName("j"), ToJson(foreign), {}));
  EXPECT_FALSE(*record::ReadHeartbeat(context.store(), KeyOf(record), {}));
  ASSERT_TRUE(store::Overwrite(context.store(), record::HeartbeatName("j"), "?", {}));
  EXPECT_FALSE(*record::ReadHeartbeat(context.store(), KeyOf(record), {}));
}

TEST(LivenessTest, HeartbeatsStopWithTheRecord) {
  test::FakeContext context;
  const record::Heartbeat heartbeat{.job = {"removed", ""}, .host = "h", .machine = "m"};
  ASSERT_TRUE(record::WriteHeartbeat(context.store(), heartbeat, {}));
  EXPECT_FALSE(*context.store().Stat(record::HeartbeatName("removed"), {}));
}

/// A job that was started on a cluster on which it no longer exists.
TEST(DeletedJob, IsLost) {
  test::FakeContext context;
  context.target().is_cluster = true;
  context.target().identity = "kubernetes:https://c#1/ml";
  const auto record = context.Submit("j", "job", context.target().identity);
  const JobSummary submitted = record::SummaryOf(record);
  EXPECT_EQ(Refresh(*context, submitted, {})->state, JobState::kPending);
  EXPECT_TRUE(store::Overwrite(context.store(), record::ClaimName("j", 1), "", {}));
  const auto lost = Refresh(*context, submitted, {});
  ASSERT_TRUE(lost) << lost.error().message;
  EXPECT_EQ(lost->state, JobState::kLost);
  EXPECT_EQ(lost->reason, "its Job was deleted from the cluster");
}

}  // namespace
}  // namespace kinetic::job
