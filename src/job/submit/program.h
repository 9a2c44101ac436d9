#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "job/context.h"

#include <cstdint>
#include <string_view>

namespace kinetic::job {

/// Cache folder with the programs that were submitted.
inline constexpr std::string_view kProgramsFolder = "programs";

/// Adds this program to the data of a job that calls a C++ function. Does nothing for other jobs.
///
/// @errors  kFailedPrecondition: the program did not call InitFunctions · those of StageProgram and
///          native::ProgramFile.
Status AddProgram(const Context& context, JobSpec& spec);

/// Returns a folder with links to a program, its loader and its shared libraries, as the runner
/// expects it (native/protocol.h). Reads the program again only if it or a library has changed.
///
/// @errors  kNotFound: a shared library is missing · kUnimplemented: the program is not for x86-64 ·
///          those of FileSystem.
Result<Path> StageProgram(const Context& context, const Path& program);

}  // namespace kinetic::job
