#include "commands/tasks/counts.h"

#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kShownTasks = 10;

/// Returns "10,000".
std::string WithCommas(std::uint32_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

void AddCount(std::uint32_t number, const char* what, std::string& text) {
  if (number != 0) text += fmt::format(", {} {}", WithCommas(number), what);
}

/// Returns a reason in which each number is "#".
std::string WithoutNumbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) text += c;
    if (is_digit && !text.ends_with('#')) text += '#';
  }
  return text;
}

}  // namespace

std::string StatesText(const TaskCounts& counts) {
  std::string text;
  AddCount(counts.succeeded, "succeeded", text);
  AddCount(counts.failed, "failed", text);
  AddCount(counts.cancelled, "cancelled", text);
  AddCount(counts.running, "running", text);
  AddCount(counts.tasks - std::min(counts.tasks, counts.Ended() + counts.running), "not started",
           text);
  return fmt::format("{}{}{}", WithCommas(counts.tasks), text.empty() ? "" : ": ",
                     text.empty() ? text : text.substr(2));
}

Value CountsDocument(const TaskCounts& counts) {
  return Value::Map{{"tasks", Number(counts.tasks)},
                    {"running", Number(counts.running)},
                    {"succeeded", Number(counts.succeeded)},
                    {"failed", Number(counts.failed)},
                    {"cancelled", Number(counts.cancelled)}};
}

std::string ProgressText(const TaskCounts& counts, std::uint32_t ended,
                         std::chrono::nanoseconds elapsed) {
  std::string text = counts.ToString();
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (ended == 0 || seconds <= 0) return text;
  const double rate = ended / seconds;
  text += rate < 1 ? fmt::format(", {:.1f}/min", 60 * rate) : fmt::format(", {:.1f}/s", rate);
  const std::uint32_t left = counts.tasks - std::min(counts.tasks, counts.Ended());
  if (left == 0) return text;
  const std::chrono::seconds remaining(static_cast<std::int64_t>(left / rate) + 1);
  return text + fmt::format(", {} left", FormatDuration(remaining));
}

void FailureGroups::Add(const TaskSummary& task) {
  if (task.state == JobState::kSucceeded) return;
  const std::string key = std::string(Name(task.state)) + " " + WithoutNumbers(task.reason);
  auto found = std::ranges::find(groups_, key, &Keyed::key);
  if (found == groups_.end()) {
    groups_.push_back({key, {task.state, task.reason, 0, {}}});
    found = groups_.end() - 1;
  }
  ++found->group.count;
  if (found->group.first.size() < kShownTasks) found->group.first.push_back(task.task);
}

std::vector<FailureGroup> FailureGroups::Take() {
  std::vector<FailureGroup> groups;
  for (Keyed& each : groups_) groups.push_back(std::move(each.group));
  groups_.clear();
  std::ranges::stable_sort(groups, std::greater(), &FailureGroup::count);
  return groups;
}

std::string TasksOfGroup(const FailureGroup& group) {
  const bool has_all = group.first.size() == group.count;
  return fmt::format("{} {} ({}{})", WithCommas(group.count), group.count == 1 ? "task" : "tasks",
                     fmt::join(group.first, ", "), has_all ? "" : ", …");
}

std::string ReasonOf(const FailureGroup& group) {
  return group.reason.empty() ? std::string(Name(group.state)) : OneLine(group.reason);
}

Value GroupsDocument(const std::vector<FailureGroup>& groups) {
  Value::List list;
  for (const FailureGroup& group : groups) {
    Value::List tasks;
    for (const std::uint32_t task : group.first) tasks.push_back(Number(task));
    list.emplace_back(Value::Map{{"state", std::string(Name(group.state))},
                                 {"reason", group.reason},
                                 {"count", Number(group.count)},
                                 {"tasks", std::move(tasks)}});
  }
  return list;
}

}  // namespace kinetic::cli
