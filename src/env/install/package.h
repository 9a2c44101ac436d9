#pragma once

#include "kinetic/observer.h"

#include "env/install/installer.h"
#include "env/install/tool_options.h"
#include "env/python/interpreter.h"
#include "env/resolve/lock.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// What installs packages for pods on this machine: found once, used for many.
struct PackageInstaller {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  Interpreter python;        ///< any of this machine: it runs pip, or tells uv what is where
  Installer installer;
  std::optional<Interpreter> compiler;  ///< of the packages' own minor version, where it is here
};

/// Finds uv, or a pip, and a Python of any version to run it; and one that compiles for `python`,
/// "3.12".
///
/// @errors  kNotFound (no Python) · kFailedPrecondition (no pip, and none can be made).
Result<PackageInstaller> FindPackageInstaller(ToolOptions tools, PrivateUrls private_urls,
                                              std::string_view python, Observer* observer,
                                              std::stop_token stop);

/// Where a package is laid, and where it will lie in a pod.
struct PackagePlace {
  Path folder;         ///< on this machine: empty, or absent
  std::string prefix;  ///< in the pod: absolute, at most 100 bytes, no white space
};

/// Installs one package of a lock for the lock's Python and platform: from a wheel, with one of its
/// hashes, without what it depends on. `folder` gets what a virtual environment at `prefix` would
/// hold of it: `lib/python3.12/site-packages/…`; `bin/…`, where scripts begin with
/// `#!{prefix}/bin/python`; the wheel's data files (`share/`, `etc/`) as they are, and its headers
/// in `include/site/python3.12/{name}`. The same wheel gives the same bytes and modes, whichever
/// installer and machine: nothing that says who installed it and from where, and a RECORD written
/// anew. The one exception are compiled modules, which are there if `compiler` is.
///
/// What `folder` holds after an error is of no use.
///
/// @param observer  hears what the installer says, each line in Phase::kBuild; may be null.
/// @errors  kFailedPrecondition (another content than the lock's hashes allow; no wheel for that
///          Python and platform: in the installer's own words, its whole log named in the hint) ·
///          kUnavailable (the index could not be reached) · kResourceExhausted (disk) ·
///          kInvalidArgument (the prefix) · kUnimplemented (the platform) · kCancelled.
/// @threads safe to call concurrently, for different folders.
Status InstallPackage(const PackageInstaller& installer, const Lock& lock,
                      const LockedPackage& package, const PackagePlace& place, Observer* observer,
                      std::stop_token stop);

}  // namespace kinetic::env
