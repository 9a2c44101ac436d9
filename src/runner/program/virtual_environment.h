#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/program/python.h"
#include "runner/program/request.h"

#include <map>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// Turns the folder of a job's packages into a virtual environment of the image's Python, as `venv`
/// does: links to the interpreter in bin/, and pyvenv.cfg. May be repeated.
///
/// @errors  kFailedPrecondition: no Python matches (see FindMatchingPython), or the packages need
///          glibc or a newer one · those of FileSystem.
/// @source  PEP 405
Status MakeVirtualEnvironment(FileSystem& fs, const PackageEnvironment& environment,
                              const PythonQuery& query, std::stop_token stop);

/// Adds `bin/activate` to a virtual environment, and pip unless the packages contain it.
///
/// @param packages  its site-packages, which exists.
Status AddTools(FileSystem& fs, const Path& root, const Path& packages, bool has_pip);

/// Removes variables of a container that make Python, pip or uv use another environment than the
/// job's, unless the job file sets them (`own`).
void DropRedirections(const std::map<std::string, std::string>& own,
                      std::map<std::string, std::string>& variables);

/// Sets VIRTUAL_ENV, and prepends to PATH unless the job file sets it (`keep_path`).
void Activate(const PackageEnvironment& environment, bool keep_path,
              std::map<std::string, std::string>& variables);

}  // namespace kinetic::runner
