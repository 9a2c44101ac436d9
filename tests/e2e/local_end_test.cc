#include "local/process_identity.h"
#include "local/runtime.h"
#include "local_project.h"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

namespace kinetic {
namespace {

using test::Eventually;
using test::LocalProject;
using test::Must;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Reports its start, starts a daemon and runs for a minute.
constexpr std::string_view kLong =
    "name: long\nrun: echo begun; setsid sleep 60 & echo $! > $KINETIC_OUTPUT_DIR/pid; sleep 60\n";

class LocalEnd : public ::testing::Test {
 protected:
  Job Submit(Client& client, std::string_view job_file, const std::string& id = "") {
    return Must(client.Submit(project_.Job(job_file), {.id = id}));
  }

  static bool HasBegun(const Job& job) {
    return Eventually([&] { return !test::ReadLog(job, {}).empty(); });
  }

  local::SupervisorIdentity Supervisor(const Job& job) const {
    const auto runtime = local::RuntimeOf(project_.StateDir(), job.id());
    const auto json = Must(ReadFile(PosixFileSystem(), runtime.Supervisor(), 4096));
    return Must(local::SupervisorIdentityFromJson(json));
  }

  LocalProject project_;
};

TEST_F(LocalEnd, CancelTerminatesAllProcesses) {
  Client client = project_.Open();
  const Job job = Submit(client, kLong);
  ASSERT_TRUE(HasBegun(job));
  const auto nonce = Supervisor(job).nonce;
  ASSERT_THAT(local::ProcessesOf(nonce), Not(IsEmpty()));

  const auto cancelled = project_.Open().Find(job.id())->Cancel();
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  // The supervisor and its guard exit after the end of the job is stored.
  EXPECT_TRUE(Eventually([&] { return local::ProcessesOf(nonce).empty(); }));
  const Outcome outcome = Must(job.Wait());
  EXPECT_EQ(outcome.state, JobState::kCancelled);
  EXPECT_EQ(outcome.exit_code, 126);
  EXPECT_EQ(outcome.exit_source, ExitSource::kKinetic);
  EXPECT_TRUE(job.Cancel()) << "of a job that has ended";
}

TEST_F(LocalEnd, WaitingClientDetectsKilledSupervisor) {
  Client client = project_.Open();
  const Job job = Submit(client, kLong);
  ASSERT_TRUE(HasBegun(job));
  const auto supervisor = Supervisor(job);
  ::kill(static_cast<pid_t>(supervisor.pid), SIGKILL);

  const Outcome outcome = Must(job.Wait());
  EXPECT_EQ(outcome.state, JobState::kLost);
  EXPECT_EQ(outcome.exit_code, 125);
  EXPECT_EQ(outcome.exit_source, ExitSource::kKinetic);
  EXPECT_THAT(outcome.reason, HasSubstr(std::to_string(supervisor.pid)));
  EXPECT_THAT(local::ProcessesOf(supervisor.nonce), IsEmpty()) << "orphans";
  EXPECT_THAT(test::ReadLog(job, {}), Contains("0o begun\n")) << "the log survives";
}

TEST_F(LocalEnd, NextClientDetectsKilledSupervisor) {
  Client client = project_.Open();
  const Job job = Submit(client, kLong);
  ASSERT_TRUE(HasBegun(job));
  const auto supervisor = Supervisor(job);
  ::kill(static_cast<pid_t>(supervisor.pid), SIGKILL);
  ASSERT_TRUE(Eventually([&] { return !local::IsAlive(supervisor); }));

  Client next = project_.Open();
  const auto jobs = Must(next.List({}));
  EXPECT_THAT(local::ProcessesOf(supervisor.nonce), IsEmpty());
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].state, JobState::kLost);
  EXPECT_THAT(test::Objects(project_.StateDir() / "jobs"), IsEmpty());
  EXPECT_TRUE(next.Remove(job));
}

TEST_F(LocalEnd, QueuesJobsAboveTheLimit) {
  project_.concurrency = 1;
  Client client = project_.Open();
  const Job first = Submit(client, kLong);
  ASSERT_TRUE(HasBegun(first));
  const Job second = Submit(client, "name: second\nrun: echo done\n");
  JobSummary waiting;
  ASSERT_TRUE(Eventually([&] {
    waiting = Must(second.Summary());
    return !waiting.reason.empty();
  }));
  EXPECT_EQ(waiting.state, JobState::kQueued);
  EXPECT_THAT(waiting.reason, HasSubstr("waiting for 1 job"));
  ASSERT_TRUE(first.Cancel());
  EXPECT_EQ(Must(second.Wait()).state, JobState::kSucceeded);
}

