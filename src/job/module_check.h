#pragma once

#include "kinetic/job_spec.h"

#include "base/file_system.h"
#include "bundle/source_tree.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// In the cache: an empty file for each module that was checked.
inline constexpr std::string_view kCheckedFolder = "checked";

/// The bundle's file that `import module` reads, when the bundle's root and its src/ are on the
/// path: "a/b.py" or "a/b/__init__.py", perhaps under "src/". Nothing: it is no file of the bundle.
///
/// @param entries  by path.
std::optional<std::string> FindModule(std::span<const bundle::SourceEntry> entries,
                                      std::string_view module);

/// Whether the bundle has the package or module that `module` begins with, so that nothing of that
/// name is looked for elsewhere.
bool HasPackage(std::span<const bundle::SourceEntry> entries, std::string_view module);

/// What is wrong with a module that neither the bundle nor the environment has: the nearest name,
/// or where in the bundle a file of that name is.
Error NoSuchModule(std::span<const bundle::SourceEntry> entries, std::string_view module);

/// What looks at Python code, and where it remembers what it has looked at.
struct CodeChecker {
  FileSystem& fs;
  Path python;     ///< an interpreter of the job's version
  Path cache_dir;  ///< what has been found right is found right again without running anything
};

/// Finds, before anything is sent, what would fail as soon as the job runs: a syntax error in the
/// function's module, and a function that the module certainly does not have.
///
/// @param root  of the bundle; `file` is relative to it.
/// @errors      kInvalidArgument: "finetune.py:12:5: …", or the function with the nearest right
///              name. An interpreter that fails otherwise is no error.
Status CheckModule(const CodeChecker& checker, const Path& root, const std::string& file,
                   const FunctionReference& function, std::stop_token stop);

/// Whether a Python finds the package that `module` begins with; true when it cannot be asked.
bool IsInstalled(const Path& python, std::string_view module, std::stop_token stop);

}  // namespace kinetic::job
