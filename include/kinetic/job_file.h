#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// A command-line option that sets one key of the job file.
struct JobFileShortcut {
  std::string option;  ///< the option, for messages: "--memory"
  std::string key;     ///< "resources.memory"
  std::string value;   ///< YAML
};

/// Changes that the command line makes to a job file. Later entries take precedence.
struct JobFileOptions {
  std::vector<std::string> set;  ///< "resources.memory=32Gi": a YAML value at a dotted path
  std::vector<JobFileShortcut> shortcuts;  ///< applied after `set`
  /// "lr=0.1,0.01" or "seed=1..5": the values of one argument, which form a grid with those of others;
  /// or a .json, .jsonl or .csv file with the argument sets. Replaces the tasks of the file.
  std::vector<std::string> over;
  std::vector<std::string> args;     ///< "epochs=3": a YAML value for one argument
  std::vector<std::string> env;      ///< "NAME=value", or "NAME" to take it from `environment`
  std::vector<std::string> secrets;  ///< names and wildcards
  std::vector<std::string> tags;     ///< "team=nlp"
  std::vector<std::string> command;  ///< after `--`; replaces function, run, steps and args
  /// The caller's environment, for `env: {X: null}` and `$env`.
  std::map<std::string, std::string> environment;
  /// Absolute; the folder of a job without a file, and the base of paths in `set` and `args`.
  std::filesystem::path directory;
};

/// Parses and validates a job file (version 1) and reads the files that `args` name.
///
/// @param text  the file's content, UTF-8, at most 4 MiB.
/// @param file  its path, absolute or relative to options.directory; empty for a job without a file
///           (then `text` is empty too).
/// @returns     the spec. Path arguments (`{$path: p}`) are relative to bundle.root if it is set.
///           Otherwise they are absolute, and Client::Submit makes them relative to the root.
/// @errors      kInvalidArgument: all errors (the first 50 in full), one per line in file order,
///           each as "file:line:column: …". The detail "errors" is their number.
/// @threads     safe to call concurrently.
/// @source      docs/reference/job-file.md
KINETIC_EXPORT Result<JobSpec> ParseJobFile(std::string_view text,
                                            const std::filesystem::path& file,
                                            const JobFileOptions& options);

/// Returns the JSON Schema (draft 2020-12) of job.yaml, equal to docs/job.schema.json.
KINETIC_EXPORT std::string JobFileSchema();

}  // namespace kinetic::inline v0
