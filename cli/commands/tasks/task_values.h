#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"
#include "kinetic/tasks.h"
#include "kinetic/value.h"

#include "context.h"

#include <cstdint>
#include <vector>

namespace kinetic::cli {

/// Lists the tasks that have ended, by index, with the values of those that succeeded. Content that
/// is stored apart from a value stays a reference.
///
/// @param is_function  whether the tasks return values.
Result<std::vector<TaskSummary>> ListTaskValues(const Job& job, bool is_function,
                                                const Context& context);

/// Returns one line of the answer of an array: {"task": 3, "value": …} or
/// {"task": 3, "state": "failed", "error": "ValueError: no data"}.
Value TaskLine(const TaskSummary& task, bool is_function);

/// Returns the summary of a task that its job has not run.
TaskSummary NotRun(std::uint32_t task);

/// Returns the outcome of an array that has ended with the list of the lines of its tasks.
Result<Value> TaskValuesDocument(const Job& job, const JobSummary& summary, const Outcome& outcome,
                                 const Context& context);

/// Writes the answer of an array that has ended: one JSON line for each task on stdout, and why the
/// job did not succeed on stderr. With --json, writes the outcome with the list of these lines.
///
/// @returns  the exit code of the job.
Result<int> WriteTaskValues(const Job& job, const JobSummary& summary, const Outcome& outcome,
                            Context& context);

}  // namespace kinetic::cli
