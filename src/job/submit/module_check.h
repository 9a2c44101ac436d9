#pragma once

#include "kinetic/job_spec.h"

#include "base/files/file_system.h"
#include "bundle/source/walk.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Cache folder with an empty file for each checked module.
inline constexpr std::string_view kCheckedModulesFolder = "checked";

/// Returns the bundle file that `import module` reads with the bundle's root and its src/ on the
/// path: "a/b.py" or "a/b/__init__.py", with or without "src/". Returns nullopt if the module is
/// not in the bundle.
///
/// @param entries  by path.
std::optional<std::string> FindModule(std::span<const bundle::SourceEntry> entries,
                                      std::string_view module);

/// Returns whether the bundle contains the top-level package or module of `module`. If so, Python
/// does not search elsewhere for that name.
bool HasPackage(std::span<const bundle::SourceEntry> entries, std::string_view module);

/// Returns the error for a module that is in neither the bundle nor the environment, with the
/// nearest name or the location of a file with that name in the bundle.
Error MissingModule(std::span<const bundle::SourceEntry> entries, std::string_view module);

/// The interpreter that checks Python code, and the cache of its results.
struct CodeChecker {
  FileSystem& fs;
  Path python;     ///< an interpreter of the job's version
  Path cache_dir;  ///< for positive results, so that a repeated check runs no program
};

/// Finds errors that would fail the job at its start, before anything is sent: a syntax error in
/// the function's module, or a function that the module definitely does not define.
///
/// @param root  the root of the bundle; `file` is relative to it.
/// @errors      kInvalidArgument: "finetune.py:12:5: …", or the function with the nearest valid
///          name. Other failures of the interpreter are ignored.
Status CheckModule(const CodeChecker& checker, const Path& root, const std::string& file,
                   const FunctionReference& function, std::stop_token stop);

/// Returns whether a Python finds the top-level package of `module`. Returns true if the
/// interpreter fails.
bool IsInstalled(const Path& python, std::string_view module, std::stop_token stop);

}  // namespace kinetic::job
