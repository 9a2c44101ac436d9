#include "e2e/runner_harness.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Runs a function and expects that it fails.
Outcome Failure(RunnerHarness& runner, std::string_view source,
                std::string_view callable = "main") {
  const auto stored = runner.Run(runner.FunctionJob(source, callable));
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  EXPECT_TRUE(stored.outcome.value.IsNull());
  EXPECT_FALSE(stored.value);
  return stored.outcome;
}

TEST(RunnerFunction, StoresValueAndLog) {
  RunnerHarness runner;
  Arguments args;
  args.named = {{"name", "world"}, {"data", Value::Map{{"$path", "job.py"}}}};
  const auto job = runner.FunctionJob(
      "import os\n"
      "def main(name, data):\n"
      "    print('hello', name)\n"
      "    return {'name': name, 'size': os.path.getsize(data), 'pair': (1, 2.5)}\n",
      "main", args);
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.exit_code, 0);
  EXPECT_EQ(stored.outcome.value.ToJson(),
            R"({"name":"world","size":132,"pair":{"$tuple":[1,2.5]}})");
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "hello world\n");
  EXPECT_EQ(stored.log_records, runner.Log(job).size());
}

TEST(RunnerFunction, StoresLargeValueSeparately) {
  RunnerHarness runner;
  const auto job = runner.FunctionJob(
      "def main():\n"
      "    return {'text': 'x' * 50000, 'blob': b'y' * 100000}\n");
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  ASSERT_TRUE(stored.value);
  const std::string json = runner.Stored(record::ValueName(record::RunKey(job.id, 1)));
  EXPECT_EQ(Sha256::Of(json), *stored.value);
  const auto value = Value::FromJson(json);
  ASSERT_TRUE(value);
  const Value* bytes = value->Find("blob")->Find("$bytes");
  ASSERT_NE(bytes, nullptr);
  const auto digest = Digest::FromHex(*bytes->Find("$ref")->AsString());
  EXPECT_EQ(runner.Stored(record::StoredValueName(record::RunKey(job.id, 1), *digest)),
            std::string(100000, 'y'));
}

TEST(RunnerFunction, ReportsExceptionWithCause) {
  RunnerHarness runner;
  const Outcome outcome = Failure(runner,
                                  "class DataError(Exception):\n"
                                  "    pass\n"
                                  "def parse():\n"
                                  "    return int('twelve')\n"
                                  "def main():\n"
                                  "    try:\n"
                                  "        parse()\n"
                                  "    except ValueError as error:\n"
                                  "        raise DataError('row 3') from error\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.exit_source, ExitSource::kException);
  EXPECT_EQ(outcome.phase, Phase::kRun);
  EXPECT_EQ(outcome.reason, "job.DataError: row 3");
  ASSERT_TRUE(outcome.exception);
  EXPECT_EQ(outcome.exception->type, "job.DataError");
  ASSERT_EQ(outcome.exception->traceback.size(), 1U);
  EXPECT_EQ(outcome.exception->traceback[0].file, "job.py");
  EXPECT_EQ(outcome.exception->traceback[0].line, 9);
  EXPECT_EQ(outcome.exception->traceback[0].code, "raise DataError('row 3') from error");
  EXPECT_EQ(outcome.exception->relation, "cause");
  ASSERT_TRUE(outcome.exception->cause);
  EXPECT_EQ(outcome.exception->cause->type, "ValueError");
  ASSERT_EQ(outcome.exception->cause->traceback.size(), 2U);
  EXPECT_EQ(outcome.exception->cause->traceback[1].function, "parse");
}

TEST(RunnerFunction, SystemExitSetsExitCode) {
  RunnerHarness runner;
  const Outcome outcome = Failure(runner, "import sys\ndef main():\n    sys.exit(7)\n");
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.exit_source, ExitSource::kProgram);
  EXPECT_FALSE(outcome.exception);

  const auto fine = runner.Run(runner.FunctionJob("def main():\n    raise SystemExit\n"));
  EXPECT_EQ(fine.outcome.state, JobState::kSucceeded);
  EXPECT_TRUE(fine.outcome.value.IsNull());
}

TEST(RunnerFunction, ReportsExitCodeThatBecomesZero) {
  RunnerHarness runner;
  const auto job = runner.FunctionJob("import sys\ndef main(): sys.exit(256)\n");
  EXPECT_EQ(runner.Run(job).outcome.state, JobState::kSucceeded);
  EXPECT_THAT(runner.Text(job, Stream::kSystem), HasSubstr("sys.exit(256) is exit code 0"));
}

TEST(RunnerFunction, BundleMayHaveModulesNamedLikeTheStandardLibrarys) {
  RunnerHarness runner;
  auto job = runner.FunctionJob("");
  std::map<std::string, std::string> files{
      {"job.py", "import json, fractions\ndef main(): return [json.mine, fractions.mine]\n"}};
  for (const char* name : {"json", "types", "re", "enum", "struct", "threading", "fractions"}) {
    files[std::string(name) + ".py"] = "mine = __name__\n";
  }
  job.tree = runner.PutBundle(files);
  const Outcome outcome = runner.Run(job).outcome;
  EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(outcome.value, Value(Value::List{"json", "fractions"}));
}

TEST(RunnerFunction, ExitBypassingPythonFails) {
  RunnerHarness runner;
  const Outcome zero = Failure(runner, "import os\ndef main():\n    os._exit(0)\n");
  EXPECT_EQ(zero.exit_code, 1);
  EXPECT_EQ(zero.phase, Phase::kRun);
  EXPECT_THAT(zero.reason, HasSubstr("before the function returned"));
  const Outcome three = Failure(runner, "import os\ndef main():\n    os._exit(3)\n");
  EXPECT_EQ(three.exit_code, 3);
}

