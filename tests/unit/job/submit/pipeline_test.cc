#include "job/submit/pipeline.h"

#include "job/find.h"
#include "job/gc/garbage.h"
#include "job/submit/prepare.h"
#include "job/summary.h"
#include "record/checkpoint.h"
#include "record/index.h"
#include "record/object_names.h"
#include "support/faulty_file_system.h"
#include "unit/job/submit_harness.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

namespace kinetic::job {
namespace {

using test::FaultyFileSystem;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SubmitFaults : public ::testing::TestWithParam<int> {};

TEST_P(SubmitFaults, LeaveJobOrNothingAndRetrySucceeds) {
  std::uint64_t operations = 0;
  for (std::uint64_t failing = 0;; ++failing) {
    std::atomic<bool> healthy = false;
    std::atomic<std::uint64_t> index = 0;
    FaultyFileSystem fs(
        [&](std::uint64_t, std::string_view, const Path&) -> std::optional<int> {
          return !healthy && index++ == failing ? std::optional(GetParam()) : std::nullopt;
        },
        FaultyFileSystem::Reach::kReadsToo);
    SubmitHarness harness(fs);
    index = 0;
    const auto submitted = harness.Submit();
    operations = index;
    healthy = true;
    const std::string what = "operation " + std::to_string(failing);
    if (!submitted) {
      EXPECT_THAT(submitted.error().message, AnyOf(HasSubstr("/"), HasSubstr("read ."))) << what;
      EXPECT_THAT(harness.ObjectsOfJob(), IsEmpty()) << what;
    }
    const auto again = harness.Submit();
    ASSERT_TRUE(again) << what << ": " << again.error().message;
    EXPECT_THAT(harness.ObjectsOfJob(), Contains("jobs/j/record.json")) << what;
    EXPECT_EQ(harness.context().target().jobs.size(), 1U) << what;
    const auto listed = ListJobs(harness.context().clusters(), {}, {});
    ASSERT_TRUE(listed) << what;
    EXPECT_THAT(*listed, SizeIs(1)) << what;
    if (operations <= failing) break;
  }
  EXPECT_GT(operations, 60U);
}

INSTANTIATE_TEST_SUITE_P(Errors, SubmitFaults, ::testing::Values(ENOSPC, EIO, EMFILE, EACCES),
                         [](const auto& error) { return std::to_string(error.param); });

TEST(SubmitJob, StopBeforeRecordLeavesNoEntry) {
  std::stop_source stop;
  FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        // The index entry exists; the user presses Ctrl-C.
        if (operation == "creating" && path.native().find("/index/") != std::string::npos) {
          stop.request_stop();
        }
        return std::nullopt;
      });
  SubmitHarness harness(fs);
  const auto submitted = harness.Submit(stop.get_token());
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(harness.Indexed(), IsEmpty());
  EXPECT_THAT(harness.ObjectsOfJob(), IsEmpty());
}

TEST(SubmitJob, LeavesNoEntryIfRecordCannotBeStored) {
  bool is_denied = true;
  test::FaultyFileSystem fs([&](auto, auto, const Path& path) -> std::optional<int> {
    const bool is_job = path.native().find("/store/jobs") != std::string::npos;
    return is_denied && is_job ? std::optional(EACCES) : std::nullopt;
  });
  SubmitHarness harness(fs);
  EXPECT_FALSE(harness.Submit());
  EXPECT_THAT(harness.Indexed(), IsEmpty());
  is_denied = false;
  EXPECT_TRUE(harness.Submit());
}

