#include "local_project.h"

#include <gmock/gmock.h>

namespace kinetic {
namespace {

using test::LocalProject;
using test::Must;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class LocalValue : public ::testing::Test {
 protected:
  Outcome Run(std::string_view job_file, Observer* observer = nullptr) {
    client_.emplace(project_.Open());
    SubmitOptions options;
    options.observer = observer;
    job_.emplace(Must(client_->Submit(project_.Job(job_file), options)));
    return Must(job_->Wait({.observer = observer}));
  }

  LocalProject project_;
  std::optional<Client> client_;
  std::optional<Job> job_;
};

TEST_F(LocalValue, ReturnsValueOfFunction) {
  project_.Write("m.py", "def f(a, b=2):\n  print('adding')\n  return {'sum': a + b}\n");
  const Outcome outcome = Run("function: m:f\nargs: {a: 40}\ndependencies: null\n");
  EXPECT_EQ(outcome.state, JobState::kSucceeded) << outcome.reason;
  EXPECT_EQ(outcome.value.ToJson(), Value(Value::Map{{"sum", 42}}).ToJson());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.exit_source, ExitSource::kProgram);
  EXPECT_THAT(test::ReadLog(*job_, {}), ElementsAre("0o adding\n"));
}

TEST_F(LocalValue, PassesPositionalArgumentsInOrder) {
  project_.Write("m.py", "def f(*args):\n  return list(args)\n");
  const Outcome outcome = Run("function: m:f\nargs: [1, two, null]\ndependencies: null\n");
  EXPECT_EQ(outcome.value.ToJson(), Value(Value::List{1, "two", nullptr}).ToJson());
}

TEST_F(LocalValue, ReturnsExceptionWithCause) {
  project_.Write("m.py",
                 "def f():\n"
                 "  try:\n"
                 "    {}['x']\n"
                 "  except KeyError as e:\n"
                 "    raise ValueError('bad row') from e\n");
  const Outcome outcome = Run("function: m:f\ndependencies: null\n");
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.exit_source, ExitSource::kException);
  EXPECT_TRUE(outcome.value.IsNull());
  ASSERT_TRUE(outcome.exception);
  EXPECT_EQ(outcome.exception->type, "ValueError");
  EXPECT_EQ(outcome.exception->message, "bad row");
  ASSERT_TRUE(outcome.exception->cause);
  EXPECT_EQ(outcome.exception->cause->type, "KeyError");
  ASSERT_FALSE(outcome.exception->traceback.empty());
  EXPECT_EQ(outcome.exception->traceback.back().line, 5);
}

TEST_F(LocalValue, StoresLargeValueSeparately) {
  project_.Write("m.py", "def f():\n  return 'x' * 100000\n");
  const Outcome outcome = Run("function: m:f\ndependencies: null\n");
  ASSERT_NE(outcome.value.AsString(), nullptr) << outcome.reason;
  EXPECT_EQ(outcome.value.AsString()->size(), 100000U);
}

TEST_F(LocalValue, StoresLargeArgumentsSeparately) {
  project_.Write("m.py", "def f(text):\n  return len(text)\n");
  project_.Write("text.txt", std::string(200000, 'x'));
  const Outcome outcome =
      Run("function: m:f\nargs: {text: {$text: text.txt}}\ndependencies: null\n");
  EXPECT_EQ(outcome.value.ToJson(), "200000") << outcome.reason;
  EXPECT_THAT(test::Objects(project_.Store()),
              Contains(HasSubstr("jobs/" + job_->id() + "/arguments/")));
}

TEST_F(LocalValue, ReturnsExitCodeOfProgram) {
  const Outcome outcome = Run("run: echo out; echo err >&2; exit 7\nname: shell\n");
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.exit_source, ExitSource::kProgram);
  const auto log = test::ReadLog(*job_, {});
  EXPECT_THAT(log, Contains(HasSubstr("o out\n")));
  EXPECT_THAT(log, Contains(HasSubstr("e err\n")));
}

TEST_F(LocalValue, PassesBundleArgumentsEnvironmentAndSecrets) {
  project_.environment = {{"API_TOKEN", "t0ken-value"}};
  project_.Write("hello.txt", "hello");
  const Outcome outcome =
      Run("name: see\n"
          "run: cat hello.txt; echo $COLOR; test ${#API_TOKEN} = 11 && echo secret\n"
          "env: {COLOR: blue}\n"
          "secrets: [API_TOKEN]\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.reason;
  const auto log = test::ReadLog(*job_, {});
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0], "0o helloblue\n");
  EXPECT_THAT(log[1], StartsWith("1o secret"));
  for (const auto& name : test::Objects(project_.Store())) {
    EXPECT_THAT(project_.files().Read("store/" + name), ::testing::Not(HasSubstr("t0ken-value")))
        << name;
  }
}

TEST_F(LocalValue, CopiesDataAndResolvesPathArguments) {
  project_.files().Write("sets/.gitignore", "*.csv\n");
  project_.files().Write("sets/train.csv", "1,2\n");
  project_.files().Write("one.txt", "one\n");
  project_.Write("m.py",
                 "def f(sets, one):\n"
                 "  open(one, 'a').write('more')\n"
                 "  return [open(sets + '/train.csv').read(), open(one).read()]\n");
  const Outcome outcome =
      Run("function: m:f\n"
          "args: {sets: {$path: /data/sets}, one: {$path: /one.txt}}\n"
          "data: {/data/sets: ../sets, /one.txt: ../one.txt}\n"
          "dependencies: null\n");
  EXPECT_EQ(outcome.value.ToJson(), Value(Value::List{"1,2\n", "one\nmore"}).ToJson())
      << outcome.reason;
  EXPECT_EQ(project_.files().Read("one.txt"), "one\n") << "the job has a copy";
}

TEST_F(LocalValue, StoresOutputs) {
  const Outcome outcome = Run("name: out\nrun: echo kept > $KINETIC_OUTPUT_DIR/a.txt\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.reason;
  const Path outputs = Must(client_->OutputLocation(job_->id()));
  const auto kept = ReadFile(PosixFileSystem(), outputs / "a.txt", 1000);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*kept, "kept\n");
}

TEST_F(LocalValue, ReportsPhases) {
  project_.Write("m.py", "def f():\n  return 1\n");
  test::RecordingObserver first;
  (void)Run("function: m:f\ndependencies: null\nspot: true\n", &first);
  EXPECT_THAT(first.ended(), Contains(StartsWith("package: 1 file, ")));
  EXPECT_THAT(first.ended(), Contains(HasSubstr(" new")));
  EXPECT_THAT(first.ended(), Contains("submit: " + job_->id()));
  EXPECT_THAT(first.warnings(), ElementsAre(HasSubstr("spot is ignored: ")));

  test::RecordingObserver second;
  (void)Run("function: m:f\ndependencies: null\n", &second);
  EXPECT_THAT(second.ended(), Contains("stage: unchanged"));
  EXPECT_THAT(second.ended(), Contains("build: no packages"));
  EXPECT_THAT(second.warnings(), IsEmpty());
}

}  // namespace
}  // namespace kinetic
