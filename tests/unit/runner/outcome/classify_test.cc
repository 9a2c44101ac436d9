#include "runner/outcome/classify.h"

#include "record/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
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

ProgramExit Exited(int code) {
  ProgramExit exit;
  exit.status.code = code;
  return exit;
}

ShimMessage Message(ShimMessage::Kind kind) {
  ShimMessage message;
  message.kind = kind;
  return message;
}

TEST(Classify, CommandEndsWithItsExitCode) {
  EXPECT_EQ(ClassifyProgram(CommandSpec(), Exited(0), StopReason::kNone).state,
            JobState::kSucceeded);
  const Outcome failed = ClassifyProgram(CommandSpec(), Exited(9), StopReason::kNone);
  EXPECT_EQ(failed.state, JobState::kFailed);
  EXPECT_EQ(failed.exit_code, 9);
  EXPECT_EQ(failed.exit_source, ExitSource::kProgram);
}

TEST(Classify, ReturnedFunctionHasSucceeded) {
  ProgramExit exit = Exited(0);
  exit.status.signal = SIGKILL;
  exit.lingered = LingerLimit::kGrace;
  exit.stopped = true;
  exit.messages = {Message(ShimMessage::Kind::kStarted), Message(ShimMessage::Kind::kReturned),
                   Message(ShimMessage::Kind::kLingering)};
  EXPECT_EQ(ClassifyProgram(FunctionSpec(), exit, StopReason::kCancelled).state,
            JobState::kSucceeded);
}

TEST(Classify, NoteOnRemainingProgramTellsHowTheFunctionEnded) {
  ProgramLimits limits;
  limits.run = std::chrono::seconds(90);
  ProgramExit exit = Exited(1);
  exit.lingered = LingerLimit::kGrace;
  exit.messages = {Message(ShimMessage::Kind::kRaised), Message(ShimMessage::Kind::kLingering)};
  EXPECT_THAT(ExitNotes(exit, limits),
              ElementsAre(HasSubstr("after the function raised an exception")));
  exit.messages = {Message(ShimMessage::Kind::kExited)};
  EXPECT_THAT(ExitNotes(exit, limits), ElementsAre(HasSubstr("after the function exited")));
  for (const auto kind : {ShimMessage::Kind::kReturned, ShimMessage::Kind::kNotSerializable}) {
    exit.messages = {Message(kind)};
    EXPECT_THAT(ExitNotes(exit, limits), ElementsAre(HasSubstr("after the function returned")));
  }
  exit.lingered = LingerLimit::kRunLimit;
  exit.messages = {Message(ShimMessage::Kind::kRaised)};
  EXPECT_THAT(ExitNotes(exit, limits), ElementsAre(HasSubstr("had raised an exception, but")));
}

TEST(Classify, FunctionWithoutFinalMessageHasFailed) {
  ProgramExit exit = Exited(0);
  exit.messages = {Message(ShimMessage::Kind::kStarted)};
  const Outcome outcome = ClassifyProgram(FunctionSpec(), exit, StopReason::kNone);
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.exit_code, 1);

  const Outcome before = ClassifyProgram(FunctionSpec(), Exited(1), StopReason::kNone);
  EXPECT_EQ(before.exit_code, record::kExitBeforeUserCode);
  EXPECT_EQ(before.phase, Phase::kStart);
}

