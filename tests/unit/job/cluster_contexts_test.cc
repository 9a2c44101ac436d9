#include "job/cluster_contexts.h"

#include "fake_target.h"
#include "job/find.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/index.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kHere = "kubernetes:https://here#0/ml";
const std::string kThere = "kubernetes:https://there#1/ml";

class Warnings : public Observer {
 public:
  void OnWarning(std::string_view message) override { all.emplace_back(message); }
  std::vector<std::string> all;
};

class ClusterContextsTest : public ::testing::Test {
 protected:
  ClusterContextsTest() {
    context_.target().identity = kHere;
    context_.target().is_cluster = true;
    there_->identity = kThere;
    there_->is_cluster = true;
    context_.clusters_by_identity[kThere] = there_;
    record_ = context_.Submit("j", "job", kThere);
  }

  std::shared_ptr<Context> ContextOf(const JobSummary& job) {
    auto found = context_.clusters().ForJob(job, {});
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }
  JobSummary Known() { return record::SummaryOf(record_); }
  /// The only listed job.
  JobSummary Listed() {
    const auto jobs = ListJobs(context_.clusters(), {.observer = &warnings_}, {});
    EXPECT_TRUE(jobs) << jobs.error().message;
    return jobs && jobs->size() == 1 ? jobs->front() : JobSummary();
  }
  void RunsThere(const std::string& reason) {
    auto& observation = there_->jobs["j"].observation;
    observation.alive = true;
    observation.status.state = JobState::kQueued;
    observation.status.reason = reason;
  }

  test::FakeContext context_;
  std::shared_ptr<test::FakeTarget> there_ = std::make_shared<test::FakeTarget>();
  record::Record record_;
  Warnings warnings_;
};

TEST_F(ClusterContextsTest, UsesClusterOfRecord) {
  RunsThere("waiting for 2 jobs");
  const auto its = ContextOf(Known());
  EXPECT_EQ(its->target, there_);
  EXPECT_FALSE(its->cluster_error);
  EXPECT_EQ(its->store, context_->store);
  EXPECT_EQ(Refresh(*its, Known(), {})->reason, "waiting for 2 jobs");
  context_.clusters_by_identity.clear();
  EXPECT_EQ(ContextOf(Known()), its) << "opened once";
}

TEST_F(ClusterContextsTest, ClusterThatCouldNotBeOpenedIsTriedAgain) {
  context_.clusters_by_identity.clear();
  EXPECT_TRUE(ContextOf(Known())->cluster_error);
  context_.clusters_by_identity[kThere] = there_;
  EXPECT_FALSE(ContextOf(Known())->cluster_error);
}

TEST_F(ClusterContextsTest, ReadsRecordIfEntryHasNoTarget) {
  JobSummary old = Known();
  old.target_identity.clear();
  EXPECT_EQ(ContextOf(old)->target, there_);
}

TEST_F(ClusterContextsTest, UsesOwnContextForOwnAndLocalJobs) {
  for (const char* identity : {kHere.c_str(), "local:laptop:/home/ana/.local/state/kinetic"}) {
    JobSummary job = Known();
    job.target_identity = identity;
    EXPECT_EQ(ContextOf(job)->target, context_->target) << identity;
    EXPECT_FALSE(ContextOf(job)->cluster_error) << identity;
  }
  context_.target().identity = "local:laptop:/home/ana/.local/state/kinetic";
  context_.target().is_cluster = false;
  EXPECT_EQ(ContextOf(Known())->target, context_->target) << "it has no kubeconfig";
}

TEST_F(ClusterContextsTest, ReconcilesAbandonedJobOnItsCluster) {
  context_.clock().Advance(kSubmissionTimeout + std::chrono::seconds(1));
  auto& job = there_->jobs["j"];
  job.log = {"a", "b"};
  job.outcome.emplace().outcome.state = JobState::kPreempted;
  EXPECT_EQ(Listed().state, JobState::kPreempted);
  EXPECT_THAT(there_->jobs, IsEmpty());
  EXPECT_THAT(context_.ReadLog("j"), ElementsAre("a", "b"));
}

TEST_F(ClusterContextsTest, ListsJobsOfClusterWithOneRequest) {
  RunsThere("asked by itself");
  backend::Observation seen{.status = {}, .alive = true};
  seen.status.state = JobState::kPending;
  seen.status.reason = "its pod has not started yet";
  there_->observations = backend::Observations{{"j", seen}};
  EXPECT_EQ(Listed().reason, "its pod has not started yet");
  EXPECT_THAT(warnings_.all, IsEmpty());
}

TEST_F(ClusterContextsTest, UnreachableClusterAffectsOnlyItsJobs) {
  context_.Submit("k", "job", kHere);
  auto& own = context_.target().jobs["k"].observation;
  own.alive = true;
  own.status.state = JobState::kRunning;
  there_->observations = Fail(ErrorCode::kUnavailable, "connection refused");
  const auto jobs = *ListJobs(context_.clusters(), {.observer = &warnings_}, {});
  ASSERT_THAT(jobs, SizeIs(2));
  for (const auto& job : jobs) {
    EXPECT_EQ(job.state, job.id == "k" ? JobState::kRunning : JobState::kPending);
    if (job.id == "j") {
      EXPECT_THAT(job.reason, HasSubstr("last known state"));
      EXPECT_THAT(job.reason, HasSubstr(kThere));
    }
  }
  EXPECT_THAT(warnings_.all, ElementsAre(HasSubstr(kThere)));
}

TEST_F(ClusterContextsTest, ReportsClusterThatCannotBeOpened) {
  context_.clusters_by_identity.clear();
  context_.Submit("k", "job", kThere);
  const auto its = ContextOf(Known());
  ASSERT_TRUE(its->cluster_error);
  EXPECT_THAT(Refresh(*its, Known(), {})->reason, HasSubstr("no context leads to " + kThere));
  const auto why = ExplainJob(*its, Known(), {});
  EXPECT_EQ(why->cause, Cause::kElsewhere);
  EXPECT_THAT(why->headline, HasSubstr(kThere));
  EXPECT_EQ(why->advice, "use another");
  for (const auto& done : {CancelJob(*its, "j", {}), RemoveJob(*its, Known(), {})}) {
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr("no context leads to " + kThere));
    EXPECT_EQ(done.error().hint, "use another");
  }
  EXPECT_EQ(ListJobs(context_.clusters(), {.observer = &warnings_}, {})->size(), 2U);
  EXPECT_THAT(warnings_.all, ElementsAre(HasSubstr("no context leads to"))) << "once";
}

TEST_F(ClusterContextsTest, FindsJobOnOwnClusterByAnotherIdentity) {
  context_.clusters_by_identity.clear();  // the same cluster at another address
  auto& observation = context_.target().jobs["j"].observation;
  observation.alive = true;
  observation.status.state = JobState::kRunning;
  context_.target().observations = backend::Observations{{"j", observation}};
  const auto its = ContextOf(Known());
  EXPECT_EQ(Refresh(*its, Known(), {})->state, JobState::kRunning);
  EXPECT_EQ(*WhyUnobservable(*its, "j", {}), std::nullopt);
}

}  // namespace
}  // namespace kinetic::job
