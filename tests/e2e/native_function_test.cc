#include "kinetic/exceptions.h"
#include "kinetic/function.h"
#include "kinetic/try.h"

#include "functions_with_flags.h"
#include "local_project.h"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <thread>

// C++ functions as jobs on the local target. The test program is also the program of the jobs.
namespace kinetic {
namespace sim {

struct Options {
  double rate = 0;
  std::vector<int> layers;
};
KINETIC_FIELDS(Options, rate, layers);

double Train(const Options& options, int epochs) {
  std::cout << "training\n";
  return std::accumulate(options.layers.begin(), options.layers.end(), options.rate * epochs);
}
KINETIC_FUNCTION(sim::Train);

}  // namespace sim

namespace {

using test::LocalProject;
using test::Must;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<double> Double(std::span<const double> numbers) {
  std::vector<double> doubled(numbers.begin(), numbers.end());
  for (double& number : doubled) number *= 2;
  return doubled;
}
KINETIC_FUNCTION(Double);

[[gnu::noinline]] int ParseRow(int row) {
  if (row >= 0) throw std::out_of_range("row " + std::to_string(row));
  return row;
}
[[gnu::noinline]] int ReadTable(int rows) { return ParseRow(rows) + 1; }
KINETIC_FUNCTION(ReadTable);

int ThrowNested() {
  try {
    return ParseRow(3);
  } catch (const std::exception&) {
    std::throw_with_nested(std::runtime_error("cannot read the table"));
  }
}
KINETIC_FUNCTION(ThrowNested);

enum class Thrown { kNumber, kText, kOther };
void Throw(Thrown what) {
  struct Other {};
  if (what == Thrown::kNumber) throw 42;
  if (what == Thrown::kText) throw "text";
  throw Other();
}
KINETIC_FUNCTION(Throw);

Result<int> ReturnError() { return Fail(ErrorCode::kNotFound, "no such table"); }
KINETIC_FUNCTION(ReturnError);

void End(const std::string& how, int code) {
  if (how == "exit") std::exit(code);
  if (how == "_exit") ::_exit(code);
  std::abort();
}
KINETIC_FUNCTION(End);

[[gnu::noinline]] int ReadFrom(const int* place) {
  return *static_cast<const volatile int*>(place) + 1;
}
[[gnu::noinline]] int Recurse(int depth) {  // NOLINT(misc-no-recursion)
  volatile char frame[1000] = {};
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : Recurse(depth + 1) + frame[0];
}
int PrintAndCrash() {
  std::printf("printed\n");
  std::cout << "streamed\n";
  return ReadFrom(nullptr);
}
KINETIC_FUNCTION(PrintAndCrash);

int Crash(int recurse) { return recurse != 0 ? Recurse(1) : ReadFrom(nullptr); }
KINETIC_FUNCTION(Crash);

void Late() {}

int Overloaded(int number) { return number + 1; }
[[maybe_unused]] int Overloaded(double number) { return static_cast<int>(number); }
KINETIC_FUNCTION(static_cast<int (*)(int)>(Overloaded));

int WrapError() {
  try {
    return ParseRow(3);
  } catch (const std::exception&) {
    std::throw_with_nested(
        ErrorException(Error{ErrorCode::kDataLoss, "the table is damaged", "write it again", {}}));
  }
}
KINETIC_FUNCTION(WrapError);

/// Calls a null pointer.
int CallNull() {
  int (*volatile function)() = nullptr;
  return function() + 1;
}
KINETIC_FUNCTION(CallNull);

/// Several threads fail at once.
int CrashThreads() {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([] { (void)ReadFrom(nullptr); });
  return 0;
}
KINETIC_FUNCTION(CrashThreads);

Value::Map ReturnMap(const Value::Map& members) { return members; }
KINETIC_FUNCTION(ReturnMap);

std::string NoText() { return "\xff\xfe"; }
KINETIC_FUNCTION(NoText);

std::string LargeText(int megabytes) { return std::string(std::size_t(megabytes) << 20U, 'x'); }
KINETIC_FUNCTION(LargeText);

std::map<std::string, std::string> WriteOutput(const std::string& text) {
  const JobContext& job = *CurrentJob();
  std::ofstream(job.output / "text.txt") << text;
  return {{"id", job.id}, {"attempt", std::to_string(job.attempt)}};
}
KINETIC_FUNCTION(WriteOutput);

std::string WaitForStop() {
  const std::stop_token stop = CurrentJob()->StopToken();
  std::cout << "waiting" << std::endl;
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return "stopped";
}
KINETIC_FUNCTION(WaitForStop);

Result<int> LogLosses(int steps) {
  for (int step = 1; step <= steps; ++step) {
    std::cout << "step ";
    std::printf("%d\n", step);
    KINETIC_RETURN_IF_ERROR(LogMetrics({{"step", step}, {"loss", 1.0 / step}}));
  }
  return steps;
}
KINETIC_FUNCTION(LogLosses);

/// Ends a forked process as a program without a stop token would.
std::string EndFork() {
  const std::stop_token stop = CurrentJob()->StopToken();
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM) return "the process did not end";
  return stop.stop_requested() ? "stopped" : "ended";
}
KINETIC_FUNCTION(EndFork);

int Fork() {
  const pid_t child = ::fork();
  if (child == 0) return 1;
  return 2;
}
KINETIC_FUNCTION(Fork);

class NativeFunction : public ::testing::Test {
 protected:
  NativeFunction() : client_(project_.Open()) {}

