#include "runner/verdict.h"

#include "record/exit_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

JobSpec CommandSpec() {
  JobSpec spec;
  spec.run = Command{"true", {}};
  return spec;
}

JobSpec FunctionSpec() {
  JobSpec spec;
  spec.function = FunctionReference{"job", "main"};
  return spec;
}

ProgramEnd Exited(int code) {
  ProgramEnd end;
  end.exit.code = code;
  return end;
}

ShimMessage Message(ShimMessage::Kind kind) {
  ShimMessage message;
  message.kind = kind;
  return message;
}

TEST(Verdict, ACommandIsItsExitCode) {
  EXPECT_EQ(JudgeProgram(CommandSpec(), Exited(0), Cause::kNone).state, JobState::kSucceeded);
  const Outcome failed = JudgeProgram(CommandSpec(), Exited(9), Cause::kNone);
  EXPECT_EQ(failed.state, JobState::kFailed);
  EXPECT_EQ(failed.exit_code, 9);
  EXPECT_EQ(failed.exit_source, ExitSource::kProgram);
}

TEST(Verdict, AFunctionThatReturnedHasSucceededWhateverCameAfter) {
  ProgramEnd end = Exited(0);
  end.exit.signal = SIGKILL;
  end.lingered = Lingered::kGrace;
  end.stopped = true;
  end.messages = {Message(ShimMessage::Kind::kStarted), Message(ShimMessage::Kind::kReturned),
                  Message(ShimMessage::Kind::kLingering)};
  EXPECT_EQ(JudgeProgram(FunctionSpec(), end, Cause::kCancelled).state, JobState::kSucceeded);
}

TEST(Verdict, SilenceOfAFunctionIsNoSuccess) {
  ProgramEnd end = Exited(0);
  end.messages = {Message(ShimMessage::Kind::kStarted)};
  const Outcome outcome = JudgeProgram(FunctionSpec(), end, Cause::kNone);
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.exit_code, 1);

  const Outcome before = JudgeProgram(FunctionSpec(), Exited(1), Cause::kNone);
  EXPECT_EQ(before.exit_code, record::kExitBeforeUserCode);
  EXPECT_EQ(before.phase, Phase::kStart);
}

TEST(Verdict, LimitsAndRequestsComeBeforeTheExitCode) {
  JobSpec spec = CommandSpec();
  spec.timeouts.run = std::chrono::milliseconds(90'000);
  spec.resources.memory_bytes = 2ULL << 30;
  ProgramEnd end;
  end.exit.signal = SIGKILL;
  end.out_of_memory = true;
  const Outcome memory = JudgeProgram(spec, end, Cause::kNone);
  EXPECT_EQ(memory.exit_code, 137);
  EXPECT_EQ(memory.reason, "killed: used more than its memory limit of 2 GiB");
  end.out_of_time = true;
  const Outcome time = JudgeProgram(spec, end, Cause::kNone);
  EXPECT_EQ(time.exit_code, record::kExitOutOfTime);
  EXPECT_THAT(time.reason, HasSubstr("1m 30s"));
  end.stopped = true;
  const Outcome stopped = JudgeProgram(spec, end, Cause::kCancelled);
  EXPECT_EQ(stopped.state, JobState::kCancelled);
  EXPECT_EQ(stopped.exit_code, record::kExitCancelled);
}

TEST(Verdict, SignalsHaveNames) {
  ProgramEnd end;
  end.exit.signal = SIGSEGV;
  EXPECT_EQ(JudgeProgram(CommandSpec(), end, Cause::kNone).reason, "killed by SIGSEGV (128+11)");
  EXPECT_EQ(SignalName(63), "signal 63");
}

TEST(Verdict, RetriesAreForTheProgramsCodesOnly) {
  RetrySpec retry;
  retry.attempts = 3;
  retry.on_exit_codes = {75, 124};
  Outcome outcome = JudgeProgram(CommandSpec(), Exited(75), Cause::kNone);
  EXPECT_TRUE(WantsRetry(retry, outcome, 1));
  EXPECT_TRUE(WantsRetry(retry, outcome, 2));
  EXPECT_FALSE(WantsRetry(retry, outcome, 3));
  outcome.exit_code = 76;
  EXPECT_FALSE(WantsRetry(retry, outcome, 1));
  outcome.exit_code = 124;
  outcome.exit_source = ExitSource::kKinetic;
  EXPECT_FALSE(WantsRetry(retry, outcome, 1));
  EXPECT_FALSE(WantsRetry(retry, JudgeProgram(CommandSpec(), Exited(0), Cause::kNone), 1));
}

TEST(Verdict, APreemptedAttemptIsFollowedByAnotherWhereOneIsLeft) {
  const Outcome outcome = JudgeInterruption(CommandSpec(), Cause::kPreempted, Phase::kRun);
  EXPECT_EQ(outcome.state, JobState::kPreempted);
  EXPECT_EQ(outcome.exit_code, record::kExitPreempted);
  RetrySpec retry;
  EXPECT_FALSE(WantsRetry(retry, outcome, 1));
  retry.attempts = 2;
  EXPECT_TRUE(WantsRetry(retry, outcome, 1));
  EXPECT_FALSE(WantsRetry(retry, outcome, 2));
  retry.on_infrastructure = false;
  EXPECT_TRUE(WantsRetry(retry, outcome, 1));
  retry.on_preempted = false;
  EXPECT_FALSE(WantsRetry(retry, outcome, 1));
}

TEST(Verdict, SecretsLeaveTheWholeChainOfExceptions) {
  Outcome outcome;
  RemoteException cause;
  cause.message = "inner hunter2";
  outcome.exception.emplace();
  outcome.exception->message = "outer hunter2";
  outcome.exception->traceback = {{"job.py", 1, "main", "login('hunter2')"}};
  outcome.exception->cause = std::make_shared<const RemoteException>(cause);
  outcome.reason = "ValueError: hunter2";
  MaskOutcome(outcome, {"hunter2"});
  EXPECT_EQ(outcome.reason, "ValueError: ***");
  EXPECT_EQ(outcome.exception->message, "outer ***");
  EXPECT_EQ(outcome.exception->traceback[0].code, "login('***')");
  EXPECT_EQ(outcome.exception->cause->message, "inner ***");
}

TEST(Verdict, AFaultOfOurOwnNamesItsCauseAndWhatToDo) {
  const Error error{ErrorCode::kDataLoss, "packs/a is damaged", "submit again", {}};
  const Outcome before = JudgeFault(error, Phase::kPull);
  EXPECT_EQ(before.exit_code, record::kExitBeforeUserCode);
  EXPECT_EQ(before.reason, "packs/a is damaged (submit again)");
  EXPECT_EQ(JudgeFault(error, Phase::kCollect).exit_code, 1);
}

}  // namespace
}  // namespace kinetic::runner