TEST(Classify, LimitsAndStopRequestsTakePrecedence) {
  JobSpec spec = CommandSpec();
  spec.timeouts.run = std::chrono::milliseconds(90'000);
  spec.resources.memory_bytes = 2ULL << 30;
  ProgramExit exit;
  exit.status.signal = SIGKILL;
  exit.out_of_memory = true;
  const Outcome memory = ClassifyProgram(spec, exit, StopReason::kNone);
  EXPECT_EQ(memory.exit_code, 137);
  EXPECT_EQ(memory.reason, "killed: exceeded its memory limit of 2 GiB");
  exit.timed_out = true;
  const Outcome time = ClassifyProgram(spec, exit, StopReason::kNone);
  EXPECT_EQ(time.exit_code, record::kExitTimeLimit);
  EXPECT_THAT(time.reason, HasSubstr("1m 30s"));
  exit.stopped = true;
  const Outcome stopped = ClassifyProgram(spec, exit, StopReason::kCancelled);
  EXPECT_EQ(stopped.state, JobState::kCancelled);
  EXPECT_EQ(stopped.exit_code, record::kExitCancelled);
}

TEST(Classify, NamesSignals) {
  ProgramExit exit;
  exit.status.signal = SIGSEGV;
  EXPECT_EQ(ClassifyProgram(CommandSpec(), exit, StopReason::kNone).reason,
            "killed by SIGSEGV (128+11)");
  EXPECT_EQ(SignalName(63), "signal 63");
}

TEST(Classify, RetriesOnlyExitCodesOfTheProgram) {
  RetrySpec retry;
  retry.attempts = 3;
  retry.on_exit_codes = {75, 124};
  Outcome outcome = ClassifyProgram(CommandSpec(), Exited(75), StopReason::kNone);
  EXPECT_TRUE(record::ShouldRetry(retry, outcome, 1));
  EXPECT_TRUE(record::ShouldRetry(retry, outcome, 2));
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 3));
  outcome.exit_code = 76;
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 1));
  outcome.exit_code = 124;
  outcome.exit_source = ExitSource::kKinetic;
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 1));
  EXPECT_FALSE(
      record::ShouldRetry(retry, ClassifyProgram(CommandSpec(), Exited(0), StopReason::kNone), 1));
}

TEST(Classify, RetriesPreemptedAttempt) {
  const Outcome outcome = ClassifyInterruption(CommandSpec(), StopReason::kPreempted, Phase::kRun);
  EXPECT_EQ(outcome.state, JobState::kPreempted);
  EXPECT_EQ(outcome.exit_code, record::kExitPreempted);
  RetrySpec retry;
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 1));
  retry.attempts = 2;
  EXPECT_TRUE(record::ShouldRetry(retry, outcome, 1));
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 2));
  retry.on_infrastructure = false;
  EXPECT_TRUE(record::ShouldRetry(retry, outcome, 1));
  retry.on_preempted = false;
  EXPECT_FALSE(record::ShouldRetry(retry, outcome, 1));
}

TEST(Classify, CommandHasTheExceptionOfItsPythonProgram) {
  const auto classify = [](int code, std::string error) {
    ProgramExit exit;
    exit.status.code = code;
    exit.python_error = std::move(error);
    return ClassifyProgram(JobSpec(), exit, StopReason::kNone);
  };
  const Outcome outcome = classify(1, "ModuleNotFoundError: No module named 'numpy'");
  EXPECT_EQ(outcome.exit_source, ExitSource::kProgram);
  EXPECT_EQ(outcome.reason, "exited with code 1: ModuleNotFoundError: No module named 'numpy'");
  EXPECT_EQ(outcome.exception->type, "ModuleNotFoundError");
  EXPECT_EQ(outcome.exception->message, "No module named 'numpy'");
  EXPECT_EQ(classify(1, "bdb.BdbQuit").exception->type, "bdb.BdbQuit");
  EXPECT_FALSE(classify(1, "").exception);
  EXPECT_FALSE(classify(1, "See above for details").exception);
  EXPECT_FALSE(classify(2, "KeyError: 'k'").exception);
  EXPECT_FALSE(classify(0, "KeyError: 'k'").exception);
}

TEST(Classify, ErrorOfKineticHasCauseAndHint) {
  const Error error{ErrorCode::kDataLoss, "packs/a is damaged", "submit again", {}};
  const Outcome before = ClassifyError(error, Phase::kPull);
  EXPECT_EQ(before.exit_code, record::kExitBeforeUserCode);
  EXPECT_EQ(before.reason, "packs/a is damaged (submit again)");
  for (const Phase phase : {Phase::kRun, Phase::kCollect}) {
    const Outcome after = ClassifyError(error, phase);
    EXPECT_EQ(after.exit_code, record::kExitNotStored);
    EXPECT_EQ(after.exit_source, ExitSource::kKinetic);
  }
}

}  // namespace
}  // namespace kinetic::runner
