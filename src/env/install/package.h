#pragma once

#include "kinetic/observer.h"

#include "base/hash/digest.h"
#include "env/install/installer.h"
#include "env/install/log.h"
#include "env/lock.h"
#include "env/python/interpreter.h"
#include "env/tool_options.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// The programs that install packages for pods.
struct PackageInstaller {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  Interpreter python;        ///< of any version; passed to uv
  Uv uv;
  std::optional<Interpreter> compiler;  ///< of the packages' minor version, if installed
};

/// Finds uv, a Python of any version for it, and a Python `python` ("3.12") that compiles modules.
///
/// @errors  kNotFound (no Python) · those of FindUv.
Result<PackageInstaller> FindPackageInstaller(ToolOptions tools, PrivateUrls private_urls,
                                              std::string_view python, Observer* observer,
                                              std::stop_token stop);

/// Where a package is installed on this machine, and its path in a pod.
struct InstallLocation {
  Path folder;         ///< on this machine: empty, or absent
  std::string prefix;  ///< in the pod: absolute, at most 100 bytes, no white space
};

/// Installs the wheel of one package of a lock, without dependencies, for the lock's Python and
/// platform. `folder` gets the package's files of a virtual environment at `prefix`:
/// `lib/python3.12/site-packages/…`; `bin/…`, where scripts begin with `#!{prefix}/bin/python`; the
/// wheel's data files (`share/`, `etc/`); its headers in `include/site/python3.12/{name}`. Bytes
/// and modes are reproducible across machines: they contain no installer or origin, and
/// RECORD is rewritten. The only exception is compiled modules, present if `compiler` is set.
///
/// The content of `folder` is undefined after an error.
///
/// @param observer  receives the installer's output by line in Phase::kBuild; may be null.
/// @errors  kFailedPrecondition (hash mismatch; no wheel for that Python and platform: with the
///          installer's own words, and the path of its log in the hint) · kUnavailable (the index)
///          · kResourceExhausted (disk) · kInvalidArgument (the prefix) · kUnimplemented (the
///          platform) · kCancelled.
/// @threads safe to call concurrently, for different folders.
Status InstallPackage(const PackageInstaller& installer, const Lock& lock,
                      const LockedPackage& package, const InstallLocation& location,
                      Observer* observer, std::stop_token stop);

/// Changes with the layout that InstallPackage creates.
inline constexpr std::string_view kWheelLayoutVersion = "2";

/// Returns the key of what InstallPackage creates: a hash of package, hashes, Python, platform,
/// prefix and layout version. Equal keys mean equal folders, except that uv chooses among the
/// wheels of one version in a lock, and that compiled modules are optional.
///
/// @param prefix  as InstallLocation::prefix.
Digest WheelKey(const Lock& lock, const LockedPackage& package, std::string_view prefix);

/// Finds a Python that compiles modules for its minor version. If there is none, modules are
/// compiled when they are imported.
///
/// @param python  "3.12"
std::optional<Interpreter> FindModuleCompiler(std::string_view python, const ToolOptions& tools,
                                              std::stop_token stop);

/// Compiles the modules in `location.folder` into `__pycache__`, so that pods need not do so at
/// each import. The compiled modules do not depend on the times of their sources (PEP 552,
/// unchecked) and contain source paths below `location.prefix`. Files that are not valid Python,
/// such as templates, are skipped; so are all if Python fails, because compiling is optional.
///
/// @errors  kCancelled · those of starting a process.
/// @source  https://docs.python.org/3/library/py_compile.html
Status CompileModules(const Interpreter& python, const InstallLocation& location,
                      const ToolOptions& tools, InstallerLog& log, std::stop_token stop);

}  // namespace kinetic::env
