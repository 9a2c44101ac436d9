#pragma once

#include "base/file_system.h"
#include "runner/program.h"

#include <optional>

namespace kinetic::runner {

/// The Python that a program will run with: what a function is called by, what the first word of a
/// command that is a Python's name leads to, or else that of the job's packages.
///
/// @param environment  the folder of the job's virtual environment; empty: it has none.
/// @returns  nothing for programs in other languages.
std::optional<Path> PythonOf(const Program& program, const Path& environment);

}  // namespace kinetic::runner
