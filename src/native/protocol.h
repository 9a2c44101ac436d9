#pragma once

#include <string_view>

/// How the runner calls a function of a program:
///
///     program --kinetic-call-function CONTROL_FD EXCHANGE_FOLDER NAME
///
/// The arguments are in {exchange}/arguments.json and the JobContext is in {exchange}/job.json. The
/// program reports over the control descriptor as the Python shim does, and writes
/// {exchange}/value.json.
namespace kinetic::inline v0::native {

inline constexpr std::string_view kCallFlag = "--kinetic-call-function";
inline constexpr std::string_view kArgumentsFile = "arguments.json";
inline constexpr std::string_view kContextFile = "job.json";

/// The folder of the program in a job, relative to its bundle.
inline constexpr std::string_view kProgramFolder = ".kinetic-program";
/// Its content: the program, its loader (absent for a static program), and its shared libraries.
inline constexpr std::string_view kProgramName = "program";
inline constexpr std::string_view kLoaderName = "loader";
inline constexpr std::string_view kLibrariesName = "lib";

}  // namespace kinetic::inline v0::native
