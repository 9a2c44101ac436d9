#include "kinetic/tasks.h"

#include "kinetic/function.h"
#include "kinetic/testing.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

double Scale(int number, double factor) { return number * factor; }
KINETIC_FUNCTION(Scale);
int Square(int number) { return number * number; }
KINETIC_FUNCTION(Square);
std::string Repeat(int count) { return std::string(static_cast<std::size_t>(count), 'x'); }
KINETIC_FUNCTION(Repeat);
int Length(const std::string& text) { return static_cast<int>(text.size()); }
KINETIC_FUNCTION(Length);
void CheckNumber(int number) { (void)number; }
KINETIC_FUNCTION(CheckNumber);

/// Runs the functions above; 13 raises an exception.
Result<ScriptedJob> CallFunction(const JobSpec& spec) {
  const std::string& name = spec.function->callable;
  if (name.ends_with("Length"))
    return ScriptedJob::Return(Length(spec.args.positional.at(0).As<std::string>().value()));
  const auto number = spec.args.positional.at(0).As<int>().value();
  if (number == 13) return ScriptedJob::Raise("ValueError", "bad number");
  if (name.ends_with("Scale"))
    return ScriptedJob::Return(number * spec.args.positional.at(1).As<double>().value());
  if (name.ends_with("Repeat")) return ScriptedJob::Return(Repeat(number));
  if (name.ends_with("CheckNumber")) return ScriptedJob::Return();
  return ScriptedJob::Return(Square(number)).Log("squared\n");
}

class TasksTest : public ::testing::Test {
 protected:
  TasksTest() : client_(Open()) {}

  Client Open() {
    ClientOptions options;
    options.environment["TMPDIR"] = tree_.path().native();
    options.owner = "ana@laptop";
    auto client = OpenFakeClient(CallFunction, options);
    EXPECT_TRUE(client) << client.error().message;
    return *std::move(client);
  }
  template <typename T>
  static T Must(Result<T> result) {
    EXPECT_TRUE(result) << result.error().message;
    return *std::move(result);
  }
  Job Squares(const std::vector<int>& numbers) { return Must(client_.Map(&Square, numbers)).job(); }

  test::TempTree tree_;
  Client client_;
};

TEST_F(TasksTest, MapReturnsValuesInOrder) {
  const auto squares = Must(client_.Map(&Square, std::vector{1, 2, 3}));
  const auto values = Must(squares.Get());
  ASSERT_EQ(values.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)].value(), Square(i + 1));
  EXPECT_EQ(Must(client_.List({})).size(), 1U);
}

TEST_F(TasksTest, MapTakesTuplesOfArguments) {
  const std::vector<std::tuple<int, double>> inputs{{1, 0.5}, {4, 0.25}};
  const auto values = Must(Must(client_.Map(&Scale, inputs)).Get());
  EXPECT_EQ(values.at(0).value(), 0.5);
  EXPECT_EQ(values.at(1).value(), 1.0);
}

TEST_F(TasksTest, MapTakesFunctionsWithoutValue) {
  const auto values = Must(Must(client_.Map(&CheckNumber, std::vector{1, 13})).Get());
  EXPECT_TRUE(values.at(0));
  EXPECT_FALSE(values.at(1));
}

TEST_F(TasksTest, ErrorsAreInPlace) {
  const auto squares = Must(client_.Map(&Square, std::vector{1, 13, 3}));
  const auto values = Must(squares.Get());
  EXPECT_EQ(values.at(0).value(), 1);
  EXPECT_EQ(values.at(1).error().code, ErrorCode::kAborted);
  EXPECT_THAT(values.at(1).error().message, HasSubstr("task 1 failed: ValueError: bad number"));
  EXPECT_EQ(values.at(2).value(), 9);
  const Outcome outcome = Must(squares.job().Wait());
  EXPECT_EQ(outcome.state, JobState::kFailed);
  EXPECT_EQ(outcome.tasks, (TaskCounts{.tasks = 3, .succeeded = 2, .failed = 1}));
}

