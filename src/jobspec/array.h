#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::jobspec {

/// Returns the arguments of one task: `args` of the job with those of the task. A task's map adds named
/// arguments or replaces them; its list replaces the positional ones, and any other value is the only
/// positional one.
///
/// @errors  kInvalidArgument: the task has named arguments, and the job has positional ones, or the
///          reverse.
Result<Arguments> ArgumentsOfTask(const JobSpec& spec, std::uint32_t task);

/// Returns whether an argument set has named arguments, and is not one value such as {"$path": …}.
bool HasNames(const Value& set);

/// Returns what the sets of similar tasks have in common: the sorted names, or the number of positional
/// arguments as "#2".
std::vector<std::string> FormOf(const Value& set);

/// Returns a key for the beginning of a message about an argument of a task, or about its argument set
/// if `argument` is empty: "job.yaml:3:7: array.over[2].lr", "sweep.csv:4: array.over[2].lr".
std::string TaskKey(const JobSpec& spec, std::uint32_t task, std::string_view argument = {});

}  // namespace kinetic::jobspec