TEST_F(LocalEnd, CancelsQueuedJob) {
  project_.concurrency = 1;
  Client client = project_.Open();
  const Job first = Submit(client, kLong);
  ASSERT_TRUE(HasBegun(first));
  const Job second = Submit(client, "name: second\nrun: echo done\n");
  ASSERT_TRUE(second.Cancel());
  EXPECT_EQ(Must(second.Wait()).state, JobState::kCancelled);
  EXPECT_THAT(test::ReadLog(second, {}), IsEmpty());
  ASSERT_TRUE(first.Cancel());
}

TEST_F(LocalEnd, ListsFindsAndRemovesEndedJobs) {
  Client client = project_.Open();
  const Job one = Submit(client, "name: one\nrun: exit 3\n", "one-1");
  const Job two = Submit(client, "name: two\nrun: echo kept > $KINETIC_OUTPUT_DIR/a\n", "two-2");
  (void)Must(one.Wait());
  (void)Must(two.Wait());
  EXPECT_TRUE(Eventually([&] {
    EXPECT_TRUE(project_.Open().List({}));  // removes leftovers that were still in use
    return test::Objects(project_.StateDir() / "jobs").empty();
  }));

  auto jobs = Must(client.List({}));
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].id, "two-2") << "newest first";
  EXPECT_EQ(jobs[0].state, JobState::kSucceeded);
  EXPECT_TRUE(jobs[0].finished);
  EXPECT_EQ(jobs[1].state, JobState::kFailed);
  EXPECT_EQ(jobs[1].owner, "ana@laptop");
  EXPECT_THAT(Must(client.List({.name = "one"})), SizeIs(1));
  EXPECT_THAT(Must(client.List({.state = JobState::kFailed})), SizeIs(1));
  EXPECT_THAT(Must(client.List({.limit = 1})), SizeIs(1));

  EXPECT_EQ(Must(client.Find("tw")).id(), "two-2");
  const auto absent = client.Find("three");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);

  ASSERT_TRUE(client.Remove(Must(client.Find("two"))));
  EXPECT_THAT(test::Objects(project_.Store()), Not(Contains(StartsWith("jobs/two-2/"))));
  EXPECT_THAT(test::Objects(project_.Store()), Contains("outputs/two-2/a"));
  EXPECT_THAT(Must(client.List({})), SizeIs(1));
}

TEST_F(LocalEnd, PrefixOfTwoJobsIsAmbiguous) {
  Client client = project_.Open();
  const Job one = Submit(client, "name: j\nrun: exit 0\n", "job-1");
  const Job two = Submit(client, "name: j\nrun: exit 0\n", "job-12");
  const auto found = client.Find("job");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("2 jobs"));
  EXPECT_EQ(Must(client.Find("job-1")).id(), "job-1") << "a whole id is no prefix";
  (void)Must(one.Wait());
  (void)Must(two.Wait());
}

TEST_F(LocalEnd, DoesNotRemoveRunningJob) {
  Client client = project_.Open();
  const Job job = Submit(client, kLong);
  const auto removed = client.Remove(job);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kFailedPrecondition);
  ASSERT_TRUE(job.Cancel());
}

TEST_F(LocalEnd, GarbageCollectionKeepsWhatJobsNeed) {
  Client client = project_.Open();
  project_.Write("m.py", "def f():\n  return 7\n");
  const std::string_view file = "function: m:f\ndependencies: null\n";
  (void)Must(Submit(client, file, "kept").Wait());
  const auto before = test::Objects(project_.Store());

  const auto look = Must(client.CollectGarbage({.dry_run = true}));
  EXPECT_THAT(look.removed, Not(Contains(StartsWith("trees/"))));
  EXPECT_EQ(test::Objects(project_.Store()), before);
  const auto report = Must(client.CollectGarbage({}));
  EXPECT_THAT(report.classes, SizeIs(6));
  EXPECT_EQ(test::Objects(project_.Store()), before);

  const auto old = Must(client.CollectGarbage({.jobs_older_than = std::chrono::hours(0)}));
  EXPECT_THAT(old.removed, Contains("jobs/kept/"));
  EXPECT_THAT(Must(client.List({})), IsEmpty());
  EXPECT_THAT(test::Objects(project_.Store()), Contains(StartsWith("trees/")))
      << "too young to be collected";
}

}  // namespace
}  // namespace kinetic