  template <typename... Arguments>
  Outcome Run(Arguments... arguments) {
    job_.emplace(Must(client_.Submit(JobSpec::Call(arguments...))));
    return Must(job_->Wait());
  }

  /// Runs a function that a signal ends. Sanitizers leave the signal to the program, whose handler
  /// allocates memory in a child process only.
  template <typename... Arguments>
  Outcome RunCrash(Arguments... arguments) {
    JobSpec spec = JobSpec::Call(arguments...);
    spec.env = {{"ASAN_OPTIONS", "handle_segv=0"},
                {"TSAN_OPTIONS", "handle_segv=0:report_signal_unsafe=0"}};
    job_.emplace(Must(client_.Submit(spec)));
    return Must(job_->Wait());
  }

  LocalProject project_;
  Client client_;
  std::optional<Job> job_;
};

/// Expects an exception with this message, caused by that of ParseRow.
void ExpectFailedRow(const Outcome& outcome, std::string_view message) {
  ASSERT_TRUE(outcome.exception);
  EXPECT_EQ(outcome.exception->message, message);
  ASSERT_TRUE(outcome.exception->cause);
  EXPECT_EQ(outcome.exception->cause->type, "std::out_of_range");
  EXPECT_EQ(outcome.exception->cause->message, "row 3");
}

TEST_F(NativeFunction, ReturnsValue) {
  const auto value = client_.Run(&sim::Train, sim::Options{.rate = 0.5, .layers = {1, 2}}, 3);
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ(*value, 4.5);
}

TEST_F(NativeFunction, JobHasNameLogAndValue) {
  const Outcome outcome = Run(&sim::Train, sim::Options{.rate = 1, .layers = {}}, 2);
  EXPECT_EQ(outcome.state, JobState::kSucceeded) << outcome.reason;
  EXPECT_EQ(*outcome.As<double>(), 2.0);
  EXPECT_THAT(test::ReadLog(*job_, {}), ElementsAre("0o training\n"));
  const JobSummary summary = Must(job_->Summary());
  EXPECT_EQ(summary.name, "sim-train");
  EXPECT_TRUE(summary.function);
}

TEST_F(NativeFunction, LogsMetrics) {
  const Outcome outcome = Run(&LogLosses, 4);
  ASSERT_EQ(outcome.metrics.size(), 2U);
  EXPECT_EQ(outcome.metrics[1].name, "loss");
  EXPECT_EQ(outcome.metrics[1].last, 0.25);
  EXPECT_EQ(outcome.metrics[1].count, 4U);
  std::vector<Metrics> rows;
  EXPECT_TRUE(ReadMetrics(*job_, [&](const MetricRow& row) -> Status {
    rows.push_back(row.numbers);
    return {};
  }));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[1], ElementsAre(testing::Pair("step", 2), testing::Pair("loss", 0.5)));
}

TEST_F(NativeFunction, LargeArraysAreArgumentsAndResults) {
  std::vector<double> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0.5);
  const auto doubled = client_.Run(&Double, numbers);
  ASSERT_TRUE(doubled) << doubled.error();
  EXPECT_EQ(doubled->size(), numbers.size());
  EXPECT_EQ(doubled->back(), 2 * numbers.back());
}

