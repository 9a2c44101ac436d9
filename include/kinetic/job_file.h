#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// A command-line option that sets one key of the job file.
struct JobFileShortcut {
  std::string option;  ///< the option, for messages: "--memory"
  std::string key;     ///< "resources.memory"
  std::string value;   ///< YAML
};

/// Changes that the command line makes to a job file. Later entries take precedence.
struct JobFileOptions {
  std::vector<std::string> set;  ///< "resources.memory=32Gi": a YAML value at a dotted path
  std::vector<JobFileShortcut> shortcuts;  ///< as `set`, and after it
  std::vector<std::string> args;           ///< "epochs=3": a YAML value for one argument
  std::vector<std::string> env;      ///< "NAME=value", or "NAME" to take it from `environment`
  std::vector<std::string> secrets;  ///< names and wildcards
  std::vector<std::string> command;  ///< after `--`; in place of function, run, steps and args
  std::map<std::string, std::string>
      environment;                  ///< the caller's; for `env: {X: null}` and `$env`
  std::filesystem::path directory;  ///< absolute; where a job without a file lives, and where
                                    ///< paths that `set` and `args` give start
};

/// Parses and validates a job file (version 1) and reads the files that `args` name.
///
/// @param text  the file's content, UTF-8, at most 4 MiB.
/// @param file  its path, absolute or relative to options.directory; empty for a job without a file
///           (then `text` is empty too).
/// @returns     the spec. Nothing in the file is ignored. Path arguments (`{$path: p}`) are
///           relative to bundle.root where that is given; else they are absolute, and
///           Client::Submit makes them relative to the root it finds.
/// @errors      kInvalidArgument: every error found (the first 50 in full), one a line and by
///           place, each as "file:line:column: what was found, what was expected, did you mean";
///           the detail "errors" is their number.
/// @threads     safe.
/// @source      docs/reference/job-file.md
KINETIC_EXPORT Result<JobSpec> ParseJobFile(std::string_view text,
                                            const std::filesystem::path& file,
                                            const JobFileOptions& options);

/// The JSON Schema (draft 2020-12) of job.yaml, as JSON text; docs/job.schema.json is the same.
KINETIC_EXPORT std::string JobFileSchema();

}  // namespace kinetic
