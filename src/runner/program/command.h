#pragma once

#include "kinetic/result.h"

#include "local/runtime.h"
#include "record/job_record.h"
#include "runner/program/process.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// What determines the command line and environment of an attempt's program.
struct ProgramInputs {
  const record::Record& record;
  const local::LaunchRequest& request;
  const local::Runtime& runtime;
  const Arguments& arguments;
  std::string store;  ///< location
  std::uint32_t attempt = 1;
};

/// Returns the program's complete environment, as listed in docs/reference/runner.md.
std::map<std::string, std::string> JobEnvironment(const ProgramInputs& inputs);

/// Maps the path of a `{"$path": …}` argument to the path inside the job.
using PathResolver = std::function<std::string(std::string_view path)>;

/// Returns the words that `args` add to the command line of a `run:` job. A list adds its items. A
/// map adds `--name value` for each entry in order: `--name` for true, nothing for false and null,
/// one option per item for a list. Strings are used as they are; numbers are written as in JSON or
/// in their tagged form.
std::vector<std::string> ArgumentWords(const Arguments& args, const PathResolver& resolve);

/// Returns the argument vector to execute: `argv` and the words, or `/bin/sh -e -c` with the line
/// and the quoted words. A shell stops at the first command that fails.
std::vector<std::string> CommandLine(const Command& command, const Arguments& args,
                                     const PathResolver& resolve);

/// Returns the job's command, the Python shim that calls its function, or the program that has its
/// C++ function.
///
/// @errors  kNotFound: a Python function without Python.
Result<Program> JobProgram(const ProgramInputs& inputs);

/// Returns JobProgram, creates its folder, and writes what it needs: the shim, and to exchange/ the
/// function's arguments, whose paths are those that the program sees, and the context of a C++
/// function.
///
/// @errors  those of JobProgram and FileSystem.
Result<Program> PrepareProgram(FileSystem& fs, const ProgramInputs& inputs);

/// Returns the folder with the program of a C++ function: one for all jobs of this machine that use
/// the same program, or in a pod a folder of the bundle.
Path NativeProgramFolder(const record::Record& record, const local::Runtime& runtime,
                         const Path& state_dir);

/// Appends LD_LIBRARY_PATH to the library path of a program that is started through its own loader,
/// which would ignore the variable.
void AddLibraryPath(Program& program);

/// Returns the folder of a `data:` path: below the bundle if it is relative, below the job's data
/// folder if it is absolute.
Path DataPath(const local::Runtime& runtime, std::string_view path);

/// Writes the shim's files unless they are there, and returns the folder to run: one for all jobs
/// of this machine, so that Python compiles them once, or in a pod exchange/.
Result<Path> WriteShim(FileSystem& fs, const ProgramInputs& inputs);

}  // namespace kinetic::runner
