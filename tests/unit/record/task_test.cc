#include "record/ended_task.h"
#include "record/object_names.h"
#include "record/task_arguments.h"
#include "record/task_counts.h"
#include "record/task_id.h"
#include "record/task_record.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TaskTest : public testing::Test {
 protected:
  TaskTest() {
    job_.id = "k-1";
    job_.nonce = "0123456789abcdef";
    job_.spec.array = ArraySpec{.count = 3};
  }

  /// Stores the arguments of all tasks, in the record or in the object.
  void Store(const std::vector<std::string>& lines, bool is_inline) {
    job_.arguments_by_task = true;
    const std::string text = is_inline ? JoinArgumentLines(lines) : TaskArgumentsObject(lines);
    job_.arguments = Sha256::Of(text);
    if (is_inline) job_.inline_arguments = text;
    if (!is_inline) {
      ASSERT_TRUE(store::PutBytes(store_, ArgumentsName(job_.id, job_.nonce), text,
                                  store::Precondition::Absent(), {}));
    }
  }

  std::vector<std::uint32_t> Ended(std::uint32_t first) {
    std::vector<std::uint32_t> tasks;
    EXPECT_TRUE(ListEndedTasks(store_, KeyOf(job_), first,
                               [&](const TaskSummary& task) -> Result<bool> {
                                 tasks.push_back(task.task);
                                 return true;
                               },
                               {}));
    return tasks;
  }

  static StoredOutcome StoredFor(const std::string& id, const std::string& nonce) {
    StoredOutcome stored;
    stored.job = {id, nonce};
    return stored;
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  Record job_;
};

TEST_F(TaskTest, IdNamesJobAndTask) {
  EXPECT_EQ(TaskId("k-1", 3), "k-1/tasks/000003");
  const auto name = ParseTaskId("k-1/tasks/000003");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->job, "k-1");
  EXPECT_EQ(name->task, 3U);
  EXPECT_EQ(JobPart("k-1/tasks/000003"), "k-1");
  EXPECT_EQ(JobPart("k-1"), "k-1");
  EXPECT_EQ(DisplayId("k-1/tasks/000003"), "k-1 task 3");
  for (const char* other : {"k-1", "k-1/tasks/3", "k-1/tasks/", "k-1/tasks/-00003"}) {
    EXPECT_FALSE(ParseTaskId(other)) << other;
  }
}

TEST_F(TaskTest, NonceContainsThatOfTheJob) {
  EXPECT_EQ(TaskNonce("abcd", 7), "abcd-000007");
  EXPECT_EQ(JobNonce("abcd-000007"), "abcd");
  EXPECT_EQ(JobNonce("abcd"), "abcd");
  EXPECT_EQ(JobNonce("test-nonce"), "test-nonce");
}

TEST_F(TaskTest, ObjectsOfTasksAreBelowTheirJob) {
  const std::string id = TaskId("k-1", 3);
  EXPECT_EQ(ResultName(id), "jobs/k-1/tasks/000003/result.json");
  EXPECT_EQ(RecordName(id), "jobs/k-1/record.json");
  EXPECT_EQ(ArgumentsName(id, "abcd-000003"), "jobs/k-1/arguments/abcd");
  EXPECT_EQ(EndedTaskName(id, 3), "jobs/k-1/ended/000003");
  const std::string value = ValueName(RunKey(id, 2));
  const auto run = ParseRunObject(value);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->run, RunKey(id, 2));
  EXPECT_EQ(run->file, "value.json");
  EXPECT_EQ(JobOfObject(ResultName(id)), "k-1");
}

TEST_F(TaskTest, RecordHasTheArgumentsOfTheTask) {
  Store({R"({"x":1})", R"({"x":2})", R"([3])"}, true);
  const auto task = TaskRecord(job_, 1);
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->id, "k-1/tasks/000001");
  EXPECT_EQ(task->nonce, "0123456789abcdef-000001");
  EXPECT_EQ(task->inline_arguments, R"({"x":2})");
  EXPECT_EQ(task->arguments, Sha256::Of(R"({"x":2})"));
  EXPECT_EQ(TaskRecord(job_, 2)->spec.args.positional, Value::List{Value(3)});
  EXPECT_EQ(TaskRecord(job_, 3).error().code, ErrorCode::kInvalidArgument);
  job_.spec.array.reset();
  EXPECT_THAT(TaskRecord(job_, 0).error().message, HasSubstr("has no tasks"));
}

