#include "commands/tasks/results_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

using ::testing::ElementsAre;

TaskRow Row(std::uint32_t task, Value::Map args, std::optional<Value> value) {
  TaskRow row;
  row.job = "sweep";
  row.task = task;
  row.state = value ? "succeeded" : "failed";
  if (!value) row.error = "ValueError: a \"bad\" rate";
  row.args.named = std::move(args);
  row.value = std::move(value);
  return row;
}

ResultsTable Losses() {
  return ResultsTable({Row(0, {{"lr", 1}, {"epochs", 3}}, Value(Value::Map{{"loss", 0.5}})),
                       Row(1, {{"lr", 2}, {"epochs", 3}}, std::nullopt),
                       Row(2, {{"lr", 3}, {"epochs", 3}}, Value(Value::Map{{"loss", 0.25}}))},
                      false);
}

std::vector<std::uint32_t> TasksOf(const ResultsTable& table) {
  std::vector<std::uint32_t> tasks;
  for (const TaskRow& row : table.rows()) tasks.push_back(row.task);
  return tasks;
}

TEST(ResultsTableTest, ColumnsAreArgumentsThatDifferAndFields) {
  EXPECT_THAT(Losses().Columns(), ElementsAre("task", "state", "lr", "loss", "error"));
}

TEST(ResultsTableTest, OtherValuesAreOneColumn) {
  const ResultsTable table({Row(0, {}, Value(3)), Row(1, {}, Value(Value::Map{{"a", 1}}))}, true);
  EXPECT_THAT(table.Columns(), ElementsAre("job", "task", "state", "value"));
}

TEST(ResultsTableTest, StoredContentIsNoMapOfFields) {
  const Value array(Value::Map{{"$array", Value::Map{{"$ref", "sha256:00"}}}});
  EXPECT_THAT(ResultsTable({Row(0, {}, array)}, false).Columns(),
              ElementsAre("task", "state", "value"));
}

TEST(ResultsTableTest, FieldsNamedLikeOtherColumnsAreQualified) {
  const ResultsTable table({Row(0, {{"lr", 1}}, Value(Value::Map{{"lr", 2}, {"state", 3}})),
                            Row(1, {{"lr", 2}}, Value(Value::Map{{"lr", 2}, {"state", 3}}))},
                           false);
  EXPECT_THAT(table.Columns(), ElementsAre("task", "state", "lr", "value.lr", "value.state"));
}

TEST(ResultsTableTest, SortsNumbersAndPutsMissingOnesLast) {
  ResultsTable table = Losses();
  ASSERT_TRUE(table.Sort("loss", false));
  EXPECT_THAT(TasksOf(table), ElementsAre(2, 0, 1));
  ASSERT_TRUE(table.Sort("loss", true));
  EXPECT_THAT(TasksOf(table), ElementsAre(0, 2, 1));
  table.Keep(3, "loss");
  EXPECT_THAT(TasksOf(table), ElementsAre(0, 2));
  table.Keep(1, "loss");
  EXPECT_THAT(TasksOf(table), ElementsAre(0));
  EXPECT_EQ(table.Sort("los", false).error().hint, "the columns are task, state, lr, loss, error");
}

TEST(ResultsTableTest, CsvQuotes) {
  EXPECT_THAT(Losses().ToCsv(),
              ElementsAre("task,state,lr,loss,error", "0,succeeded,1,0.5,",
                          R"(1,failed,2,,"ValueError: a ""bad"" rate")", "2,succeeded,3,0.25,"));
}

}  // namespace
}  // namespace kinetic::cli
