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
/// @errors  kFailedPrecondition: no Python matches (see FindMatchingPython), or the packages need glibc
///          or a newer one · those of FileSystem.
/// @source  PEP 405
Status MakeVirtualEnvironment(FileSystem& fs, const PackageEnvironment& environment,
                              const PythonQuery& query, std::stop_token stop);

/// Sets VIRTUAL_ENV, and prepends to PATH unless the job file sets it (`keep_path`).
void Activate(const PackageEnvironment& environment, bool keep_path,
              std::map<std::string, std::string>& variables);

}  // namespace kinetic::runner