TEST(RunnerFunction, ReportsPathOfUnserializableValueAndKeepsOutputs) {
  RunnerHarness runner;
  const auto job = runner.FunctionJob(
      "import os\n"
      "class Model:\n"
      "    def __repr__(self): return '<a model>'\n"
      "def main():\n"
      "    with open(os.environ['KINETIC_OUTPUT_DIR'] + '/weights', 'w') as file:\n"
      "        file.write('w')\n"
      "    return {'history': [1, {'model': Model()}]}\n");
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  EXPECT_EQ(stored.outcome.phase, Phase::kCollect);
  EXPECT_EQ(stored.outcome.reason,
            "cannot store the return value: $.history[1].model: job.Model is not serializable: "
            "<a model>");
  EXPECT_EQ(runner.Stored(record::OutputName(job.id, "weights")), "w");
}

TEST(RunnerFunction, RejectsUncallableFunctions) {
  RunnerHarness runner;
  const std::string_view source =
      "import sys\n"
      "number = 5\n"
      "class Trainer:\n"
      "    pass\n"
      "def train(epochs=1):\n"
      "    pass\n"
      "def stream():\n"
      "    yield 1\n";
  const struct {
    std::string_view callable, reason;
  } cases[] = {{"trian", "job has no trian; did you mean train?"},
               {"number", "job:number is not callable: it is of type int"},
               {"Trainer", "job:Trainer is a class; use a function that creates an instance"},
               {"stream", "is a generator function"}};
  for (const auto& [callable, reason] : cases) {
    const Outcome outcome = Failure(runner, source, callable);
    EXPECT_THAT(outcome.reason, HasSubstr(std::string(reason)));
    EXPECT_EQ(outcome.exit_code, 123);
    EXPECT_EQ(outcome.phase, Phase::kStart);
  }
}

TEST(RunnerFunction, ImportErrorShowsOnlyFramesOfTheUser) {
  RunnerHarness runner;
  const Outcome broken = Failure(runner, "import json\ndef main(:\n    pass\n");
  ASSERT_TRUE(broken.exception);
  EXPECT_EQ(broken.exception->type, "SyntaxError");
  ASSERT_EQ(broken.exception->traceback.size(), 1U);
  EXPECT_EQ(broken.exception->traceback[0].file, "job.py");
  EXPECT_EQ(broken.exception->traceback[0].line, 2);

  const Outcome missing = Failure(runner, "import numqy_is_not_there\n");
  ASSERT_TRUE(missing.exception);
  EXPECT_EQ(missing.exception->type, "ModuleNotFoundError");
  ASSERT_EQ(missing.exception->traceback.size(), 1U);
  EXPECT_EQ(missing.exception->traceback[0].line, 1);
}

TEST(RunnerFunction, RunsAsyncFunction) {
  RunnerHarness runner;
  const auto stored = runner.Run(runner.FunctionJob(
      "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 42\n"));
  EXPECT_EQ(stored.outcome.value, Value(42)) << stored.outcome.reason;
}

TEST(RunnerFunction, TerminatesRemainingThreadsAndDaemons) {
  RunnerHarness runner;
  auto job = runner.FunctionJob(
      "import os, threading, time, subprocess, sys\n"
      "def main():\n"
      "    threading.Thread(target=time.sleep, args=(600,)).start()\n"
      "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],\n"
      "                     start_new_session=True, env={})\n"
      "    return 'done'\n");
  job.spec.timeouts.grace = std::chrono::milliseconds(300);
  const auto stored = runner.Run(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded) << stored.outcome.reason;
  EXPECT_EQ(stored.outcome.value, Value("done"));
  EXPECT_THAT(runner.Text(job, Stream::kSystem), HasSubstr("after the function returned"));
}

TEST(RunnerFunction, ForkAndClosedStreamsDoNotAffectTheValue) {
  RunnerHarness runner;
  const auto stored =
      runner.Run(runner.FunctionJob("import os\n"
                                    "def main():\n"
                                    "    pid = os.fork()\n"
                                    "    if pid == 0:\n"
                                    "        return 'the child speaks'\n"
                                    "    os.waitpid(pid, 0)\n"
                                    "    os.close(1)\n"
                                    "    return 'the parent'\n"));
  EXPECT_EQ(stored.outcome.value, Value("the parent")) << stored.outcome.reason;
}

TEST(RunnerFunction, RedactsSecretsInLogAndException) {
  RunnerHarness runner;
  runner.secrets = {{"API_TOKEN", "hunter2hunter2"}, {"SHORT", "ab"}};
  const auto job = runner.FunctionJob(
      "import os, sys\n"
      "def main():\n"
      "    token = os.environ['API_TOKEN']\n"
      "    sys.stdout.write('t=' + token[:5]); sys.stdout.flush()\n"
      "    sys.stdout.write(token[5:] + ' ab\\n')\n"
      "    raise ValueError('bad token ' + token)\n");
  const auto stored = runner.Run(job);
  EXPECT_EQ(runner.Text(job, Stream::kStdout), "t=*** ab\n");
  EXPECT_EQ(stored.outcome.exception->message, "bad token ***");
  EXPECT_THAT(runner.Stored(record::ResultName(job.id)), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace kinetic::test
