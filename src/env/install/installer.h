#pragma once

#include "base/process/subprocess.h"
#include "env/dependencies/index_settings.h"
#include "env/install/log.h"
#include "env/install/tool_options.h"
#include "env/python/interpreter.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What resolves and installs packages.
struct Installer {
  bool is_uv = false;
  std::vector<std::string> argv;  ///< {"/usr/bin/uv"} or {"/usr/bin/python3", "-m", "pip"}
  std::string version;            ///< "uv 0.5.1", "pip 24.0"
};

/// uv where it is on the search path; else a pip that can work on another environment (22.3 or
/// later): the interpreter's own, or one in a private virtual environment under the cache folder.
///
/// @errors  kFailedPrecondition: there is none and none can be made; the hint names the system
///          package that is missing.
Result<Installer> FindInstaller(const Interpreter& interpreter, const ToolOptions& tools,
                                InstallerLog& log, std::stop_token stop);

/// Whether this machine can resolve and install for pods: it has a Python, and uv, a pip that is
/// recent enough, or what is needed to make one.
Result<bool> CanInstall(const ToolOptions& tools, std::stop_token stop);

/// The environment of an installer: the caller's, without what would change which packages are
/// chosen, and with the index settings (credentials are here and nowhere else).
std::map<std::string, std::string> InstallerEnvironment(const ToolOptions& tools,
                                                        const IndexSettings& index,
                                                        const PrivateUrls& private_urls);

/// `--no-binary` and the like, for both installers.
std::vector<std::string> FormatOptions(const IndexSettings& index, const Installer& installer);

/// Runs a program to its end; what it says goes to the log.
/// @errors  as Run.
Result<ExitStatus> RunLogged(std::vector<std::string> argv,
                             std::map<std::string, std::string> environment,
                             const Path& working_directory, InstallerLog& log,
                             std::stop_token stop);

/// The error of an installer that failed: `what`, its last lines, and where the whole log is.
/// kUnavailable when the index could not be reached, kResourceExhausted when the disk is full,
/// kFailedPrecondition otherwise.
Failure InstallerFailure(std::string_view what, InstallerLog& log);

}  // namespace kinetic::env
