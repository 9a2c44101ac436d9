#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// What the interpreter of a container is chosen by.
struct PythonWish {
  std::string version;                             ///< "3.12"; may be empty
  std::string search_path;                         ///< as in PATH
  std::map<std::string, std::string> environment;  ///< that it will run in
  std::string image;                               ///< for messages; may be empty
};

/// An interpreter, by what it says of itself.
struct ImagePython {
  Path path;            ///< as it was found along PATH
  Path base;            ///< its executable file; of a virtual environment, what that was made of
  std::string version;  ///< "3.12"
  std::string release;  ///< "3.12.7"
  std::optional<int> glibc_minor = {};  ///< 36: it runs with glibc 2.36; absent: with another
};

/// The interpreter that a function without an environment is called by: the version that is wished
/// for where it is there, or else any that is new enough.
///
/// @errors  kNotFound: there is none · kFailedPrecondition: it is too old, or does not run; each
///          names the image.
Result<ImagePython> ChoosePython(const PythonWish& wish, std::stop_token stop);

/// The interpreter that packages for `wish.version` can be used with.
///
/// @errors  kFailedPrecondition: there is none, it is another version, or does not run; the message
///          names the image, what it has, and what would do.
Result<ImagePython> FindPythonFor(const PythonWish& wish, std::stop_token stop);

/// "the image python:3.12-slim"
std::string NameOfImage(const PythonWish& wish);

}  // namespace kinetic::runner
