#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/source/walk.h"
#include "job/context.h"
#include "job/environment/job_environment.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Checks that each `$path` argument is a file or folder in the bundle, or in local `data`.
///
/// @errors  kInvalidArgument: the missing paths, one per line, each with its location and whether
///          the file exists but is excluded.
Status CheckPaths(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source);

/// Checks that the script of a command such as "python3 train.py" is in the bundle and is found from
/// the job's folder. Does not report a script that exists nowhere: the job's image may contain it.
///
/// @param spec  with its workdir resolved.
/// @errors      kInvalidArgument: the script is outside of the root, excluded, or in another folder.
Status CheckScript(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source);

/// Returns the path in the bundle of the script of a command such as "python3 train.py", or nullopt.
std::optional<std::string> BundledScript(const JobSpec& spec, const bundle::SourceTree& source);

/// Cache folder with an empty file for each checked module.
inline constexpr std::string_view kCheckedModulesFolder = "checked";

/// Returns whether `folder` is a folder, or a link, of the bundle.
///
/// @param entries  by path.
bool HasFolder(std::span<const bundle::SourceEntry> entries, const std::string& folder);

/// Returns the error for a `workdir` that is not in the bundle, with the nearest folder.
Error MissingFolder(std::span<const bundle::SourceEntry> entries, const std::string& folder);

/// Where Python finds a module.
struct ModulePlace {
  std::optional<std::string> file;  ///< in the bundle: "a/b.py" or "a/b/__init__.py"
  bool is_external = false;         ///< not in the bundle, so it must be in the environment
};

/// Finds the file that `import module` reads with the job's folder, the bundle's root and its src/
/// on the path. Returns neither a file nor `is_external` if links or extension modules are in the
/// way.
///
/// @param entries  by path.
/// @param workdir  the job's folder; "." is the root.
/// @errors  kInvalidArgument: MissingModule, because the bundle has the package without the module.
Result<ModulePlace> LocateModule(std::span<const bundle::SourceEntry> entries,
                                 std::string_view module, std::string_view workdir);

/// Returns the error for a module that is in neither the bundle nor the environment, with the
/// nearest name or the location of a file with that name in the bundle.
Error MissingModule(std::span<const bundle::SourceEntry> entries, std::string_view module);

/// Adds the location of the function in the job file to an error.
Status AtFunction(const JobSpec& spec, Status status);

/// The interpreter that checks Python code, and the cache of its results.
struct CodeChecker {
  FileSystem& fs;
  Path python;     ///< an interpreter of the job's version
  Path cache_dir;  ///< for positive results, so that a repeated check runs no program
};

/// Finds errors that would fail the job at its start, before anything is sent: a syntax error in
/// the function's module, a function that the module definitely does not define, or arguments that
/// a plain `def` at the module's top level definitely does not accept.
///
/// @param source  the text of the module.
/// @param file    its path in the bundle, for messages.
/// @param spec    of a `function:` job.
/// @errors      kInvalidArgument: "finetune.py:12:5: …", or the function or the arguments with the
///          nearest valid names. Other failures of the interpreter are ignored.
Status CheckModule(const CodeChecker& checker, const std::string& source, const std::string& file,
                   const JobSpec& spec, std::stop_token stop);

/// Finds a syntax error in a script, as CheckModule does.
///
/// @errors      kInvalidArgument: "train.py:12:5: …".
Status CheckSyntax(const CodeChecker& checker, const std::string& source, const std::string& file,
                   std::stop_token stop);

/// Modules that are larger are not checked.
inline constexpr std::uint64_t kMaxModuleBytes = 16U << 20;

/// Returns whether a Python finds the top-level package of `module`. Returns true if the
/// interpreter fails.
bool IsInstalled(const Path& python, std::string_view module, std::stop_token stop);

/// Checks that the finished environment has the function's module, which is not in the bundle. Passes
/// if there is no interpreter on this machine to ask.
///
/// @errors  MissingModule, with the location in the job file.
Status CheckInstalled(const JobEnvironment& environment, const JobSpec& spec,
                      std::span<const bundle::SourceEntry> entries, std::stop_token stop);

/// Cache folder with the time until which the check of a job's image is valid.
inline constexpr std::string_view kImageChecksFolder = "checked-images";

/// Checks in the registry that the job's image exists and fits the target's machines, so that a
/// wrong image is found before the job is created. The request times out after two seconds. The
/// check passes if the registry is unreachable or denies access, because nodes have their own
/// logins and images. A fitting image is not checked again. An image without an answer is checked
/// again after an hour.
///
/// @param observer  warned if the registry does not have the image; may be null.
/// @errors  kFailedPrecondition: the image does not fit the target's machines · kInvalidArgument:
///          not a valid image name. Both include the location in the job file · kCancelled.
Status CheckNamedImage(const Context& context, const JobSpec& spec, Observer* observer,
                       std::stop_token stop);

/// Returns a warning if the job may end after the credential for its store expires.
std::optional<std::string> CredentialWarning(const Context& context, const JobSpec& spec);

}  // namespace kinetic::job
