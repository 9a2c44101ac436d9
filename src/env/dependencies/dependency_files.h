#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "env/dependencies/index_settings.h"
#include "env/lock.h"
#include "env/pep/requirement.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The content of a requirements file and of the files that it includes.
struct RequirementsFile {
  std::vector<Requirement> requirements;  ///< in order; URLs redacted
  std::vector<Requirement> constraints;
  IndexSettings index;
  PrivateUrls private_urls;
  bool require_hashes = false;
};

/// Reads the text of a file.
using ReadFileFunction = std::function<Result<std::string>(const Path& path)>;

/// Reads a requirements file in pip's grammar: PEP 508 requirements, URLs, `-r`, `-c`, `--hash`,
/// index and format options, continued lines, comments, `${NAME}` in URLs. Editable and local
/// requirements, version control and unknown options are errors.
///
/// @param environment  values of `${NAME}`.
/// @errors  kInvalidArgument: one line for each error, "requirements.txt:3:7: …" · those of
///          `read_file`.
/// @source  https://pip.pypa.io/en/stable/reference/requirements-file-format/
Result<RequirementsFile> ReadRequirements(const Path& path, const ReadFileFunction& read_file,
                                          const std::map<std::string, std::string>& environment);

/// Converts pinned requirements with hashes to a lock. Omits requirements whose marker does not
/// match `environment`.
///
/// @errors  kInvalidArgument: two requirements for one package differ.
Result<Lock> LockFromHashedRequirements(const std::vector<Requirement>& requirements,
                                        const MarkerEnvironment& environment);

/// The requested part of a uv.lock.
struct UvSelection {
  std::vector<std::string> extras;
  std::vector<std::string> groups;
  std::string python;    ///< "3.12"
  std::string platform;  ///< "linux-x86_64"
  /// [project] dependencies of the pyproject.toml next to it, which the lock must match.
  std::vector<Requirement> dependencies;
};

struct UvPackages {
  std::vector<LockedPackage> packages;  ///< by name
  std::vector<std::string> registries;  ///< redacted URLs
  PrivateUrls private_urls;
};

/// Follows the dependencies of a uv.lock's root package (version 1), evaluating markers.
///
/// @errors  kInvalidArgument: not a uv.lock, a newer version, older than its pyproject.toml, an
///          unknown extra or group, a package from version control or a local folder, two
///          versions of one package, a Python that it excludes.
/// @source  https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile
Result<UvPackages> ReadUvLock(std::string_view text, const UvSelection& selection);

}  // namespace kinetic::env
