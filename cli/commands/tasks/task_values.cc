#include "commands/tasks/task_values.h"

#include "kinetic/try.h"

#include "commands/job/concurrently.h"
#include "commands/tasks/counts.h"
#include "commands/value/parts.h"
#include "commands/value/result_output.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

/// Reads the value of a task that is not part of its summary.
Result<Value> ReadLongValue(const Tasks& tasks, std::uint32_t number, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const Job task, tasks.At(number, context.stop));
  KINETIC_ASSIGN_OR_RETURN(auto outcome, task.Collect(context.stop));
  return outcome ? std::move(outcome->value) : Value();
}

Status ReadLongValues(const Tasks& all, std::vector<TaskSummary>& tasks, const Context& context) {
  std::vector<std::size_t> without;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].state == JobState::kSucceeded && !tasks[i].value) without.push_back(i);
  auto values = Concurrently<Result<Value>, std::size_t>(
      without, [&](const std::size_t& i) { return ReadLongValue(all, tasks[i].task, context); });
  for (std::size_t i = 0; i < without.size(); ++i) {
    KINETIC_RETURN_IF_ERROR(values[i]);
    tasks[without[i]].value = *std::move(values[i]);
  }
  return {};
}

Value::List LinesOf(const std::vector<TaskSummary>& ended, std::uint32_t count, bool is_function) {
  Value::List lines;
  auto next = ended.begin();
  for (std::uint32_t task = 0; task < count; ++task) {
    const bool has_run = next != ended.end() && next->task == task;
    lines.push_back(TaskLine(has_run ? *next : NotRun(task), is_function));
    if (has_run) ++next;
  }
  return lines;
}

/// Returns the lines of all tasks, also of those that did not run.
Result<Value::List> ReadLines(const Job& job, const JobSummary& summary, const Outcome& outcome,
                              const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const auto ended, ListTaskValues(job, summary.function, context));
  const auto& counts = outcome.tasks ? outcome.tasks : summary.tasks;
  const std::uint32_t count = counts ? counts->tasks : 0;
  return LinesOf(ended, count, summary.function);
}

}  // namespace

Result<std::vector<TaskSummary>> ListTaskValues(const Job& job, bool is_function,
                                                const Context& context) {
  const Tasks all(job);
  std::vector<TaskSummary> tasks;
  KINETIC_RETURN_IF_ERROR(all.ListEnded(
      [&](const TaskSummary& task) -> Result<bool> {
        tasks.push_back(task);
        return true;
      },
      0, context.stop));
  if (is_function) KINETIC_RETURN_IF_ERROR(ReadLongValues(all, tasks, context));
  return tasks;
}

TaskSummary NotRun(std::uint32_t task) {
  TaskSummary summary;
  summary.task = task;
  summary.state = JobState::kCancelled;
  summary.reason = "did not run";
  return summary;
}

Value TaskLine(const TaskSummary& task, bool is_function) {
  Value::Map line{{"task", Number(task.task)}};
  if (task.state == JobState::kSucceeded && is_function) {
    line.emplace_back("value", task.value.value_or(Value()));
    return line;
  }
  line.emplace_back("state", std::string(Name(task.state)));
  if (task.state == JobState::kSucceeded) return line;
  line.emplace_back(
      "error", task.reason.empty() ? fmt::format("exit code {}", task.exit_code) : task.reason);
  return line;
}

Result<Value> TaskValuesDocument(const Job& job, const JobSummary& summary, const Outcome& outcome,
                                 const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Value::List lines, ReadLines(job, summary, outcome, context));
  Value document = ToStateDocument(summary, outcome);
  document.Set("results", std::move(lines));
  return document;
}

Result<int> WriteTaskValues(const Job& job, const JobSummary& summary, const Outcome& outcome,
                            Context& context) {
  if (context.output.IsJson()) {
    KINETIC_ASSIGN_OR_RETURN(const Value document,
                             TaskValuesDocument(job, summary, outcome, context));
    context.output.Document(document);
    return outcome.exit_code;
  }
  KINETIC_ASSIGN_OR_RETURN(const Value::List lines, ReadLines(job, summary, outcome, context));
  for (const Value& line : lines) context.output.Json(Displayed(line).ToJson());
  (void)context.output.Flush();
  ReportFailure(outcome, context);
  return outcome.exit_code;
}

}  // namespace kinetic::cli
