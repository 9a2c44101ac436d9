#include "kinetic/report.h"

#include "kinetic/exceptions.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

namespace kinetic {
namespace {

template <typename T>
std::string Streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <typename T>
std::string Reported(const T& value) {
  std::ostringstream out;
  Report(out, value);
  return out.str();
}

Outcome Failed(std::string reason) {
  Outcome outcome;
  outcome.job = "ab12";
  outcome.reason = std::move(reason);
  return outcome;
}

TEST(Report, WritesAnErrorAsOneLineOrForAPerson) {
  const Error error{ErrorCode::kNotFound, "job \x1b[1mk does not exist", "kinetic ps", {}};
  EXPECT_EQ(Streamed(error), "NOT_FOUND: job \\x1b[1mk does not exist (kinetic ps)");
  EXPECT_EQ(Streamed(Error{ErrorCode::kInternal, "a\nb", "", {}}), "INTERNAL: a\\x0ab");
  EXPECT_EQ(Reported(error), "error: job \\x1b[1mk does not exist\nhint: kinetic ps\n");
  EXPECT_EQ(ReportText(Error{ErrorCode::kInternal, "a", "b", {}}, true),
            "\x1b[1;31merror:\x1b[0m a\n\x1b[36mhint:\x1b[0m b\n");
}

TEST(Report, LabelsEachErrorOfAList) {
  const Error list{ErrorCode::kInvalidArgument, "a\n  more\nb", "", {{"errors", "2"}}};
  EXPECT_EQ(Reported(list), "error: a\n  more\nerror: b\n");
  EXPECT_EQ(Reported(Error{ErrorCode::kInvalidArgument, "a\nb", "", {}}), "error: a\nb\n");
}

TEST(Report, ErrorOfAFunctionKeepsItsHint) {
  Outcome outcome = Failed("");
  outcome.exception.emplace().type = "kinetic::ErrorException";
  outcome.exception->message = "INVALID_ARGUMENT: negative\nhint: pass a positive number";
  const Error error = ErrorOf(outcome);
  EXPECT_EQ(error.message, "job ab12 failed: INVALID_ARGUMENT: negative");
  EXPECT_EQ(error.hint, "pass a positive number");
  EXPECT_EQ(error.details[0], std::pair(std::string("job"), std::string("ab12")));
  EXPECT_EQ(error.details[1], std::pair(std::string("state"), std::string("failed")));
}

TEST(Report, GivesTheHelpForAnExceptionToFunctionsAndCommands) {
  Outcome outcome = Failed("exited with code 1: ModuleNotFoundError: No module named 'x'");
  outcome.exception.emplace().type = "ModuleNotFoundError";
  outcome.exception->message = "No module named 'x'";
  const std::string of_command = Reported(outcome);
  EXPECT_TRUE(of_command.starts_with(
      "error: job ab12 failed: ModuleNotFoundError: No module named 'x'\nhint: add the package"));
  outcome.exit_source = ExitSource::kException;
  const std::string of_function = Reported(outcome);
  EXPECT_TRUE(
      of_function.starts_with("remote exception in job ab12:\nModuleNotFoundError: No mod"));
  EXPECT_EQ(of_function.substr(of_function.find("hint:")),
            of_command.substr(of_command.find("hint:")));
  outcome.exception->message = "No module named 'kinetic'";
  EXPECT_NE(Reported(outcome).find("hint: scripts have no module kinetic: run a function"),
            std::string::npos);
}

TEST(Report, WritesHowAJobEnded) {
  Outcome outcome = Failed("killed by the memory limit of 2 GiB\n");
  EXPECT_EQ(Streamed(outcome), "failed: killed by the memory limit of 2 GiB");
  EXPECT_EQ(Reported(outcome), "error: job ab12 failed: killed by the memory limit of 2 GiB\n");
  outcome = Failed("");
  outcome.exit_code = 3;
  EXPECT_EQ(Reported(outcome), "error: job ab12 failed: exit code 3\n");
  EXPECT_EQ(ErrorOf(outcome).code, ErrorCode::kAborted);
  outcome = Failed("preempted");
  outcome.state = JobState::kPreempted;
  EXPECT_EQ(Streamed(outcome), "preempted");
  EXPECT_EQ(Reported(outcome), "error: job ab12 was preempted\n");
  outcome.state = JobState::kSucceeded;
  EXPECT_EQ(Streamed(outcome), "succeeded");
  EXPECT_EQ(Reported(outcome), "");
}

TEST(Report, ErrorHasACodeForItsCause) {
  Outcome outcome = Failed("");
  for (const auto& [state, code] : {std::pair(JobState::kFailed, ErrorCode::kAborted),
                                    std::pair(JobState::kCancelled, ErrorCode::kCancelled),
                                    std::pair(JobState::kPreempted, ErrorCode::kUnavailable),
                                    std::pair(JobState::kLost, ErrorCode::kUnavailable)}) {
    outcome.state = state;
    EXPECT_EQ(ErrorOf(outcome).code, code) << state;
  }
}

TEST(Report, ErrorKeepsTheCodeThatAFunctionReturned) {
  Outcome outcome = Failed("");
  outcome.exception = RemoteException{"kinetic::ErrorException", "", {}, "", {}};
  for (const auto& [message, code] :
       {std::pair("NOT_FOUND: no file\nhint: look", ErrorCode::kNotFound),
        std::pair("INTERNAL: a bug", ErrorCode::kInternal),
        std::pair("no code", ErrorCode::kAborted), std::pair("", ErrorCode::kAborted)}) {
    outcome.exception->message = message;
    EXPECT_EQ(ErrorOf(outcome).code, code) << message;
  }
  outcome.exception->type = "ValueError";
  outcome.exception->message = "NOT_FOUND: no file";
  EXPECT_EQ(ErrorOf(outcome).code, ErrorCode::kAborted);
}

TEST(Report, ErrorHasTheTypeAndTheTracebackOfAnException) {
  Outcome outcome = Failed("");
  outcome.exception = RemoteException{"ValueError", "no data", {{"m.py", 3, "f", "g()"}}, "", {}};
  const Error error = ErrorOf(outcome);
  EXPECT_EQ(error.details[2], std::pair(std::string("exception"), std::string("ValueError")));
  EXPECT_EQ(error.details[3], std::pair(std::string("traceback"), outcome.exception->Format()));
}

TEST(Outcome, ConvertsTheValueOfAJobThatSucceeded) {
  Outcome outcome = Failed("out of memory");
  outcome.value = Value::Map{{"loss", 0.5}};
  EXPECT_EQ(outcome.As<double>("loss").error(), ErrorOf(outcome));
  outcome.state = JobState::kSucceeded;
  EXPECT_EQ(outcome.As<double>("loss").value(), 0.5);
  EXPECT_EQ(outcome.As<int>("lost").error().message, "value.lost: not found");
}

TEST(Report, WritesTheTraceback) {
  Outcome outcome = Failed("");
  outcome.attempt = 2;
  outcome.exception = RemoteException{"ValueError", "no\ndata", {{"m.py", 3, "f", "g()"}}, "", {}};
  EXPECT_EQ(Reported(outcome),
            "remote exception in job ab12, attempt 2:\nTraceback (most recent call last):\n"
            "  File \"m.py\", line 3, in f\n    g()\nValueError: no\n    data\n");
  EXPECT_EQ(Streamed(outcome), "failed: ValueError: no");
  outcome.exception->type = "ModuleNotFoundError";
  EXPECT_NE(Reported(outcome).find("hint: add the package"), std::string::npos);
}

TEST(Exceptions, ThrowTheErrorOfAResult) {
  EXPECT_EQ(ValueOrThrow(Result<int>(3)), 3);
  ValueOrThrow(Status());
  try {
    ValueOrThrow(Result<std::string>(Fail(ErrorCode::kNotFound, "no job", "look")));
    FAIL() << "did not throw";
  } catch (const ErrorException& thrown) {
    EXPECT_STREQ(thrown.what(), "no job");
    EXPECT_EQ(thrown.error(), (Error{ErrorCode::kNotFound, "no job", "look", {}}));
  }
  EXPECT_THROW(ValueOrThrow(Status(Fail(ErrorCode::kAborted, "x"))), ErrorException);
}

}  // namespace
}  // namespace kinetic
