#include "kinetic/job_spec.h"

#include "kinetic/job_file.h"

#include "jobspec/check_errors.h"
#include "jobspec/serialize.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic {
namespace {

using test::TempTree;

std::string ErrorsOf(const JobSpec& spec) {
  const Status checked = jobspec::CheckErrors(spec);
  return checked ? "none" : checked.error().message;
}

std::string ArgsOf(const JobSpec& spec) { return Value(spec.args.named).ToJson(); }

TEST(JobSpec, FunctionEqualsTheJobFileWithTheSameKeys) {
  JobSpec spec = JobSpec::Function("finetune:Trainer.fit")
                     .Arg("epochs", 3)
                     .Arg("name", std::string_view("ana"))
                     .Accelerator("v5litepod-4")
                     .Bundle("project")
                     .Dependencies("project/requirements.txt");
  EXPECT_EQ(ErrorsOf(spec), "none");
  JobFileOptions options;
  options.directory = std::filesystem::current_path();
  auto same = ParseJobFile(
      "function: finetune:Trainer.fit\nargs: {epochs: 3, name: ana}\naccelerator: v5litepod-4\n"
      "bundle: {root: project}\ndependencies: project/requirements.txt\n",
      {}, options);
  ASSERT_TRUE(same);
  spec.positions.clear();
  same->positions.clear();
  EXPECT_EQ(spec, *same);
}

TEST(JobSpec, CommandRunsAProgramInTheCurrentDirectory) {
  const JobSpec spec = JobSpec::Command({"./train", "a b"}).Arg("rate", 0.5).Arg("v", true);
  EXPECT_EQ(ErrorsOf(spec), "none");
  EXPECT_EQ(spec.run->argv, (std::vector<std::string>{"./train", "a b"}));
  EXPECT_EQ(spec.name, "train");
  EXPECT_EQ(spec.accelerators.at(0).name, "cpu");
  EXPECT_EQ(spec.directory, std::filesystem::current_path());
  EXPECT_EQ(ArgsOf(spec), R"({"rate":0.5,"v":true})");
}

TEST(JobSpec, FileCanBeChanged) {
  const TempTree tree;
  const Path file =
      tree.Write("job.yaml", "function: a:b\nargs: {x: 1, y: {$env: USER}}\naccelerator: gpu-l4\n");
  JobFileOptions options;
  options.environment = {{"USER", "ana"}};
  const JobSpec spec = JobSpec::FromFile(file, options).Arg("x", 2).Accelerator("cpu");
  EXPECT_EQ(ErrorsOf(spec), "none");
  EXPECT_EQ(spec.directory, tree.path());
  EXPECT_EQ(ArgsOf(spec), R"({"x":2,"y":"ana"})");
  EXPECT_EQ(spec.accelerators.size(), 1U);
  EXPECT_EQ(spec.accelerators.at(0).name, "cpu");
}

TEST(JobSpec, KeepsTheErrorsOfEveryStep) {
  const JobSpec spec = JobSpec::Function("finetune").Accelerator("v9").Arg("$x", 1);
  ASSERT_EQ(spec.errors.size(), 3U);
  const auto checked = jobspec::CheckErrors(spec);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(checked.error().message.starts_with("JobSpec::Function: "));
  EXPECT_NE(checked.error().message.find("\naccelerator: "), std::string::npos);
  EXPECT_NE(checked.error().message.find("\nargs: '$x' is not the name of an argument"),
            std::string::npos);
}

TEST(JobSpec, ReportsAFileThatCannotBeRead) {
  const TempTree tree;
  const JobSpec missing = JobSpec::FromFile(tree / "job.yaml");
  ASSERT_EQ(missing.errors.size(), 1U);
  EXPECT_EQ(missing.errors.at(0).code, ErrorCode::kNotFound);
  tree.Write("job.yaml", "functoin: a:b\n");
  EXPECT_NE(ErrorsOf(JobSpec::FromFile(tree / "job.yaml")).find("job.yaml:1:1: "),
            std::string::npos);
  EXPECT_NE(ErrorsOf(JobSpec::FromFile(tree.path())).find("it is a folder"), std::string::npos);
}

TEST(JobSpec, ChecksArguments) {
  const auto errors = [](const Value& value) {
    return ErrorsOf(JobSpec::Function("a:b").Arg("x", value));
  };
  const std::vector<float> items{1, 2, 3, 4};
  EXPECT_EQ(errors(Value(std::span(items), {2, 2})), "none");
  EXPECT_EQ(errors(Value(Value::List{Value(std::span(items), {2, 3})})),
            "args.x[0]: shape (2, 3) does not match 4 items");
  EXPECT_TRUE(errors(Value::Map{{"k", "\xff"}}).starts_with("args.x.k: not valid UTF-8"));
  EXPECT_TRUE(errors(Value::Map{{"\xff", 1}}).starts_with("args.x.\\xff: not valid UTF-8"));
  EXPECT_EQ(ErrorsOf(JobSpec::Command({"a"}).Arg("x", Value::Map{{"k", 1}})),
            "args.x: expected a scalar or a list of scalars for a program");
}

TEST(JobSpec, RejectsNamedArgumentsNextToPositionalOnes) {
  const TempTree tree;
  tree.Write("job.yaml", "function: a:b\nargs: [1]\n");
  EXPECT_EQ(ErrorsOf(JobSpec::FromFile(tree / "job.yaml").Arg("x", 1)),
            "args.x: the job has positional arguments");
}

TEST(JobSpec, BytesInACommandAreReported) {
  EXPECT_EQ(ErrorsOf(JobSpec::Command({"./convert", "caf\xe9.png"})).substr(0, 20),
            "JobSpec::Command[1]:");
}

TEST(JobSpec, MembersThatNoJobFileCanHaveAreReported) {
  const auto with = [](void (*change)(JobSpec&)) {
    JobSpec spec = JobSpec::Command({"true"});
    change(spec);
    return ErrorsOf(spec);
  };
  EXPECT_EQ(with([](JobSpec& spec) { spec.timeouts.run = std::chrono::milliseconds(-5); }),
            "timeouts.run: found -5 ms, expected at least 1 ms");
  EXPECT_EQ(with([](JobSpec& spec) { spec.retry.attempts = 0; }),
            "retry.attempts: found 0, expected 1 to 100");
  EXPECT_EQ(with([](JobSpec& spec) { spec.name = "Bad Name!"; }), "name: 'Bad Name!' is not valid");
  EXPECT_EQ(with([](JobSpec& spec) { spec.env["B=C"] = "1"; }),
            "env: 'B=C' is not the name of a variable");
  EXPECT_EQ(with([](JobSpec& spec) { spec.env["API_TOKEN"] = "1"; }),
            "env: API_TOKEN looks like a secret, and env is stored with the job; list it in "
            "`secrets`");
  EXPECT_EQ(with([](JobSpec& spec) { spec.env["KINETIC_JOB_ID"] = "1"; }),
            "env: KINETIC_JOB_ID is reserved: kinetic sets KINETIC_*; use another name");
}

TEST(JobSpec, ImpossibleArraysAreReported) {
  const auto errors_of = [](const ArraySpec& array) {
    JobSpec spec = JobSpec::Function("a:b");
    spec.array = array;
    return ErrorsOf(spec);
  };
  EXPECT_EQ(errors_of({.count = 2, .over = Value::List{1, 2}, .max_failed = 0}), "none");
  EXPECT_EQ(errors_of({.count = 0}), "array.count: found 0, expected 1 to 100000");
  EXPECT_EQ(errors_of({.count = 100'001}), "array.count: found 100001, expected 1 to 100000");
  EXPECT_EQ(errors_of({.count = 1, .parallel = 100'001}),
            "array.parallel: found 100001, expected 1 to 100000");
  EXPECT_EQ(errors_of({.count = 1, .tasks_per_pod = 0}),
            "array.tasks_per_pod: found 0, expected 1 to 100000");
  EXPECT_EQ(errors_of({.count = 3, .over = Value::List{1, 2}}),
            "array.count: found 3, expected 2, the length of `over`");
  EXPECT_EQ(errors_of({.count = 3, .over = 5}), "array.over: expected a list of argument sets");
}

TEST(JobSpec, IncompleteJobIsReported) {
  const auto message = [](const JobSpec& spec) { return jobspec::CheckJob(spec).error().message; };
  EXPECT_EQ(message(JobSpec()), "the job has no function and no program");
  JobSpec spec = JobSpec::Command({"true"});
  EXPECT_TRUE(jobspec::CheckJob(spec));
  spec.function.emplace();
  EXPECT_EQ(message(spec), "the job has both a function and a program");
  spec.function.reset();
  spec.accelerators.clear();
  EXPECT_EQ(message(spec), "the job has no accelerator");
}

TEST(JobSpec, DeepArgumentIsReported) {
  Value value;
  for (int i = 0; i < 400; ++i) value = Value::List{std::move(value)};
  const JobSpec spec = JobSpec::Function("a:b").Arg("x", value);
  EXPECT_EQ(ErrorsOf(spec), "none");
  EXPECT_TRUE(Value::FromJson(Value(Value::Map{{"spec", jobspec::ToValue(spec)}}).ToJson()));
  EXPECT_EQ(ErrorsOf(JobSpec::Function("a:b").Arg("x", Value::List{value})),
            "the argument is nested deeper than 400 levels");
}

}  // namespace
}  // namespace kinetic