TEST(SubmitJob, RollsBackIfContentCannotBeRenewed) {
  bool slept = false;
  test::FakeClock* clock = nullptr;
  FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        // The machine sleeps for a week just after the record was written, and then its disk fails.
        if (operation == "creating" && path.native().ends_with("record.json")) {
          clock->Jump(std::chrono::hours(7 * 24));
          slept = true;
        }
        const bool reads_tree =
            operation == "opening" && path.native().find("/trees/") != std::string::npos;
        return slept && reads_tree ? std::optional(EIO) : std::nullopt;
      },
      FaultyFileSystem::Reach::kReadsToo);
  SubmitHarness harness(fs);
  clock = &harness.context().clock();
  const auto submitted = harness.Submit();
  ASSERT_FALSE(submitted);
  EXPECT_THAT(submitted.error().message, HasSubstr("/trees/"));
  EXPECT_THAT(harness.ObjectsOfJob(), IsEmpty());
  EXPECT_THAT(harness.Indexed(), IsEmpty());
}

/// A harness whose target stores the records of jobs, and claims them.
class RunnerHarness : public SubmitHarness {
 public:
  RunnerHarness() {
    context().target().stores_record = true;
    context().target().before_start = [this](const backend::Launch& launch) -> Status {
      launches_.push_back(launch.store_record);
      if (!launch.store_record) return {};
      EXPECT_THAT(Indexed(), SizeIs(1)) << "an interrupted submission must be visible";
      Put(record::RecordName(launch.record->id), launch.new_record);
      Put(record::ClaimName(launch.record->id, 1), "me");
      return start_;
    };
  }

  void FailStarts() { start_ = Fail(ErrorCode::kFailedPrecondition, "cannot start"); }
  const std::vector<bool>& launches() const { return launches_; }

 private:
  void Put(const std::string& name, const std::string& content) {
    EXPECT_TRUE(
        store::PutBytes(context().store(), name, content, store::Precondition::Absent(), {}));
  }

  Status start_;
  std::vector<bool> launches_;
};

TEST(SubmitJob, LetsRunnerStoreRecordOfNewJob) {
  RunnerHarness harness;
  const auto submitted = harness.Submit({}, "");
  ASSERT_TRUE(submitted) << submitted.error().message;
  EXPECT_THAT(harness.launches(), ElementsAre(true));
  EXPECT_TRUE(ReadRecord(harness.context().store(), submitted->id, {}).value());
}

TEST(SubmitJob, StoresRecordOfJobWithChosenIdBeforeItStarts) {
  RunnerHarness harness;
  ASSERT_TRUE(harness.Submit());
  EXPECT_THAT(harness.launches(), ElementsAre(false));
}

TEST(SubmitJob, RollsBackIfRunnerThatStoresRecordDoesNotStart) {
  RunnerHarness harness;
  harness.FailStarts();
  EXPECT_FALSE(harness.Submit({}, ""));
  EXPECT_THAT(harness.Indexed(), IsEmpty());
  const auto none = [](const store::ObjectInfo& info) -> Result<bool> {
    ADD_FAILURE() << info.name;
    return true;
  };
  EXPECT_TRUE(harness.context().store().List("jobs/", "", none, {}));
}

/// An API server that never answers delays an inspection only for a while.
TEST(PrepareJob, InspectionDoesNotWaitForACluster) {
  SubmitHarness harness;
  harness.context().target().is_cluster = true;
  harness.context().target().preflight = [](const std::stop_token& stop) -> Status {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  const PrepareOptions options{.inspection_time = std::chrono::milliseconds(20)};
  const auto prepared =
      PrepareJob(*harness.context(), Spec(harness.context().files() / "project"), options, {});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(prepared.error().message, HasSubstr("did not respond within 20 ms"));
}

/// Nor does it wait until the client has found its abandoned jobs there.
TEST(PrepareJob, PlanDoesNotReconcileJobs) {
  SubmitHarness harness;
  harness.context().target().sweep_status = Fail(ErrorCode::kUnavailable, "no response");
  Client client = ClientFactory::Make({std::shared_ptr<void>(), &*harness.context()});
  JobSpec spec = Spec(harness.context().files() / "project");
  spec.Accelerator("cpu");
  const auto plan = client.Prepare(spec, {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_FALSE(plan->objects.empty());
}

}  // namespace
}  // namespace kinetic::job