TEST_F(NativeFunction, SeveralCallsAreSubmittedTogether) {
  std::vector<JobSpec> specs;
  for (int epochs = 0; epochs < 6; ++epochs)
    specs.push_back(JobSpec::Call(&sim::Train, sim::Options{.rate = 1, .layers = {}}, epochs));
  specs[2].tags = {{"part", "third"}};
  const auto jobs = client_.SubmitAll(specs);
  ASSERT_EQ(jobs.size(), specs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(jobs[i]) << jobs[i].error();
    EXPECT_EQ(JobOf<double>(*jobs[i]).Get().value(), static_cast<double>(i));
    EXPECT_EQ(Must(jobs[i]->Summary()).tags, specs[i].tags);
  }
}

TEST_F(NativeFunction, AnInvalidJobDoesNotPreventTheOthers) {
  std::vector<JobSpec> specs(3,
                             JobSpec::Call(&sim::Train, sim::Options{.rate = 1, .layers = {}}, 2));
  specs[0].tags = {{"part", "\xff"}};
  const auto jobs = client_.SubmitAll(specs);
  ASSERT_EQ(jobs.size(), specs.size());
  EXPECT_FALSE(jobs[0]);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    ASSERT_TRUE(jobs[i]) << jobs[i].error();
    EXPECT_EQ(JobOf<double>(*jobs[i]).Get().value(), 2.0);
  }
}

