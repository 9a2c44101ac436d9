#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/program/process.h"
#include "runner/program/request.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// The criteria for an interpreter in a container.
struct PythonQuery {
  std::string version;                             ///< "3.12"; may be empty
  std::string search_path;                         ///< as in PATH
  std::map<std::string, std::string> environment;  ///< in which it will run
  std::string image;                               ///< for messages; may be empty
};

/// An interpreter, as it describes itself.
struct ImagePython {
  Path path;            ///< as found in PATH
  Path base;            ///< its executable, or that of the virtual environment's base
  std::string version;  ///< "3.12"
  std::string release;  ///< "3.12.7"
  std::optional<int> glibc_minor = {};  ///< 36 for glibc 2.36; nullopt for another C library
};

/// Finds the interpreter for a function without packages: the requested version if there is one, or
/// else any that is new enough.
///
/// @errors  kNotFound: none found · kFailedPrecondition: it is too old or does not run.
Result<ImagePython> FindFunctionPython(const PythonQuery& query, std::stop_token stop);

/// Finds the interpreter for packages that need `query.version`.
///
/// @errors  kFailedPrecondition: none found, another version, or it does not run. The message names
///          the image and what it has; the hint names the change.
Result<ImagePython> FindMatchingPython(const PythonQuery& query, std::stop_token stop);

/// Returns "the image python:3.12-slim".
std::string DescribeImage(const PythonQuery& query);

/// Finds the Python that a program will run with: the one that calls a function, the first word of
/// a command that names a Python, or else that of the job's packages.
///
/// @param environment  the folder of the job's virtual environment; empty if there is none.
/// @returns  nullopt for programs in other languages.
std::optional<Path> FindProgramPython(const Program& program, const Path& environment);

}  // namespace kinetic::runner