TEST_F(TaskTest, ArgumentsAreReadByRange) {
  const std::vector<std::string> lines{"[]", R"(["größer"])", R"({"x":3})"};
  Store(lines, false);
  for (std::uint32_t task = 0; task < 3; ++task) {
    const auto line = ReadTaskArguments(store_, *TaskRecord(job_, task), {});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(*line, lines[task]);
  }
  const auto all = ReadAllTaskArguments(store_, job_, {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(*all, lines);
}

TEST_F(TaskTest, DamagedArgumentsAreReported) {
  const std::string name = ArgumentsName(job_.id, job_.nonce);
  Store({"[1]", "[2]", "[3]"}, false);
  std::string text = **store::GetBytes(store_, name, {});
  text[text.size() - 3] = '9';  // the last line
  ASSERT_TRUE(store::Overwrite(store_, name, text, {}));
  EXPECT_TRUE(ReadTaskArguments(store_, *TaskRecord(job_, 1), {}));
  const auto damaged = ReadTaskArguments(store_, *TaskRecord(job_, 2), {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(ReadAllTaskArguments(store_, job_, {}).error().code, ErrorCode::kDataLoss);
  ASSERT_TRUE(store::Overwrite(store_, name, "short", {}));
  EXPECT_EQ(ReadTaskArguments(store_, *TaskRecord(job_, 0), {}).error().code, ErrorCode::kDataLoss);
}

TEST_F(TaskTest, SummariesAreListedInOrder) {
  for (const std::uint32_t task : {2U, 0U}) {
    const std::string id = TaskId("k-1", task);
    StoredOutcome stored = StoredFor(id, TaskNonce(job_.nonce, task));
    Outcome& outcome = stored.outcome;
    outcome.state = task == 0 ? JobState::kSucceeded : JobState::kFailed;
    outcome.reason = task == 0 ? "" : "ValueError: größer\nals 2";
    if (task == 0) outcome.value = Value(Value::Map{{"loss", 0.5}});
    outcome.exit_code = task == 0 ? 0 : 1;
    stored.node_time = std::chrono::milliseconds(500 * task);
    ASSERT_TRUE(WriteEndedTask(store_, stored, {}));
  }
  EXPECT_THAT(Ended(0), ElementsAre(0, 2));
  EXPECT_THAT(Ended(1), ElementsAre(2));
  std::vector<TaskSummary> tasks;
  ASSERT_TRUE(ListEndedTasks(store_, KeyOf(job_), 0,
                             [&](const TaskSummary& task) -> Result<bool> {
                               tasks.push_back(task);
                               return true;
                             },
                             {}));
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].value, Value(Value::Map{{"loss", 0.5}}));
  EXPECT_FALSE(tasks[1].value);
  EXPECT_EQ(tasks[1].state, JobState::kFailed);
  EXPECT_EQ(tasks[1].exit_code, 1);
  EXPECT_EQ(tasks[0].node_time, std::chrono::milliseconds(0));
  EXPECT_EQ(tasks[1].node_time, std::chrono::milliseconds(1000));
  EXPECT_THAT(tasks[1].reason, HasSubstr("größer"));
}

TEST_F(TaskTest, EndedTasksOfARangeAreListedInOrder) {
  for (const std::uint32_t task : {0U, 7U, 999U, 1000U, 1999U, 2000U, 10'000U, 25'001U}) {
    const std::string id = TaskId("k-1", task);
    ASSERT_TRUE(WriteEndedTask(store_, StoredFor(id, TaskNonce(job_.nonce, task)), {}));
  }
  const auto listed = [&](TaskRange range, std::size_t most) {
    std::vector<std::uint32_t> tasks;
    EXPECT_TRUE(ListEndedTasks(store_, KeyOf(job_), range,
                               [&](const TaskSummary& task) -> Result<bool> {
                                 tasks.push_back(task.task);
                                 return tasks.size() < most;
                               },
                               {}));
    return tasks;
  };
  EXPECT_THAT(listed({0, 100'000}, 99), ElementsAre(0, 7, 999, 1000, 1999, 2000, 10'000, 25'001));
  EXPECT_THAT(listed({7, 1993}, 99), ElementsAre(7, 999, 1000, 1999));
  EXPECT_THAT(listed({7, 1993}, 2), ElementsAre(7, 999));
  EXPECT_THAT(listed({3000, 7000}, 99), ElementsAre());
  EXPECT_THAT(listed({0, 0}, 99), ElementsAre());
}

TEST_F(TaskTest, SummariesOfAnEarlierJobAreIgnored) {
  const std::string id = TaskId("k-1", 1);
  ASSERT_TRUE(WriteEndedTask(store_, StoredFor(id, TaskNonce("ffffffffffffffff", 1)), {}));
  EXPECT_THAT(Ended(0), ElementsAre());
}

TEST_F(TaskTest, LargeValuesAreNotPartOfTheSummary) {
  StoredOutcome stored = StoredFor(TaskId("k-1", 7), "0123456789abcdef-000007");
  stored.outcome.state = JobState::kSucceeded;
  EXPECT_EQ(TaskSummaryOf(stored).task, 7U);
  EXPECT_EQ(TaskSummaryOf(stored).value, Value()) << "a task without a value";
  stored.outcome.value = Value(std::string(kSummaryValueBytes, 'x'));
  EXPECT_FALSE(TaskSummaryOf(stored).value);
  stored.outcome.value = {};
  stored.value = Sha256::Of("stored apart");
  EXPECT_FALSE(TaskSummaryOf(stored).value);
}

TEST(TaskCountsTest, AreShownAndRead) {
  const TaskCounts counts{
      .tasks = 10'000, .running = 20, .succeeded = 1'199, .failed = 4, .cancelled = 0};
  EXPECT_EQ(counts.ToString(), "1,203/10,000 done, 4 failed, 20 running");
  EXPECT_EQ(FailureText(counts), "4 of 10,000 tasks failed, 8,797 did not run");
  EXPECT_EQ(CountsFromJson(CountsValue(counts).ToJson()), counts);
  EXPECT_FALSE(CountsFromJson("{}"));
  EXPECT_FALSE(CountsFromJson(""));
}

}  // namespace
}  // namespace kinetic::record