TEST_F(TasksTest, EachCallsOncePerTask) {
  const auto squares = Must(client_.Map(&Square, std::vector{5, 6}));
  std::vector<std::pair<std::uint32_t, int>> ended;
  const Status all = squares.Each([&](std::uint32_t task, Result<int> value) -> Status {
    ended.emplace_back(task, value.value());
    return {};
  });
  EXPECT_TRUE(all);
  EXPECT_THAT(ended, ElementsAre(Pair(0, 25), Pair(1, 36)));
}

TEST_F(TasksTest, LongValuesAreRead) {
  const auto texts = Must(client_.Map(&Repeat, std::vector{10, 5000, 20000}));
  const auto values = Must(texts.Get());
  EXPECT_EQ(values.at(0).value().size(), 10U);
  EXPECT_EQ(values.at(1).value().size(), 5000U);
  EXPECT_EQ(values.at(2).value().size(), 20000U);
  std::vector<bool> has_value;
  EXPECT_TRUE(texts.tasks().ListEnded([&](const TaskSummary& task) -> Result<bool> {
    has_value.push_back(task.value.has_value());
    return true;
  }));
  EXPECT_THAT(has_value, ElementsAre(true, false, false));
}

TEST_F(TasksTest, CountsAndArgumentsAndHandles) {
  const Job job = Squares({7, 13});
  const Tasks tasks(job);
  EXPECT_EQ(Must(tasks.Counts()), (TaskCounts{.tasks = 2, .succeeded = 1, .failed = 1}));
  const auto arguments = Must(tasks.ListArguments());
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments[1].positional.at(0), Value(13));
  const Job first = Must(tasks.At(0));
  EXPECT_EQ(first.id(), job.id() + "/tasks/000000");
  EXPECT_EQ(Must(first.Wait()).As<int>().value(), 49);
  std::string log;
  EXPECT_TRUE(first.Logs({}, [&](const LogRecord& record) -> Status {
    log += record.text;
    return {};
  }));
  EXPECT_EQ(log, "squared\n");
}

TEST_F(TasksTest, LongArgumentsAreAnObject) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i) texts.emplace_back(2000 + i, 'x');
  const auto lengths = Must(client_.Map(&Length, texts));
  const auto values = Must(lengths.Get());
  EXPECT_EQ(values.at(39).value(), 2039);
  const auto arguments = Must(lengths.tasks().ListArguments());
  EXPECT_EQ(arguments.at(39).positional.at(0), Value(texts[39]));
}

TEST_F(TasksTest, ATaskThatDoesNotExist) {
  const Job job = Squares({1, 2});
  const auto task = Tasks(job).At(2);
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(task.error().message, "job " + job.id() + " has no task 2");
  EXPECT_EQ(task.error().hint, "its tasks are 0 to 1");
}

TEST_F(TasksTest, APlainJobHasNoTasks) {
  const Job job = Must(client_.Submit(&Square, 2)).job();
  EXPECT_EQ(Tasks(job).Counts().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Tasks(job).At(0).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(TasksTest, NoInputsAreAnError) {
  const auto squares = client_.Map(&Square, std::vector<int>());
  ASSERT_FALSE(squares);
  EXPECT_EQ(squares.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(squares.error().message, HasSubstr("there are no inputs"));
}

TEST_F(TasksTest, RerunsSomeTasks) {
  const Job job = Squares({2, 13, 4});
  const Job again = Must(client_.RerunTasks(job, {2, 0}));
  const auto values = Must(TasksOf<int>(again).Get());
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].value(), 4);
  EXPECT_EQ(values[1].value(), 16);
  EXPECT_EQ(client_.RerunTasks(job, {3}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Must(Tasks(Must(client_.Rerun(job))).Counts()).failed, 1U);
}

TEST(TaskReferenceTest, FindsJobAndTask) {
  const auto task = FindTaskReference("sweep-7/tasks/000003");
  ASSERT_TRUE(task);
  EXPECT_EQ(task->job, "sweep-7");
  EXPECT_EQ(task->task, 3U);
  EXPECT_FALSE(FindTaskReference("sweep-7"));
}

}  // namespace
}  // namespace kinetic