TEST_F(NativeFunction, SubmittedJobsOutliveAClientThatIsKilled) {
  constexpr int kJobs = 5;
  const pid_t child = ::fork();
  if (child == 0) {
    Client client = project_.Open();
    for (int epochs = 0; epochs < kJobs; ++epochs)
      if (!client.Submit(&sim::Train, sim::Options{.rate = 1, .layers = {}}, epochs)) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  const auto listed = Must(client_.List());
  EXPECT_EQ(listed.size(), std::size_t{kJobs});
  for (const JobSummary& job : listed) {
    const Outcome outcome = Must(Must(client_.Find(job)).Wait());
    EXPECT_EQ(outcome.state, JobState::kSucceeded) << outcome.reason;
  }
}

TEST_F(NativeFunction, StoredArrayIsTheArgumentOfSeveralJobs) {
  std::vector<double> numbers(100'000, 0.5);
  const Value stored =
      Must(client_.Put(NdArray<double>{.items = std::move(numbers), .shape = {100'000}}));
  for (int i = 0; i < 2; ++i) {
    const auto doubled = client_.Run(&Double, stored);
    ASSERT_TRUE(doubled) << doubled.error();
    EXPECT_EQ(*doubled, std::vector<double>(100'000, 1.0));
  }
  const auto job = client_.Submit(&Double, stored);
  ASSERT_TRUE(job) << job.error();
  ASSERT_TRUE(job->Get());
  const JobOf<std::vector<double>> again(Must(client_.Rerun(job->job())));
  EXPECT_EQ(*again.Get(), std::vector<double>(100'000, 1.0));
  EXPECT_EQ(test::Objects(project_.Store() / "arrays").size(), 1U);
  const auto wrong = client_.Run(&ReadTable, stored);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("argument 1: value: expected integer, found array"));
}

TEST_F(NativeFunction, DamagedArrayIsNotPassedOn) {
  const Value stored = Must(client_.Put(NdArray<double>{std::vector<double>(100'000), {100'000}}));
  for (const auto& file : std::filesystem::directory_iterator(project_.Store() / "arrays")) {
    std::fstream content(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    content.seekp(500'000);
    content << "damage";
  }
  const auto doubled = client_.Run(&Double, stored);
  ASSERT_FALSE(doubled);
  EXPECT_THAT(doubled.error().message, HasSubstr("does not match its digest in the arguments"));
}

TEST_F(NativeFunction, UnchangedProgramIsNotStoredAgain) {
  (void)Run(&Double, std::vector{1.0});
  const auto packs = test::Objects(project_.Store() / "packs");
  EXPECT_FALSE(packs.empty());
  (void)Run(&Double, std::vector{2.0});
  EXPECT_EQ(test::Objects(project_.Store() / "packs"), packs);
}

TEST_F(NativeFunction, DamagedProgramIsUnpackedAgain) {
  (void)Run(&Double, std::vector{1.0});
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(project_.StateDir() / "programs")) {
    if (entry.path().filename() == "libc.so.6") std::filesystem::resize_file(entry.path(), 0);
  }
  EXPECT_EQ(Run(&Double, std::vector{2.0}).reason, "");
}

TEST_F(NativeFunction, ExceptionHasTypeMessageAndFunctions) {
  const Outcome outcome = Run(&ReadTable, 7);
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.exit_source, ExitSource::kException);
  EXPECT_EQ(outcome.reason, "std::out_of_range: row 7");
  ASSERT_TRUE(outcome.exception);
  EXPECT_EQ(outcome.exception->type, "std::out_of_range");
  EXPECT_EQ(outcome.exception->message, "row 7");
  ASSERT_EQ(outcome.exception->traceback.size(), 2U) << outcome.exception->Format();
  EXPECT_THAT(outcome.exception->traceback[0].function, HasSubstr("ReadTable(int)"));
  EXPECT_THAT(outcome.exception->traceback[1].function, HasSubstr("ParseRow(int)"));
  EXPECT_EQ(outcome.exception->traceback[1].file, "program");
}

TEST_F(NativeFunction, NestedExceptionIsCause) {
  const Outcome outcome = Run(&ThrowNested);
  ExpectFailedRow(outcome, "cannot read the table");
}

TEST_F(NativeFunction, ThrownObjectsOfOtherTypesAreExceptions) {
  EXPECT_EQ(Run(&Throw, Thrown::kNumber).reason, "int: 42");
  EXPECT_EQ(Run(&Throw, Thrown::kText).reason, "char const*: text");
  EXPECT_THAT(Run(&Throw, Thrown::kOther).reason, HasSubstr("Other: not a std::exception"));
}

TEST_F(NativeFunction, ReturnedErrorIsException) {
  const Outcome outcome = Run(&ReturnError);
  EXPECT_EQ(outcome.reason, "kinetic::ErrorException: NOT_FOUND: no such table");
}

TEST_F(NativeFunction, ErrorKeepsItsCode) {
  const auto failed = client_.Run(&ReturnError);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(failed.error().message, HasSubstr("failed: NOT_FOUND: no such table"));
}

TEST_F(NativeFunction, ExceptionOfAProgramWithoutRttiIsReported) {
  EXPECT_THAT(Run(&test::ThrowWithoutRtti, 3).reason, HasSubstr("OwnError: number 3"));
  const Outcome nested = Run(&test::ThrowNestedWithoutRtti, 4);
  EXPECT_THAT(nested.reason, HasSubstr("OwnError: outer"));
  ASSERT_TRUE(nested.exception && nested.exception->cause) << nested.reason;
  EXPECT_EQ(nested.exception->cause->message, "number 4");
}

TEST_F(NativeFunction, ErrorOfAProgramWithoutExceptionsIsReported) {
  EXPECT_EQ(*client_.Run(&test::FailWithoutExceptions, 2), 2);
  const auto failed = client_.Run(&test::FailWithoutExceptions, -1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(failed.error().hint, "pass a positive number");
}

TEST_F(NativeFunction, EndOfProcessIsReported) {
  EXPECT_EQ(Run(&End, "exit", 3).reason, "exited with code 3 before the function returned");
  EXPECT_EQ(Run(&End, "_exit", 0).reason,
            "the program exited with code 0 before the function returned");
  const Outcome aborted = RunCrash(&End, "abort", 0);
  EXPECT_EQ(aborted.reason, "killed by SIGABRT (128+6)");
  EXPECT_EQ(aborted.exit_code, 134);
  EXPECT_THAT(test::ReadLog(*job_, {}),
              AllOf(Contains(HasSubstr("SIGABRT, most recent call first")),
                    Contains(HasSubstr("End(std::"))));
}

TEST_F(NativeFunction, CrashReportsFunctions) {
  EXPECT_EQ(RunCrash(&Crash, 0).reason, "killed by SIGSEGV (128+11)");
  EXPECT_THAT(
      test::ReadLog(*job_, {}),
      AllOf(Contains(HasSubstr("SIGSEGV, most recent call first")),
            Contains(HasSubstr("ReadFrom(int const*)")), Contains(HasSubstr("Crash(int)"))));
  EXPECT_EQ(RunCrash(&Crash, 1).reason, "killed by SIGSEGV (128+11)");
  EXPECT_THAT(test::ReadLog(*job_, {}), AllOf(Contains(HasSubstr("SIGSEGV (stack overflow)")),
                                              Contains(HasSubstr("Recurse(int)"))));
  EXPECT_EQ(RunCrash(&CallNull).reason, "killed by SIGSEGV (128+11)");
  EXPECT_THAT(test::ReadLog(*job_, {}), Contains(HasSubstr("CallNull()")));
  EXPECT_EQ(RunCrash(&CrashThreads).reason, "killed by SIGSEGV (128+11)");
  EXPECT_THAT(test::ReadLog(*job_, {}), Contains(HasSubstr("ReadFrom(int const*)")));
}

TEST_F(NativeFunction, LinesBeforeACrashAreInTheLog) {
  EXPECT_EQ(RunCrash(&PrintAndCrash).reason, "killed by SIGSEGV (128+11)");
  EXPECT_THAT(test::ReadLog(*job_, {}),
              AllOf(Contains(HasSubstr("printed")), Contains(HasSubstr("streamed"))));
}

TEST_F(NativeFunction, UnsuitableValueIsReported) {
  EXPECT_THAT(Run(&NoText).reason, HasSubstr("the text is not valid UTF-8"));
  EXPECT_THAT(Run(&LargeText, 65).reason,
              HasSubstr("cannot store the return value: the value is longer than 64 MiB as JSON"));
}

TEST_F(NativeFunction, ErrorOfStoreNamesTheProgram) {
  ClientOptions options = project_.Options();
  options.profile.store = "/proc/none";
  Client client = Must(Client::Open(options));
  const auto job = client.Submit(JobSpec::Call(&Fork));
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, StartsWith("storing the program: cannot open the store"));
}

TEST_F(NativeFunction, KnowsItsJob) {
  const Outcome outcome = Run(&WriteOutput, "hello");
  EXPECT_EQ(*outcome.As<std::string>("id"), job_->id());
  EXPECT_EQ(*outcome.As<std::string>("attempt"), "1");
  const auto outputs = Must(job_->Outputs());
  EXPECT_THAT(outputs, ElementsAre(Field(&OutputFile::path, "text.txt")));
}

TEST_F(NativeFunction, StopTokenIsStoppedByCancellation) {
  const Job job = Must(client_.Submit(JobSpec::Call(&WaitForStop)));
  EXPECT_TRUE(test::Eventually([&] { return !test::ReadLog(job, {}).empty(); }));
  ASSERT_TRUE(job.Cancel());
  const Outcome outcome = Must(job.Wait());
  EXPECT_EQ(outcome.state, JobState::kSucceeded) << outcome.reason;
  EXPECT_EQ(*outcome.As<std::string>(), "stopped");
}

TEST_F(NativeFunction, FunctionThatIsRegisteredLateIsReported) {
  const native::Registration late = native::Register("Late", &Late);
  const auto job = client_.Submit(JobSpec::Call(&Late));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message,
            "cannot call Late as a job: it was registered after kinetic::InitFunctions, with which "
            "a job begins");
  EXPECT_THAT(job.error().hint, HasSubstr("dlopen"));
}

TEST_F(NativeFunction, OneOfSeveralOverloadsRuns) {
  EXPECT_EQ(*client_.Run(static_cast<int (*)(int)>(&Overloaded), 1), 2);
}

TEST_F(NativeFunction, CauseOfErrorIsReported) {
  const Outcome outcome = Run(&WrapError);
  ExpectFailedRow(outcome, "DATA_LOSS: the table is damaged\nhint: write it again");
}

TEST_F(NativeFunction, ForkedProcessDoesNotReport) { EXPECT_EQ(*Run(&Fork).As<int>(), 2); }

#if !defined(__SANITIZE_THREAD__)  // it delivers no signals to a forked process
TEST_F(NativeFunction, ForkedProcessEndsBySigterm) {
  EXPECT_EQ(*Run(&EndFork).As<std::string>(), "ended");
}
#endif

TEST_F(NativeFunction, MapOfValuesIsArgumentAndResult) {
  const Value::Map members{{"loss", 0.5}, {"layers", Value::List{1, 2}}};
  const auto returned = client_.Run(&ReturnMap, members);
  ASSERT_TRUE(returned) << returned.error();
  EXPECT_EQ(*returned, members);
}

TEST_F(NativeFunction, JobRunsAgain) {
  (void)Run(&Double, std::vector{1.0});
  const Job again = Must(client_.Rerun(*job_));
  EXPECT_EQ(*Must(again.Wait()).As<std::vector<double>>(), std::vector{2.0});
}

TEST_F(NativeFunction, FilesOfBundleAreInWorkingDirectory) {
  project_.Write("table.txt", "7\n");
  const Job job = Must(client_.Submit(JobSpec::Call(&End, "exit", 0).Bundle(project_.Root())));
  EXPECT_EQ(Must(job.Wait()).state, JobState::kFailed);
  const Plan plan = Must(client_.Prepare(JobSpec::Call(&End, "exit", 0).Bundle(project_.Root())));
  EXPECT_THAT(plan.bundle.entries, ElementsAre(Field(&BundleEntry::path, "table.txt")));
}

}  // namespace
}  // namespace kinetic

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
