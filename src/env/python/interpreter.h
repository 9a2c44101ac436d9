#pragma once

#include "kinetic/result.h"

#include "env/install/tool_options.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The minor version of a Python: "3.12" of "3.12.4".
std::string MinorVersion(std::string_view python);

/// A Python found on this machine, never one of a virtual environment.
struct Interpreter {
  Path path;
  std::string version;  ///< "3.12.4"

  std::string Minor() const;  ///< "3.12"
};

/// The platform this program runs on, as manifests and locks name it: "linux-x86_64".
std::string HostPlatform();

/// A Python by version: "3.12" (the newest patch is not sought: the first found is taken),
/// "3.12.4", or "" for `python3` of the search path. Looked for in the search path, among pyenv's
/// versions and among uv's own.
///
/// What an executable answered is kept in the cache folder, by its identity on disk: finding it
/// again runs nothing.
///
/// @errors  kNotFound: lists the versions that are installed.
/// @threads safe to call concurrently.
Result<Interpreter> FindPython(std::string_view version, const ToolOptions& tools,
                               std::stop_token stop);

/// A Python that is to run a program which asks for none in particular: `python3` of the search
/// path, or else the newest that is installed.
///
/// @errors  kNotFound: none is.
Result<Interpreter> FindAnyPython(const ToolOptions& tools, std::stop_token stop);

/// Every Python found, newest first, one for each version.
std::vector<Interpreter> ListPythons(const ToolOptions& tools, std::stop_token stop);

}  // namespace kinetic::env
