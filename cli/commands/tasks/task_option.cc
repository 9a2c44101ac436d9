#include "commands/tasks/task_option.h"

#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "context.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::uint32_t kMostTasks = 100'000;

std::optional<std::uint32_t> TaskNumberIn(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Adds the numbers of "3" or "3-9". Returns false if the text is neither.
bool AddRange(std::string_view text, std::set<std::uint32_t>& numbers) {
  const std::size_t dash = text.find('-');
  const auto first = TaskNumberIn(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : TaskNumberIn(text.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  // A task above the limit does not exist. Its number is kept for the message.
  const std::uint32_t end = std::min(*last, std::max(*first, kMostTasks));
  for (std::uint32_t number = *first; number < end; ++number) numbers.insert(number);
  numbers.insert(*last);
  return true;
}

}  // namespace

void AddTaskOption(Command& command, std::string_view verb, TaskNumber number,
                   std::optional<std::string>& tasks) {
  const bool one = number == TaskNumber::kOne;
  command.Text({"--task", one ? "N" : "RANGES",
                one ? fmt::format("{} task N of an array; the first one is 0", verb)
                    : fmt::format("{} these tasks of an array: 3 or 3-9,12", verb)},
               tasks);
}

Result<std::vector<std::uint32_t>> ParseTaskNumbers(std::string_view text) {
  std::set<std::uint32_t> numbers;
  bool is_valid = !text.empty();
  for (std::string_view left = text; is_valid && !left.empty();) {
    const std::size_t comma = std::min(left.find(','), left.size());
    is_valid = AddRange(left.substr(0, comma), numbers) && comma + 1 != left.size();
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  if (is_valid) return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("--task: expected numbers of tasks, found '{}'", SafeLine(text)),
              "examples: --task 3, --task 3-9,12");
}

Result<std::vector<Job>> SelectTasks(std::vector<Job> jobs, const std::optional<std::string>& tasks,
                                     TaskNumber number, const Context& context) {
  if (!tasks) return jobs;
  KINETIC_ASSIGN_OR_RETURN(const auto numbers, ParseTaskNumbers(*tasks));
  if (number == TaskNumber::kOne && numbers.size() != 1)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("--task: expected the number of one task, found '{}'", SafeLine(*tasks)));
  if (jobs.size() != 1)
    return Fail(ErrorCode::kInvalidArgument, "--task cannot be combined with several jobs",
                "the option selects tasks of one array");
  const Tasks all(jobs.front());
  // The last one first: a number that is too large has no effect on the others.
  KINETIC_RETURN_IF_ERROR(all.At(numbers.back(), context.stop));
  std::vector<Job> selected;
  selected.reserve(numbers.size());
  for (const std::uint32_t each : numbers) {
    KINETIC_ASSIGN_OR_RETURN(Job task, all.At(each, context.stop));
    selected.push_back(std::move(task));
  }
  return selected;
}

Result<Job> SelectTask(Job job, const std::optional<std::string>& task, const Context& context) {
  if (!task) return job;
  KINETIC_ASSIGN_OR_RETURN(auto selected,
                           SelectTasks({std::move(job)}, task, TaskNumber::kOne, context));
  return std::move(selected.front());
}

std::string ShownId(std::string_view id) {
  const auto task = FindTaskReference(id);
  return task ? fmt::format("{} task {}", task->job, task->task) : std::string(id);
}

std::string IdWords(std::string_view id) {
  const auto task = FindTaskReference(id);
  return task ? fmt::format("{} --task {}", task->job, task->task) : std::string(id);
}

}  // namespace kinetic::cli
