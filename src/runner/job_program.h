#pragma once

#include "kinetic/result.h"

#include "local/launch_request.h"
#include "local/runtime.h"
#include "record/arguments.h"
#include "record/record.h"
#include "runner/program.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// What decides how a job's program is called.
struct JobCall {
  const record::Record& record;
  const local::LaunchRequest& request;
  const local::Runtime& runtime;
  const Arguments& arguments;
  std::uint32_t attempt = 1;
  std::string output_uri;
  std::string checkpoint_uri;
};

/// The job's whole environment, as docs/reference/runner.md lists it.
std::map<std::string, std::string> JobEnvironment(const JobCall& call);

/// The program of a job: its command line, or the Python shim that calls its function.
///
/// @errors  kNotFound: a function job, and no Python is there.
Result<Program> JobProgram(const JobCall& call);

/// Where a path argument is for the program: relative to the bundle's root, or under one of the
/// record's data paths.
std::string ResolvePath(const JobCall& call, std::string_view path);

/// The folder in which a `data:` path is laid down: in the bundle when it is relative, in a folder
/// of the job's own when it is absolute.
Path DataPlace(const local::Runtime& runtime, std::string_view path);

/// Writes the shim's files into exchange/ and returns the folder to run.
Result<Path> WriteShim(FileSystem& fs, const local::Runtime& runtime);

}  // namespace kinetic::runner
