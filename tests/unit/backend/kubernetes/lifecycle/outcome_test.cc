#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <gmock/gmock.h>

#include <string>

namespace kinetic::backend {
namespace {

ClusterSnapshot WithExitCode(int code) {
  ClusterSnapshot snapshot;
  snapshot.job_id = "k";
  snapshot.pods["u"] =
      *Value::FromJson(R"({"metadata":{"name":"p","uid":"u"},"status":{"phase":"Failed",)"
                       R"("containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":)" +
                       std::to_string(code) + "}}}]}}");
  return snapshot;
}

Explanation Because(Cause cause) {
  Explanation explanation;
  explanation.cause = cause;
  explanation.headline = "the headline";
  explanation.evidence = {{.source = "event Killed of pod p", .text = "gone"}};
  return explanation;
}

Outcome Judge(int code, Cause cause, bool cancelled = false) {
  return OutcomeOf(WithExitCode(code), Because(cause), {}, cancelled).outcome;
}

TEST(KubernetesOutcome, MapsCausesToStatesAndCodes) {
  EXPECT_EQ(Judge(137, Cause::kOutOfMemory).exit_code, 137);
  EXPECT_EQ(Judge(137, Cause::kOutOfMemory).state, JobState::kFailed);
  EXPECT_EQ(Judge(143, Cause::kTimeLimit).exit_code, 124);
  EXPECT_EQ(Judge(143, Cause::kStartTimeout).exit_code, 121);
  EXPECT_EQ(Judge(143, Cause::kPreempted).exit_code, 122);
  EXPECT_EQ(Judge(143, Cause::kPreempted).state, JobState::kPreempted);
  EXPECT_EQ(Judge(143, Cause::kNodeLost).exit_code, 125);
  EXPECT_EQ(Judge(143, Cause::kNodeLost).state, JobState::kLost);
  EXPECT_EQ(Judge(143, Cause::kJobDeleted).state, JobState::kLost);
}

TEST(KubernetesOutcome, KeepsExitCodeOfProgram) {
  const Outcome outcome = Judge(7, Cause::kProgram);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.exit_source, ExitSource::kProgram);
  EXPECT_EQ(outcome.reason, "the headline");
}

TEST(KubernetesOutcome, UnstartedJobFailedBeforeUserCode) {
  const auto stored = OutcomeOf({}, Because(Cause::kImageNotFound), {}, false);
  EXPECT_EQ(stored.outcome.exit_code, 123);
  EXPECT_EQ(stored.outcome.exit_source, ExitSource::kKinetic);
  EXPECT_EQ(stored.evidence, "event Killed of pod p: gone");
  EXPECT_EQ(Judge(201, Cause::kCannotRun).exit_code, 123) << "kinetic's own codes are hidden";
}

TEST(KubernetesOutcome, SuccessWithoutResultIsLost) {
  EXPECT_EQ(Judge(0, Cause::kSucceeded).state, JobState::kLost);
  EXPECT_EQ(OutcomeOf({}, Because(Cause::kSucceeded), {}, false).outcome.state, JobState::kLost)
      << "the pod no longer exists";
}

TEST(KubernetesOutcome, CancellationTakesPrecedence) {
  EXPECT_EQ(Judge(143, Cause::kPodDeleted, true).state, JobState::kCancelled);
  EXPECT_EQ(Judge(143, Cause::kPodDeleted, true).exit_code, 126);
  EXPECT_EQ(Judge(143, Cause::kStartTimeout, true).exit_code, 121);
}

TEST(KubernetesOutcome, KeepsExceptionReportedByRunner) {
  record::StoredOutcome attempt;
  attempt.outcome.state = JobState::kFailed;
  attempt.outcome.exit_code = 1;
  attempt.outcome.exit_source = ExitSource::kException;
  attempt.outcome.reason = "ValueError: no";
  attempt.outcome.exception = RemoteException{.type = "ValueError", .message = "no"};
  attempt.log_records = 12;
  const auto stored = OutcomeOf(WithExitCode(1), Because(Cause::kProgram), attempt, false);
  EXPECT_EQ(stored.outcome.reason, "ValueError: no");
  EXPECT_EQ(stored.log_records, 12U);
  EXPECT_EQ(stored.written_by, "client");
}

}  // namespace
}  // namespace kinetic::backend
