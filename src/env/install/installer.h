#pragma once

#include "base/process/subprocess.h"
#include "env/dependencies/index_settings.h"
#include "env/install/log.h"
#include "env/lock.h"
#include "env/python/interpreter.h"
#include "env/python/target_platform.h"
#include "env/tool_options.h"

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// uv, which resolves and installs packages.
struct Uv {
  Path path;
  std::string version;  ///< "uv 0.5.1"
  bool is_own = false;  ///< kinetic installed it
};

/// Returns the uv on the search path if it is new enough, or kinetic's own uv in the cache folder.
/// Returns nullopt if there is neither.
std::optional<Uv> FindInstalledUv(const ToolOptions& tools, const std::stop_token& stop);

/// Returns the installed uv, or installs kinetic's own uv with the interpreter's pip, or with pip
/// in a temporary virtual environment. Its version is fixed, and its content is verified by hash.
///
/// @errors  kFailedPrecondition (neither pip nor the modules that provide it: the hint names the
///          system package; wrong hash) · kUnavailable (the index) · kCancelled.
/// @threads safe to call concurrently, also from several processes.
Result<Uv> FindUv(const Interpreter& interpreter, const ToolOptions& tools, InstallerLog& log,
                  std::stop_token stop);

/// Returns the environment of Python and pip: the caller's, without variables that affect the
/// choice of packages.
std::map<std::string, std::string> ToolEnvironment(const ToolOptions& tools);

/// Returns the environment of uv: ToolEnvironment with the index settings. Credentials are passed
/// in no other way. kinetic's own uv also gets the index settings of pip (AddPipSettings).
std::map<std::string, std::string> UvEnvironment(const Uv& uv, const ToolOptions& tools,
                                                 const IndexSettings& index,
                                                 const PrivateUrls& private_urls);

/// Returns `--no-binary` and related options.
std::vector<std::string> FormatOptions(const IndexSettings& index);

/// Returns the options that make uv choose wheels for `target`.
std::vector<std::string> PlatformOptions(const TargetPlatform& target);

/// A file for `uv pip install -r`.
struct RequirementFile {
  std::string name;
  std::string text;  ///< may contain credentials
};

/// Returns the requirements of packages of a lock, with their hashes. In a requirements.txt,
/// private URLs are replaced by `${KINETIC_URL_0}`, and these variables are added to `environment`.
/// If the lock contains the packages' files, returns a pylock.toml with full URLs.
RequirementFile LockedRequirements(std::span<const LockedPackage> packages,
                                   const PrivateUrls& private_urls,
                                   std::map<std::string, std::string>& environment);

/// Runs a program and writes its output to the log.
/// @errors  as Run.
Result<ExitStatus> RunLogged(std::vector<std::string> argv,
                             std::map<std::string, std::string> environment,
                             const Path& working_directory, InstallerLog& log,
                             std::stop_token stop);

/// Returns the error of a failed installer: `what`, its last lines, and the path of the log.
/// kUnavailable if the index was not reachable, kResourceExhausted if the disk is full,
/// kFailedPrecondition otherwise.
Failure InstallerFailure(std::string_view what, InstallerLog& log);

/// Returns the error of a failed installer of packages for a pod. If a package has no wheel for the
/// pod, the hint names the package and the alternatives.
Failure PodInstallerFailure(std::string_view what, const TargetPlatform& target, InstallerLog& log);

}  // namespace kinetic::env
