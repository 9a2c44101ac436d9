#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/python/version.h"
#include "env/tool_options.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A Python on this machine, never one of a virtual environment.
struct Interpreter {
  Path path;
  std::string version;  ///< "3.12.4"

  std::string Minor() const;  ///< "3.12"
};

/// Returns the platform of this program as manifests and locks name it: "linux-x86_64".
std::string HostPlatform();

/// Finds a Python by version: "3.12", "3.12.4", or "" for `python3`. The caller's `python3` is used
/// if it has the version. Otherwise, the first match of the search path, pyenv's versions and uv's
/// Pythons. Versions are cached (PythonVersionCache).
///
/// @errors  kNotFound: lists the installed versions.
/// @threads safe to call concurrently.
Result<Interpreter> FindPython(std::string_view version, const ToolOptions& tools,
                               std::stop_token stop);

/// Returns `python3` of the search path, else the newest installed Python.
///
/// @errors  kNotFound: none is installed.
Result<Interpreter> FindAnyPython(const ToolOptions& tools, std::stop_token stop);

/// Returns every installed Python, newest first, one for each version.
std::vector<Interpreter> ListPythons(const ToolOptions& tools, std::stop_token stop);

/// Versions of Python and uv executables, by path and identity on disk: {cache_dir}/pythons.json.
/// Without a cache folder nothing is stored.
class PythonVersionCache {
 public:
  explicit PythonVersionCache(const ToolOptions& tools);

  /// Returns a string that changes with the executable; empty if it does not exist.
  std::string Identity(const Path& path) const;
  /// Returns the cached version, or an empty string.
  std::string Find(const Path& path, const std::string& identity) const;
  /// Errors are ignored.
  void Store(const Path& path, const std::string& identity, const std::string& version);

 private:
  FileSystem& fs_;
  Path path_;
  Value value_;
};

/// A Python program that compiles the modules below `lib/` of a folder; see CompileModules.
///
/// Arguments: the folder, and its final path.
extern const std::string_view kCompileModules;

}  // namespace kinetic::env
