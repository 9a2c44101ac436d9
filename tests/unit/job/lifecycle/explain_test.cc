#include "job/lifecycle/outcome.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "store/object_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace kinetic::job {
namespace {

using testing::HasSubstr;

class Explain : public testing::Test {
 protected:
  Explanation Of(const std::string& id) {
    const JobSummary known{
        .id = id, .state = JobState::kPending, .created = context_.clock().Now()};
    auto explanation = ExplainJob(*context_, known, {});
    EXPECT_TRUE(explanation) << (explanation ? "" : explanation.error().message);
    return explanation ? *std::move(explanation) : Explanation();
  }

  void Store(const std::string& id, const Outcome& outcome, const std::string& evidence = {}) {
    const record::StoredOutcome stored{.job = {id, {}},
                                       .outcome = outcome,
                                       .written_by = evidence.empty() ? "runner" : "client",
                                       .evidence = evidence};
    ASSERT_TRUE(store::Overwrite(context_.store(), record::ResultName(id), ToJson(stored), {}));
  }

  test::FakeContext context_;
};

TEST_F(Explain, QueriesTargetBeforeResult) {
  context_.Submit("a");
  context_.target().jobs["a"] = {
      .observation = {.status = {.id = "a", .state = JobState::kPending}, .alive = true},
      .explanation = Explanation{.cause = Cause::kStockout, .headline = "none left"}};
  EXPECT_EQ(Of("a").cause, Cause::kStockout);
  EXPECT_EQ(Of("a").headline, "none left");
}

TEST_F(Explain, UsesStoreClock) {
  context_.Submit("a");
  EXPECT_EQ(Of("a").asked, context_.clock().Now());
}

TEST_F(Explain, ReportsUnknownJob) {
  context_.Submit("a");
  EXPECT_EQ(Of("a").cause, Cause::kNoStatus);
}

TEST_F(Explain, ReportsJobOfAnotherTarget) {
  context_.Submit("a");
  context_.target().identity = "fake:there";
  EXPECT_EQ(Of("a").cause, Cause::kElsewhere);
  EXPECT_THAT(Of("a").headline, HasSubstr("fake:here"));
}

struct End {
  const char* name;
  JobState state;
  int code;
  ExitSource source;
  const char* reason;
  Cause cause;
};

void PrintTo(const End& end, std::ostream* out) { *out << end.name; }

class Ends : public Explain, public testing::WithParamInterface<End> {};

TEST_P(Ends, MapToCause) {
  context_.Submit("a");
  Store("a", {.state = GetParam().state,
              .exit_code = GetParam().code,
              .exit_source = GetParam().source,
              .reason = GetParam().reason});
  const Explanation explanation = Of("a");
  EXPECT_EQ(Name(explanation.cause), Name(GetParam().cause));
  EXPECT_EQ(explanation.state, GetParam().state);
  EXPECT_TRUE(explanation.final);
  EXPECT_FALSE(explanation.headline.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Outcomes, Ends,
    testing::Values(End{"Succeeded", JobState::kSucceeded, 0, ExitSource::kProgram, "",
                        Cause::kSucceeded},
                    End{"Exited", JobState::kFailed, 3, ExitSource::kProgram, "exited with code 3",
                        Cause::kProgram},
                    End{"ExitedWithAReservedCode", JobState::kFailed, 124, ExitSource::kProgram,
                        "exited with code 124", Cause::kProgram},
                    End{"RanTooLong", JobState::kFailed, 124, ExitSource::kKinetic,
                        "exceeded its time limit (1.0 s)", Cause::kTimeLimit},
                    End{"Raised", JobState::kFailed, 1, ExitSource::kException, "ValueError: x",
                        Cause::kException},
                    End{"OutOfMemory", JobState::kFailed, 137, ExitSource::kProgram,
                        "killed: exceeded its memory limit of 2 GiB", Cause::kOutOfMemory},
                    End{"TooLate", JobState::kFailed, 121, ExitSource::kKinetic, "did not begin",
                        Cause::kStartTimeout},
                    End{"BeforeUserCode", JobState::kFailed, 123, ExitSource::kKinetic, "no tree",
                        Cause::kBeforeUserCode},
                    End{"NotStored", JobState::kFailed, 120, ExitSource::kKinetic, "disk full",
                        Cause::kNotStored},
                    End{"Cancelled", JobState::kCancelled, 126, ExitSource::kKinetic, "cancelled",
                        Cause::kCancelled},
                    End{"Lost", JobState::kLost, 125, ExitSource::kKinetic, "lost", Cause::kLost}),
    [](const auto& row) { return row.param.name; });

TEST_F(Explain, DistinguishesFullDiskFromValuesOfOtherTypes) {
  const auto cause_of = [&](const std::string& id, const std::string& reason) {
    context_.Submit(id);
    Store(id, {.state = JobState::kFailed,
               .exit_code = 1,
               .exit_source = ExitSource::kKinetic,
               .phase = Phase::kCollect,
               .reason = "cannot store the return value: " + reason});
    return Of(id).cause;
  };
  EXPECT_EQ(cause_of("a", "$.model is not serializable"), Cause::kNotSerializable);
  EXPECT_EQ(cause_of("b", "OSError: [Errno 28] No space left on device"), Cause::kNotStored);
}

TEST_F(Explain, NamesTheJobInAdvice) {
  context_.Submit("a");
  Store("a", {.state = JobState::kFailed, .exit_code = 7, .reason = "exited with code 7"});
  EXPECT_EQ(Of("a").advice, "see 'kinetic logs a'");
}

TEST_F(Explain, ReportsMissingResult) {
  JobSummary ended = record::SummaryOf(context_.Submit("a"));
  ended.state = JobState::kSucceeded;
  ASSERT_TRUE(record::WriteIndex(context_.store(), ended, {}));
  const auto explanation = ExplainJob(*context_, ended, {});
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->cause, Cause::kSucceeded);
  EXPECT_THAT(explanation->evidence.front().text, HasSubstr("result.json is missing"));
}

TEST_F(Explain, DoesNotGuessCauseOfFailureWithoutResult) {
  JobSummary ended = record::SummaryOf(context_.Submit("a"));
  ended.state = JobState::kFailed;
  ASSERT_TRUE(record::WriteIndex(context_.store(), ended, {}));
  const auto explanation = ExplainJob(*context_, ended, {});
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->cause, Cause::kNoStatus);
  EXPECT_THAT(explanation->evidence.front().text, HasSubstr("result.json is missing"));
}

