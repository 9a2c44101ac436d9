#pragma once

#include "local/launch_request.h"
#include "local/runtime.h"
#include "record/record.h"
#include "runner/program.h"

#include <cstdint>

namespace kinetic::runner {

/// What an attempt's program is made from.
struct ProgramSource {
  FileSystem& fs;
  const std::string& store;  ///< its location, for what the program is told of it
  const record::Record& record;
  const local::LaunchRequest& request;
  const local::Runtime& runtime;
  const Arguments& arguments;
  std::uint32_t attempt = 1;
};

/// The program of an attempt, and in exchange/ what it needs: a function's arguments, with paths as
/// the program sees them, and the shim.
///
/// @errors  those of JobProgram and FileSystem.
Result<Program> SetUpProgram(const ProgramSource& source);

}  // namespace kinetic::runner
