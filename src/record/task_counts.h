#pragma once

#include "kinetic/outcome.h"
#include "kinetic/task_counts.h"
#include "kinetic/value.h"

#include "json/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::record {

/// Returns why an array did not succeed: "4 of 10,000 tasks failed, 3 did not run".
std::string FailureText(const TaskCounts& counts);

/// Adds a task in a final state.
void Count(JobState state, TaskCounts& counts);

/// How counts are written in JSON documents, and in the metadata of the index.
Value CountsValue(const TaskCounts& counts);
/// Returns nullopt if the field is absent.
std::optional<TaskCounts> ReadCounts(json::ObjectReader& reader, std::string_view key);
/// Returns nullopt for a text that is not JSON, or has no counts.
std::optional<TaskCounts> CountsFromJson(std::string_view json);

}  // namespace kinetic::record