TEST_F(Explain, ShowsWhyResultsAreNotStored) {
  context_.Submit("a");
  context_.target().jobs["a"].was_started = true;
  context_.target().before_collect = [](const std::stop_token&) -> Status {
    return Failure(ErrnoError(ENOSPC, "writing", "/store/outputs/a/big"));
  };
  const Explanation explanation = Of("a");
  EXPECT_EQ(explanation.cause, Cause::kStoreUnavailable);
  EXPECT_THAT(explanation.headline, HasSubstr("no space left on device"));
  EXPECT_THAT(explanation.advice, HasSubstr("rm --force a"));
}

TEST_F(Explain, AddsEvidenceOfTarget) {
  context_.Submit("a");
  Store("a", {.state = JobState::kFailed, .exit_code = 137, .reason = "killed by SIGKILL"});
  context_.target().jobs["a"].explanation =
      Explanation{.cause = Cause::kOutOfMemory,
                  .state = JobState::kRunning,
                  .headline = "killed: exceeded its memory limit of 64 MiB",
                  .evidence = {{.source = "container main", .text = "OOMKilled, exit code 137"}},
                  .final = true};
  const Explanation explanation = Of("a");
  EXPECT_EQ(explanation.cause, Cause::kOutOfMemory);
  EXPECT_EQ(explanation.state, JobState::kFailed) << "the result is authoritative";
  EXPECT_EQ(explanation.evidence.front().text, "OOMKilled, exit code 137");
}

TEST_F(Explain, PrefersConclusiveResultToTarget) {
  context_.Submit("a");
  Store("a", {.state = JobState::kSucceeded});
  context_.target().jobs["a"].explanation = Explanation{
      .cause = Cause::kNodeLost, .evidence = {{.source = "x", .text = "y"}}, .final = true};
  EXPECT_EQ(Of("a").cause, Cause::kSucceeded);
}

TEST_F(Explain, ShowsEvidenceOfReconciledJob) {
  context_.Submit("a");
  Store("a",
        {.state = JobState::kLost,
         .exit_code = 125,
         .exit_source = ExitSource::kKinetic,
         .reason = "lost"},
        "its supervisor, process 812, is gone");
  const Explanation explanation = Of("a");
  ASSERT_FALSE(explanation.evidence.empty());
  EXPECT_EQ(explanation.evidence.front().source, "the result, stored by the client");
  EXPECT_EQ(explanation.evidence.front().text, "its supervisor, process 812, is gone");
}

}  // namespace
}  // namespace kinetic::job
