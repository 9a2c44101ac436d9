#include "kinetic/testing.h"

#include "kinetic/explanation.h"
#include "kinetic/function.h"
#include "kinetic/waiting.h"

#include "base/files/file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int Twice(int number) { return 2 * number; }
KINETIC_FUNCTION(Twice);

class FakeClientTest : public ::testing::Test {
 protected:
  FakeClientTest() {
    tree_.Write("project/model.py", "def train(rate):\n    return rate\n");
    options_.environment["TMPDIR"] = Temporary().native();
    options_.owner = "ana@laptop";
  }

  Path Temporary() const { return tree_ / "tmp"; }

  Client Open(JobScript script) {
    auto client = OpenFakeClient(std::move(script), options_);
    EXPECT_TRUE(client) << client.error().message;
    return *std::move(client);
  }
  /// Opens a client whose jobs all do the same.
  Client Open(ScriptedJob job) {
    return Open([job = std::move(job)](const JobSpec&) -> Result<ScriptedJob> { return job; });
  }

  JobSpec Train() const { return JobSpec::Function("model:train").Bundle(tree_ / "project"); }

  Job Submit(Client& client) {
    auto job = client.Submit(Train());
    EXPECT_TRUE(job) << job.error().message;
    return *std::move(job);
  }

  static std::vector<std::string> Log(const Job& job, bool follow = false) {
    std::vector<std::string> lines;
    const Status read = job.Logs({.follow = follow}, [&](const LogRecord& record) -> Status {
      lines.push_back((record.stream == Stream::kStderr ? "e " : "o ") + std::string(record.text));
      return {};
    });
    EXPECT_TRUE(read) << read.error().message;
    return lines;
  }

  test::TempTree tree_;
  ClientOptions options_;
};

