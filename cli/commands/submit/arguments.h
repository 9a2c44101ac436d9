#pragma once

#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

/// The job on the command line: a file, a folder with a job.yaml, or a function. A script, and a
/// command after "--", are in Context::rest.
struct JobArguments {
  std::optional<std::string> file;
  std::vector<std::string> set;
  std::vector<std::string> args;
  std::vector<std::string> env;
  std::vector<std::string> secrets;
  std::vector<std::string> tags;
  std::optional<std::string> name;
  std::vector<std::string> accelerators;  ///< in order of preference
  std::optional<std::string> dependencies;
  std::optional<std::string> root;
  std::optional<std::string> cpu;
  std::optional<std::string> memory;
  std::optional<std::string> timeout;
  std::vector<std::string> over;
  std::optional<std::string> tasks;
  std::optional<std::string> parallel;
  std::optional<std::string> max_failed;
  std::optional<std::string> tasks_per_pod;
};

/// Adds JOB, --root, --dependencies, and the options of AddJobChanges.
void AddJobArguments(Command& command, JobArguments& job);

/// Adds --set, --arg, --env and --secret.
void AddJobChanges(Command& command, JobArguments& job);

/// Returns what these options and those of AddJobShortcuts change.
JobFileOptions ChangesOf(const JobArguments& job, const Context& context);

/// Adds the options for keys of the job file: --name, --tag, --accelerator, --memory, …
void AddJobShortcuts(Command& command, JobArguments& job);

/// Adds the options for the tasks of an array: --over, --array, --parallel, …
void AddArrayOptions(Command& command, JobArguments& job);

/// Whether a job is required.
enum class JobInput : std::uint8_t {
  kRequired,  ///< a job is required; default: ./job.yaml
  kOptional,  ///< default: ./job.yaml, or else an unnamed job in this folder
};

/// Reads and validates the job.
///
/// @errors  kInvalidArgument: all problems of the job · kNotFound: no such file.
Result<JobSpec> LoadJob(const JobArguments& job, JobInput needs, const Context& context);

}  // namespace kinetic::cli
