#pragma once

#include "kinetic/job.h"
#include "kinetic/job_definition.h"
#include "kinetic/value.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// Returns "15 tasks, 4 at a time, stops after the first failure".
std::string ArrayText(const ArraySpec& array);

/// Returns the arguments of a task: "lr=0.1, seed=3".
std::string ArgumentSetText(const Value& set);

/// Returns what was submitted, as names and texts for people: "function", "arguments", "commit", …
/// Leaves out what the job does not have.
std::vector<std::pair<std::string, std::string>> DefinitionFields(const JobDefinition& definition,
                                                                  const JobSummary& summary);

/// Adds what was submitted to the document of a job. All members are null without a definition.
void AddDefinition(const std::optional<JobDefinition>& definition, Value& document);

}  // namespace kinetic::cli
