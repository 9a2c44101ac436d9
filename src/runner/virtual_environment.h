#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "runner/program_order.h"
#include "runner/python_choice.h"

#include <map>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// Makes the folder of a job's packages a virtual environment of the image's Python, as Python's
/// own `venv` would: links to the interpreter in bin/, and pyvenv.cfg. Once or more often.
///
/// @errors  kFailedPrecondition: the image has no Python that they can be used with (as
///          FindPythonFor says), or they were built for glibc and it has another C library, or
///          an older one · those of FileSystem.
/// @source  PEP 405
Status MakeVirtualEnvironment(FileSystem& fs, const OrderedEnvironment& environment,
                              const PythonWish& wish, std::stop_token stop);

/// Lets a program find it: VIRTUAL_ENV, and PATH where the job file has none of its own.
void Activate(const OrderedEnvironment& environment, bool own_path,
              std::map<std::string, std::string>& variables);

}  // namespace kinetic::runner
