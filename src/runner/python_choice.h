#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"

#include <map>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// What a function job's interpreter is chosen by.
struct PythonWish {
  std::string version;                             ///< "3.12"; may be empty
  std::string search_path;                         ///< as in PATH
  std::map<std::string, std::string> environment;  ///< that it will run in
  std::string image;                               ///< for messages; may be empty
};

/// The interpreter of a container: the version that is wished for where it is there, or else any
/// that is new enough.
///
/// @errors  kNotFound: there is none · kFailedPrecondition: it is too old, or does not run; each
///          names the image.
Result<Path> ChoosePython(const PythonWish& wish, std::stop_token stop);

}  // namespace kinetic::runner
