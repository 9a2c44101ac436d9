#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/index_settings.h"
#include "env/pep/requirement.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What is wanted of a project, and for which Python.
struct ProjectSelection {
  std::string file;                 ///< for messages: "pyproject.toml"
  std::vector<std::string> extras;  ///< of optional-dependencies
  std::vector<std::string> groups;  ///< of dependency-groups
  std::string python;               ///< "3.12", checked against requires-python
};

/// The dependencies that a TOML document asks for.
struct ProjectRequirements {
  std::string name;                       ///< normalised; empty for a script
  std::vector<Requirement> dependencies;  ///< of the project itself
  std::vector<Requirement> requirements;  ///< those and the chosen extras' and groups'
  std::vector<Requirement> constraints;
  IndexSettings index;
  PrivateUrls private_urls;
};

/// Whether a pyproject.toml has a [project] table.
bool HasProject(const Value& document);

/// Reads [project], [dependency-groups] and what of [tool.uv] decides where packages come from.
///
/// @param text  of the file, in which places are found for messages.
/// @errors      kInvalidArgument: no or dynamic dependencies, Poetry's own table, unknown extra or
///              group, groups that include each other, local or version control sources, a Python
///              that requires-python excludes, a requirement that is none.
/// @source      PEP 621, PEP 735; https://packaging.python.org/en/latest/specifications/
Result<ProjectRequirements> ReadProject(std::string_view text, const Value& document,
                                        const ProjectSelection& selection,
                                        const std::map<std::string, std::string>& environment);

/// Reads inline script metadata, `{requires-python, dependencies, tool}`.
Result<ProjectRequirements> ReadScript(std::string_view text, const Value& document,
                                       const ProjectSelection& selection,
                                       const std::map<std::string, std::string>& environment);

/// @errors  kInvalidArgument: `specifier` excludes every patch of `python` ("3.12").
Status CheckPython(std::string_view specifier, std::string_view python, std::string_view file);

}  // namespace kinetic::env
