#pragma once

#include "kinetic/client.h"
#include "kinetic/result.h"

#include "command_line/command.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

struct Context;

/// Adds ID: one job. Without it, the command uses the newest job.
void AddJobArgument(Command& command, std::optional<std::string>& id);
/// Adds ID...: any number of jobs.
void AddJobsArgument(Command& command, std::vector<std::string>& ids,
                     CompletionKind complete = CompletionKind::kJob);

/// Options that select all of the caller's own jobs with a name or tags.
struct JobSelectors {
  std::optional<std::string> name;
  std::vector<std::string> tags;  ///< "team=nlp"

  bool IsGiven() const { return name || !tags.empty(); }
  /// Returns the option that was given.
  std::string_view Option() const { return name ? "--name" : "--tag"; }
};

/// Adds --name and --tag.
///
/// @param verb  begins their descriptions: "Remove".
void AddSelectors(Command& command, std::string_view verb, JobSelectors& selectors);

/// Returns the tags of --tag options.
///
/// @errors  kInvalidArgument: not "name=value".
Result<std::map<std::string, std::string>> ParseTags(const std::vector<std::string>& tags);

/// Finds a job by ID, unique prefix, name or 'latest'. nullopt: the newest job. Notes which of
/// several jobs a name selects.
Result<Job> FindJob(Client& client, const std::optional<std::string>& id, const Context& context);
/// Finds several jobs, each once. None: the newest job. Fails if one is missing, so that a mistyped
/// ID has no effect on the others.
Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const Context& context);
/// Same, or finds the jobs that the selectors select, in the order of their submission.
///
/// @errors  kInvalidArgument: both are given · kNotFound: no job matches.
Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const JobSelectors& selectors, const Context& context);

/// Same for an optional ID.
Result<std::vector<Job>> FindJobs(Client& client, const std::optional<std::string>& id,
                                  const JobSelectors& selectors, const Context& context);

/// Options that select the caller's own jobs by their properties instead of by ID.
struct JobFilter {
  bool all = false;
  std::optional<std::string> state;
  std::optional<std::string> older_than;
  JobSelectors selectors;
  bool yes = false;  ///< do not ask for confirmation

  bool IsGiven() const { return all || state || older_than || selectors.IsGiven(); }
};

/// Adds --name, --tag, --older-than and --yes.
///
/// @param verb  begins their descriptions: "Remove".
void AddFilterOptions(Command& command, std::string_view verb, JobFilter& filter);

/// The jobs that a command with a filter can act on.
enum class Selectable : std::uint8_t { kFinished, kUnfinished, kAll };

/// Finds the jobs that the user selected, by ID or with a filter, and asks for confirmation of a
/// filter. Returns no jobs if none match or the user declines.
///
/// @param verb  what happens to the jobs: "remove".
/// @errors      kInvalidArgument: neither or both are given; no terminal to ask on.
Result<std::vector<Job>> SelectJobs(Client& client, const std::vector<std::string>& ids,
                                    const JobFilter& filter, Selectable selectable,
                                    std::string_view verb, Context& context);

/// Checks that jobs are selected either by ID or with a filter.
Status CheckSelection(const std::vector<std::string>& ids, const JobFilter& filter);

}  // namespace kinetic::cli
