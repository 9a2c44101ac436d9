#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

/// How many tasks of an array a command acts on.
enum class TaskNumber : std::uint8_t { kOne, kSeveral };

/// Adds --task.
///
/// @param verb  begins its description: "Show".
void AddTaskOption(Command& command, std::string_view verb, TaskNumber number,
                   std::optional<std::string>& tasks);

/// Returns the numbers in "3-9,12", ascending, each once.
///
/// @errors  kInvalidArgument.
Result<std::vector<std::uint32_t>> ParseTaskNumbers(std::string_view text);

/// Returns the tasks that the option selects, or the jobs if it was not given.
///
/// @errors  kInvalidArgument: several jobs; the job has no such task; several tasks of kOne.
Result<std::vector<Job>> SelectTasks(std::vector<Job> jobs, const std::optional<std::string>& tasks,
                                     TaskNumber number, const Context& context);
/// Same, for one job and one task.
Result<Job> SelectTask(Job job, const std::optional<std::string>& task, const Context& context);

/// Returns "sweep-7 task 3", or the ID of a job.
std::string ShownId(std::string_view id);
/// Returns the words that select a task or a job on a command line: "sweep-7 --task 3".
std::string IdWords(std::string_view id);

}  // namespace kinetic::cli
