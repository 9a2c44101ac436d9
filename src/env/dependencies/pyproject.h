#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/index_settings.h"
#include "env/dependencies/urls.h"
#include "env/pep/requirement.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The requested part of a project, and its Python.
struct ProjectSelection {
  std::string file;                 ///< for messages: "pyproject.toml"
  std::vector<std::string> extras;  ///< from optional-dependencies
  std::vector<std::string> groups;  ///< from dependency-groups
  std::string python;               ///< "3.12", checked against requires-python
};

/// The dependencies declared in a TOML document.
struct ProjectRequirements {
  std::string name;                       ///< normalized; empty for a script
  std::vector<Requirement> dependencies;  ///< of the project itself
  std::vector<Requirement> requirements;  ///< the same, with the selected extras and groups
  std::vector<Requirement> constraints;
  IndexSettings index;
  PrivateUrls private_urls;
};

/// Returns whether a pyproject.toml has a [project] table.
bool HasProject(const Value& document);

/// Reads [project], [dependency-groups] and the index settings of [tool.uv].
///
/// @param text  of the file, to find positions for messages.
/// @errors      kInvalidArgument: no or dynamic dependencies, Poetry's table, unknown extra or
///              group, cyclic groups, local or version control sources, a Python that
///              requires-python excludes, an invalid requirement.
/// @source      PEP 621, PEP 735; https://packaging.python.org/en/latest/specifications/
Result<ProjectRequirements> ReadProject(std::string_view text, const Value& document,
                                        const ProjectSelection& selection,
                                        const std::map<std::string, std::string>& environment);

/// Reads inline script metadata, `{requires-python, dependencies, tool}`.
Result<ProjectRequirements> ReadScriptProject(
    std::string_view text, const Value& document, const ProjectSelection& selection,
    const std::map<std::string, std::string>& environment);

/// Returns the TOML text between `# /// script` and `# ///` in a Python file, or nullopt.
///
/// @errors  kInvalidArgument: several such blocks.
/// @source  https://packaging.python.org/en/latest/specifications/inline-script-metadata/
Result<std::optional<std::string>> ExtractScriptMetadata(std::string_view python);

/// @errors  kInvalidArgument: `specifier` excludes every patch of `python` ("3.12").
Status CheckRequiresPython(std::string_view specifier, std::string_view python,
                           std::string_view file);

/// Reads the index settings of [tool.uv]: index, index-url, extra-index-url, find-links,
/// constraint-dependencies, sources. Stores indexes in `project.index`.
///
/// @returns  the constraints, as written.
/// @errors   kInvalidArgument: local or version control sources; overrides, which only uv can
///           resolve.
/// @source   https://docs.astral.sh/uv/reference/settings/
Result<std::vector<std::string>> ReadUvSettings(const Value& document, const std::string& file,
                                                UrlReader& urls, ProjectRequirements& project);

}  // namespace kinetic::env
