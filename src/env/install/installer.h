#pragma once

#include "base/process/subprocess.h"
#include "env/dependencies/index_settings.h"
#include "env/install/log.h"
#include "env/lock.h"
#include "env/pep/target_platform.h"
#include "env/python/interpreter.h"
#include "env/tool_options.h"

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The program that resolves and installs packages.
struct Installer {
  bool is_uv = false;
  std::vector<std::string> argv;  ///< {"/usr/bin/uv"} or {"/usr/bin/python3", "-m", "pip"}
  std::string version;            ///< "uv 0.5.1", "pip 24.0"
};

/// Finds uv on the search path; else a pip that can install into another environment (22.3 or
/// later): the interpreter's own, or one in a private virtual environment in the cache folder.
///
/// @errors  kFailedPrecondition: not found; the hint names the missing system package.
Result<Installer> FindInstaller(const Interpreter& interpreter, const ToolOptions& tools,
                                InstallerLog& log, std::stop_token stop);

/// Returns whether this machine can resolve and install for pods: it has a Python, and FindInstaller
/// would succeed.
Result<bool> CanInstall(const ToolOptions& tools, std::stop_token stop);

/// Returns the environment of an installer: the caller's, without variables that affect the choice
/// of packages, and with the index settings. Credentials are passed in no other way.
std::map<std::string, std::string> InstallerEnvironment(const ToolOptions& tools,
                                                        const IndexSettings& index,
                                                        const PrivateUrls& private_urls);

/// Returns `--no-binary` and related options.
std::vector<std::string> FormatOptions(const IndexSettings& index, const Installer& installer);

/// Returns the options that make an installer choose wheels for `target`. pip also needs
/// `--only-binary :all:` or `--no-deps`.
std::vector<std::string> PlatformOptions(const TargetPlatform& target, const Installer& installer);

/// Returns requirement lines for an installer's file. Replaces private URLs by `${KINETIC_URL_0}`,
/// and adds these variables to `environment`.
std::string InstallerRequirements(const std::vector<std::string>& lines,
                                  const PrivateUrls& private_urls,
                                  std::map<std::string, std::string>& environment);

/// The same for packages of a lock, with their hashes.
std::string LockedRequirements(std::span<const LockedPackage> packages,
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

/// Returns the same for packages of a pod. If a package has no wheel for it, the hint names the
/// package and the alternatives.
Failure PodInstallerFailure(std::string_view what, const TargetPlatform& target, InstallerLog& log);

}  // namespace kinetic::env