TEST_F(FakeClientTest, ScriptGetsLargeArrays) {
  const std::vector<double> numbers(100'000, 0.5);
  std::vector<double> seen;
  Client client = Open([&](const JobSpec& spec) -> Result<ScriptedJob> {
    seen = spec.args.named.at(0).second.As<std::vector<double>>().value();
    return ScriptedJob();
  });
  const auto job = client.Submit(Train().Arg("rate", Value(std::span(numbers), {numbers.size()})));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(seen, numbers);
}

TEST_F(FakeClientTest, ScriptGetsStoredArrays) {
  std::vector<std::vector<double>> seen;
  Client client = Open([&](const JobSpec& spec) -> Result<ScriptedJob> {
    seen.push_back(spec.args.positional.at(0).As<std::vector<double>>().value());
    return ScriptedJob::Return(1);
  });
  const std::vector<double> numbers(100'000, 0.5);
  const auto stored = client.Put(NdArray<double>{numbers, {numbers.size()}});
  ASSERT_TRUE(stored) << stored.error();
  for (int i = 0; i < 2; ++i) {
    JobSpec spec = Train();
    spec.args.positional = {*stored};
    const auto job = client.Submit(spec);
    ASSERT_TRUE(job) << job.error();
  }
  EXPECT_THAT(seen, ElementsAre(numbers, numbers));
}

TEST_F(FakeClientTest, LargeArrayOfAValueIsStoredAsByARealJob) {
  const std::vector<double> numbers(300, 0.5);
  Client client = Open(ScriptedJob::Return(ToValue(numbers)));
  const Job job = Submit(client);
  const auto outcome = job.Wait();
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->As<std::vector<double>>().error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(*JobOf<std::vector<double>>(job).Get(), numbers);
}

TEST_F(FakeClientTest, RemovedJobDoesNotExist) {
  Client client = Open(ScriptedJob::Return(1));
  const Job job = Submit(client);
  ASSERT_TRUE(client.Remove(job));
  EXPECT_EQ(job.Summary().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(job.Collect().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(job.Wait().error().code, ErrorCode::kNotFound);
}

TEST_F(FakeClientTest, MembersAreCheckedLikeAJobFile) {
  Client client = Open(ScriptedJob::Return(1));
  const auto message_of = [&](const auto& change) {
    JobSpec spec = Train();
    change(spec);
    const auto job = client.Submit(spec);
    return job ? std::string() : job.error().message;
  };
  EXPECT_THAT(message_of([](JobSpec& spec) { spec.resources.cpu = -1; }),
              HasSubstr("resources.cpu"));
  EXPECT_THAT(message_of([](JobSpec& spec) { spec.max_cost = "cheap"; }), HasSubstr("max_cost"));
  EXPECT_THAT(message_of([](JobSpec& spec) { spec.target = "prod"; }),
              HasSubstr("the job has the target prod"));
  EXPECT_THAT(message_of([](JobSpec& spec) { spec.directory.clear(); }),
              HasSubstr("the current directory no longer exists"));
  EXPECT_EQ(client.Submit(JobSpec::Call(&Twice, 3).Arg("x", 1)).error().message,
            "args.x: a C++ function takes arguments by position");
}

TEST_F(FakeClientTest, ScriptDecidesByArguments) {
  Client client = Open([](const JobSpec& spec) -> Result<ScriptedJob> {
    EXPECT_EQ(spec.function->callable, "train");
    return ScriptedJob::Return(*spec.args.named.front().second.AsDouble() * 2);
  });
  const auto job = client.Submit(Train().Arg("rate", 0.5));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->Wait()->As<double>().value(), 1.0);
}

TEST_F(FakeClientTest, ScriptGetsLongArguments) {
  const std::vector<double> weights(100'000, 0.25);
  Client client = Open([&](const JobSpec& spec) -> Result<ScriptedJob> {
    return ScriptedJob::Return(spec.args.named.front().second);
  });
  const auto job = client.Submit(Train().Arg("weights", weights));
  ASSERT_TRUE(job) << job.error().message;
  const auto outcome = job->Wait();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->As<std::vector<double>>().value(), weights);
}

TEST_F(FakeClientTest, JobHasEndedWhenItIsSubmitted) {
  Client client = Open(ScriptedJob::Return("done"));
  const Job job = Submit(client);
  EXPECT_EQ(job.Summary()->state, JobState::kSucceeded);
  EXPECT_EQ(job.Collect().value()->As<std::string>().value(), "done");
  const auto listed = client.List({}).value();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed.front().id, job.id());
  EXPECT_EQ(listed.front().state, JobState::kSucceeded);
}

TEST_F(FakeClientTest, JobFailsAsScripted) {
  Client raising = Open(ScriptedJob::Raise("ValueError", "no data"));
  const Outcome raised = Submit(raising).Wait().value();
  EXPECT_EQ(raised.state, JobState::kFailed);
  EXPECT_EQ(raised.exception->type, "ValueError");
  EXPECT_THAT(ErrorOf(raised).message, HasSubstr("ValueError: no data"));

  Client exiting = Open(ScriptedJob::Exit(3));
  const Outcome exited = Submit(exiting).Wait().value();
  EXPECT_EQ(exited.exit_code, 3);
  EXPECT_EQ(exited.exit_source, ExitSource::kProgram);

  Client preempted = Open(ScriptedJob::End(JobState::kPreempted, "the node was drained"));
  const Outcome ended = Submit(preempted).Wait().value();
  EXPECT_EQ(ended.state, JobState::kPreempted);
  EXPECT_EQ(ended.exit_code, 122);
  EXPECT_EQ(ended.reason, "the node was drained");
}

TEST_F(FakeClientTest, LogIsReadWhileTheJobRunsAndAfterItsEnd) {
  Client client =
      Open(ScriptedJob::RunUntilCancelled().Log("epoch 1\nepoch 2\n").Log("slow", Stream::kStderr));
  const Job job = Submit(client);
  const auto lines = ElementsAre("o epoch 1\n", "o epoch 2\n", "e slow");
  EXPECT_THAT(Log(job), lines);
  ASSERT_TRUE(job.Cancel());
  EXPECT_THAT(Log(job), lines);
  EXPECT_THAT(Log(job, true), lines);
}

TEST_F(FakeClientTest, FollowingReturnsAtTheEnd) {
  Client client = Open(ScriptedJob::Return().Log("one\n").RunFor(50ms));
  const Job job = Submit(client);
  EXPECT_THAT(Log(job, true), ElementsAre("o one\n"));
  EXPECT_EQ(job.Collect().value()->state, JobState::kSucceeded);
}

TEST_F(FakeClientTest, LogGrowsWhileItIsFollowed) {
  Client client = Open(ScriptedJob::RunUntilCancelled()
                           .Log("two\n", 20ms, Stream::kStderr)
                           .Log("one\n")
                           .Log("never\n", std::chrono::hours(1)));
  const Job job = Submit(client);
  std::vector<std::string> lines;
  const Status read = job.Logs({.follow = true}, [&](const LogRecord& record) -> Status {
    lines.emplace_back(record.text);
    if (lines.size() == 1) return {};
    return Fail(ErrorCode::kAborted, "enough");
  });
  EXPECT_EQ(read.error().message, "enough");
  EXPECT_THAT(lines, ElementsAre("one\n", "two\n"));
  ASSERT_TRUE(job.Cancel());
  EXPECT_THAT(Log(job), ElementsAre("o one\n", "e two\n"));
}

TEST_F(FakeClientTest, JobEndsAfterItsLog) {
  Client client = Open(ScriptedJob::Return(1).Log("late\n", 30ms).RunFor(10ms));
  const Job job = Submit(client);
  EXPECT_THAT(Log(job, true), ElementsAre("o late\n"));
}

TEST_F(FakeClientTest, OneThreadFollowsTheLogsOfSeveralJobs) {
  Client client = Open(ScriptedJob::Return().Log("one\n").Log("two\n", 20ms));
  const std::vector<Job> jobs{Submit(client), Submit(client), Submit(client)};
  std::vector<std::vector<std::string>> lines(jobs.size());
  std::vector<std::promise<Status>> ends(jobs.size());
  std::set<std::thread::id> threads;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i].OnLog(
        [&, i](const LogRecord& record) -> Status {
          threads.insert(std::this_thread::get_id());
          lines[i].emplace_back(record.text);
          return {};
        },
        [&, i](const Status& status) { ends[i].set_value(status); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_TRUE(ends[i].get_future().get());
    EXPECT_THAT(lines[i], ElementsAre("one\n", "two\n"));
  }
  EXPECT_EQ(threads.size(), 1U);
}

TEST_F(FakeClientTest, NotesInALogAreNotRepeated) {
  Client client = Open(ScriptedJob::Return().Log("note\n", Stream::kSystem).RunFor(300ms));
  std::vector<std::string> lines;
  std::promise<Status> end;
  Submit(client).OnLog(
      [&](const LogRecord& record) -> Status {
        lines.emplace_back(record.text);
        return {};
      },
      [&](const Status& status) { end.set_value(status); });
  EXPECT_TRUE(end.get_future().get());
  EXPECT_THAT(lines, ElementsAre("note\n"));
}

TEST_F(FakeClientTest, FollowingALogEndsWithAnError) {
  Client client = Open(ScriptedJob::RunUntilCancelled().Log("one\ntwo\n"));
  const Job job = Submit(client);
  const auto end_of = [&](const LogRecordSink& sink, const LogOptions& options) {
    std::promise<Status> end;
    job.OnLog(sink, [&](const Status& status) { end.set_value(status); }, options);
    return end.get_future().get().error();
  };
  int records = 0;
  const auto refuse = [&](const LogRecord&) -> Status {
    ++records;
    return Fail(ErrorCode::kAborted, "enough");
  };
  EXPECT_EQ(end_of(refuse, {}).message, "enough");
  EXPECT_EQ(records, 1);
  const auto fail = [](const LogRecord&) { return Status(Fail(ErrorCode::kUnavailable, "full")); };
  EXPECT_EQ(end_of(fail, {}).message, "full") << "not an outage of the store";
  const auto accept = [](const LogRecord&) { return Status(); };
  EXPECT_EQ(end_of(accept, {.deadline = std::chrono::steady_clock::now()}).code,
            ErrorCode::kDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(end_of(accept, {.stop = stop.get_token()}).code, ErrorCode::kCancelled);
  ASSERT_TRUE(job.Cancel());
}

TEST_F(FakeClientTest, PreemptedJobRunsTheScriptAgain) {
  std::atomic<int> runs = 0;
  Client client = Open([&](const JobSpec& spec) -> Result<ScriptedJob> {
    EXPECT_EQ(spec.args.Find("rate")->As<double>().value(), 0.5);
    EXPECT_EQ(spec.args.Find("other"), nullptr);
    if (++runs == 3) return ScriptedJob::Return(runs.load()).Log("done\n", 10ms);
    return ScriptedJob::End(JobState::kPreempted, "the node was drained").Log("try\n", 10ms);
  });
  JobSpec spec = Train().Arg("rate", 0.5);
  spec.retry.attempts = 3;
  const auto job = client.Submit(spec);
  ASSERT_TRUE(job) << job.error();
  EXPECT_THAT(Log(*job, true), ElementsAre("o try\n", "o try\n", "o done\n"));
  const auto outcome = job->Wait();
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->attempt, 3U);
  EXPECT_EQ(outcome->As<int>().value(), 3);
}

TEST_F(FakeClientTest, FailingScriptOfAFurtherAttemptFailsTheJob) {
  int runs = 0;
  Client client = Open([&](const JobSpec&) -> Result<ScriptedJob> {
    if (++runs > 1) return Fail(ErrorCode::kUnavailable, "no nodes");
    return ScriptedJob::End(JobState::kPreempted, "drained");
  });
  JobSpec spec = Train();
  spec.retry.attempts = 5;
  const auto outcome = client.Submit(spec)->Wait();
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->state, JobState::kFailed);
  EXPECT_EQ(outcome->reason, "no nodes");
  EXPECT_EQ(runs, 2);
}

TEST_F(FakeClientTest, CallsFailAsTheTestDemands) {
  std::set<std::string, std::less<>> failing;
  std::string job_of_call;
  auto opened = OpenFakeClient(
      [](const JobSpec&) -> Result<ScriptedJob> { return ScriptedJob::Return(1).Output("a", "b"); },
      options_, {.on_call = [&](const FakeCall& call) -> Status {
        job_of_call = call.job;
        if (!failing.contains(call.function)) return {};
        return Fail(ErrorCode::kUnavailable, "no network");
      }});
  ASSERT_TRUE(opened) << opened.error();
  Client& client = *opened;
  const Job job = Submit(client);
  failing = {"Submit", "List", "Find", "Wait", "Logs", "Cancel", "FetchOutputs", "Collect"};
  const auto fails = [](const auto& result) {
    return !result && result.error().message == "no network";
  };
  EXPECT_TRUE(fails(client.Submit(Train())));
  EXPECT_TRUE(fails(client.Run(&Twice, 1)));
  EXPECT_TRUE(fails(client.SubmitAll(std::vector{Train()}).front()));
  EXPECT_TRUE(fails(client.List()));
  EXPECT_TRUE(fails(client.Find(job.id())));
  EXPECT_TRUE(fails(job.Wait()));
  EXPECT_EQ(job_of_call, job.id());
  EXPECT_TRUE(fails(job.Logs({}, [](const LogRecord&) { return Status(); })));
  EXPECT_TRUE(fails(job.Cancel()));
  EXPECT_TRUE(fails(job.FetchOutputs({.folder = tree_ / "fetched"})));
  EXPECT_TRUE(fails(job.Collect()));
  EXPECT_TRUE(fails(WaitAll(std::vector{job})));
  std::promise<Status> end;
  job.OnLog([](const LogRecord&) { return Status(); },
            [&](const Status& status) { end.set_value(status); });
  EXPECT_TRUE(fails(end.get_future().get()));
  failing.clear();
  EXPECT_EQ(job.Wait()->As<int>().value(), 1);
  EXPECT_EQ(client.List()->size(), 1U);
}

TEST_F(FakeClientTest, OutputsAreFetched) {
  Client client = Open(ScriptedJob::Return().Output("model/weights.bin", "abc"));
  const Job job = Submit(client);
  ASSERT_TRUE(job.FetchOutputs({.folder = tree_ / "fetched"}));
  EXPECT_EQ(ReadFile(PosixFileSystem(), tree_ / "fetched/model/weights.bin", 100).value(), "abc");
}

TEST_F(FakeClientTest, JobRunsUntilItIsCancelled) {
  Client client = Open(ScriptedJob::RunUntilCancelled());
  const Job job = Submit(client);
  EXPECT_EQ(job.Summary()->state, JobState::kRunning);
  EXPECT_EQ(job.Explain()->cause, Cause::kRunning);
  EXPECT_FALSE(job.Collect().value());
  EXPECT_EQ(client.Remove(job).error().code, ErrorCode::kFailedPrecondition);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(job.Wait({.stop = stop.get_token()}).error().code, ErrorCode::kCancelled);
  ASSERT_TRUE(job.Cancel());
  EXPECT_EQ(job.Wait()->state, JobState::kCancelled);
  EXPECT_TRUE(client.Remove(job));
  EXPECT_THAT(client.List({}).value(), IsEmpty());
  EXPECT_EQ(job.Logs({}, [](const LogRecord&) { return Status(); }).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(job.Logs({}, nullptr).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FakeClientTest, SeveralJobsAreCancelled) {
  Client client = Open(ScriptedJob::RunUntilCancelled());
  const std::vector<Job> jobs{Submit(client), Submit(client), Submit(client)};
  ASSERT_TRUE(CancelAll(jobs));
  for (const Job& job : jobs) EXPECT_EQ(job.Summary()->state, JobState::kCancelled);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(CancelAll(jobs, {.stop = stop.get_token()}).error().code, ErrorCode::kCancelled);
}

TEST_F(FakeClientTest, JobsEndInTheOrderOfTheirDurations) {
  Client client = Open([](const JobSpec& spec) -> Result<ScriptedJob> {
    const Value& time = spec.args.named.front().second;
    return ScriptedJob::Return(time).RunFor(std::chrono::milliseconds(*time.AsInt()));
  });
  std::vector<Job> jobs;
  for (const int time : {600, 20, 300}) {
    auto job = client.Submit(Train().Arg("rate", time));
    ASSERT_TRUE(job) << job.error().message;
    jobs.push_back(*std::move(job));
  }
  std::vector<int> ended;
  const Status waited = WaitEach(jobs, [&](const EndedJob& job) -> Status {
    ended.push_back(job.outcome.As<int>().value());
    return {};
  });
  EXPECT_TRUE(waited) << waited.error().message;
  EXPECT_THAT(ended, ElementsAre(20, 300, 600));
}

TEST_F(FakeClientTest, FunctionOfTheProgramNeedsNoInitialization) {
  Client client = Open([](const JobSpec& spec) -> Result<ScriptedJob> {
    EXPECT_TRUE(spec.function->IsNative());
    EXPECT_EQ(spec.function->callable, "Twice");
    return ScriptedJob::Return(*spec.args.positional.front().AsInt() + 1);
  });
  EXPECT_EQ(client.Run(&Twice, 4).value(), 5);
}

TEST_F(FakeClientTest, FunctionIsAJobWithItsType) {
  Client client = Open(ScriptedJob::Return(5));
  Result<JobOf<int>> job = client.Submit(&Twice, 4);
  ASSERT_TRUE(job) << job.error();
  EXPECT_EQ(*job->Get(), 5);
  std::promise<Result<int>> done;
  job->OnDone([&](Result<int> value) { done.set_value(std::move(value)); });
  EXPECT_EQ(*done.get_future().get(), 5);
  EXPECT_EQ(job->job(), *client.Find(job->id()));
  EXPECT_NE(job->job(), client.Submit(&Twice, 4)->job());
  EXPECT_EQ(JobOf<std::string>(job->job()).Get().error().message,
            "job " + job->id() + ": value: expected string, found integer");
  EXPECT_TRUE(JobOf<void>(job->job()).Get());
  // A job that has ended has a value, whatever the deadline is.
  for (const auto deadline :
       {std::chrono::steady_clock::time_point::min(), std::chrono::steady_clock::time_point::max()})
    EXPECT_EQ(*job->Get({.deadline = deadline}), 5);
}

TEST_F(FakeClientTest, OptionsOfACallEndItsWait) {
  Client client = Open(ScriptedJob::RunUntilCancelled());
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(client.Run({.deadline = now}, &Twice, 4).error().code, ErrorCode::kDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client.Run({.stop = stop.get_token()}, &Twice, 4).error().code, ErrorCode::kCancelled);
  const auto job = client.Submit({.id = "late"}, &Twice, 4);
  ASSERT_TRUE(job) << job.error();
  EXPECT_EQ(job->id(), "late");
  EXPECT_EQ(job->Get({.deadline = now}).error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(job->Get({.stop = stop.get_token()}).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(job->job().Summary()->state, JobState::kRunning);
  EXPECT_TRUE(job->job().Cancel());
}

TEST_F(FakeClientTest, SubmitsSeveralJobs) {
  Client client = Open([](const JobSpec& spec) -> Result<ScriptedJob> {
    if (spec.args.named.front().second == Value(7)) return Fail(ErrorCode::kUnavailable, "busy");
    return ScriptedJob::Return(spec.args.named.front().second);
  });
  std::vector<JobSpec> specs;
  for (int i = 0; i < 20; ++i) specs.push_back(Train().Arg("rate", i));
  const std::vector<Result<Job>> jobs = client.SubmitAll(specs);
  ASSERT_EQ(jobs.size(), specs.size());
  for (int i = 0; i < 20; ++i) {
    const auto& job = jobs[static_cast<std::size_t>(i)];
    if (i == 7)
      EXPECT_EQ(job.error().code, ErrorCode::kUnavailable);
    else
      EXPECT_EQ(*JobOf<int>(*job).Get(), i);
  }
  std::stop_source stop;
  stop.request_stop();
  for (const auto& job : client.SubmitAll(specs, {.stop = stop.get_token()}))
    EXPECT_EQ(job.error().code, ErrorCode::kCancelled);
}

TEST_F(FakeClientTest, ErrorOfTheScriptIsReturnedBySubmit) {
  Client client = Open([](const JobSpec&) -> Result<ScriptedJob> {
    return Fail(ErrorCode::kUnavailable, "the cluster does not respond");
  });
  const auto job = client.Submit(Train());
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(job.error().message, "the cluster does not respond");
  EXPECT_THAT(client.List({}).value(), IsEmpty());
}

TEST_F(FakeClientTest, ImpossibleOutcomesAreRejected) {
  Client running = Open(ScriptedJob::End(JobState::kRunning, ""));
  EXPECT_EQ(running.Submit(Train()).error().code, ErrorCode::kInvalidArgument);
  ScriptedJob failing = ScriptedJob::Exit(1);
  failing.outcome.value = 3;
  Client client = Open(failing);
  EXPECT_EQ(client.Submit(Train()).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FakeClientTest, SpecsAreChecked) {
  Client client = Open(ScriptedJob::Return());
  EXPECT_EQ(client.Submit(JobSpec::Function("model")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(client.Submit(JobSpec::Function("model:train").Bundle(tree_ / "absent")));
  JobSpec secret = Train();
  secret.secrets = {"TOKEN"};
  EXPECT_EQ(client.Submit(secret).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FakeClientTest, PackagesAndImagesAreIgnored) {
  tree_.Write("project/requirements.txt", "jax==0.0.0\n");
  Client client = Open(ScriptedJob::Return(1));
  JobSpec spec = Train().Dependencies(tree_ / "project/requirements.txt");
  spec.Accelerator("v5litepod-4").image.emplace().uri = "registry.invalid/image:1";
  const auto job = client.Submit(spec);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->Wait()->As<int>().value(), 1);
}

TEST_F(FakeClientTest, SameIdAttachesAndRerunRunsTheScriptAgain) {
  int runs = 0;
  Client client =
      Open([&](const JobSpec&) -> Result<ScriptedJob> { return ScriptedJob::Return(++runs); });
  const auto first = client.Submit(Train(), {.id = "one"});
  const auto again = client.Submit(Train(), {.id = "one"});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->Wait()->As<int>().value(), 1);
  const auto rerun = client.Rerun(*first);
  ASSERT_TRUE(rerun) << rerun.error().message;
  EXPECT_EQ(rerun->Wait()->As<int>().value(), 2);
}

TEST_F(FakeClientTest, FolderIsRemovedWithTheLastHandle) {
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(Temporary()), {});
  };
  std::atomic<int> calls = 0;
  {
    std::optional<Client> client = Open(ScriptedJob::RunUntilCancelled());
    const Job job = Submit(*client);
    job.OnDone([&](const Result<Outcome>& outcome) {
      ++calls;
      EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
    });
    client.reset();
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(job.Summary()->state, JobState::kRunning);
  }
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(calls, 1);
}

TEST(TemporaryClientTest, ReturnsTheErrorsOfItsOptions) {
  EXPECT_EQ(OpenTemporaryClient(Fail(ErrorCode::kNotFound, "no profile")).error().code,
            ErrorCode::kNotFound);
  ClientOptions cluster;
  cluster.profile.kind = TargetKind::kGke;
  EXPECT_EQ(OpenTemporaryClient(cluster).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinetic
