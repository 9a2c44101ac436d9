#include "env/dependencies/project_lines.h"

#include "kinetic/try.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/dependencies/direct_reference.h"
#include "env/dependencies/project_folder.h"
#include "env/dependencies/uv_settings.h"
#include "env/python/version.h"
#include "json/document.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

std::string FileName(const Path& path) { return Printable(path.filename().native()); }

Failure Invalid(std::string message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}

const Value* Member(const Value* value, std::string_view key) {
  return value != nullptr ? value->Find(key) : nullptr;
}

Status CheckProjectTable(const Path& path, const Value& document) {
  const std::string file = FileName(path);
  if (!HasProject(document)) {
    if (Member(document.Find("tool"), "poetry") != nullptr) {
      return Invalid(file + ": dependencies in Poetry's table are not supported",
                     "move them to [project] dependencies, or run "
                     "'poetry export -o requirements.txt'");
    }
    return Invalid(file + " has no [project] table", "use a requirements.txt instead");
  }
  return {};
}

/// Returns whether the build backend determines dependencies.
bool HasDynamicDependencies(const Value& project) {
  const Value* const dynamic = project.Find("dynamic");
  if (dynamic == nullptr || dynamic->AsList() == nullptr) return false;
  return std::ranges::any_of(*dynamic->AsList(), [](const Value& field) {
    return field == Value("dependencies") || field == Value("optional-dependencies");
  });
}

/// Adds the strings of a list as requirements.
Status AddList(ManifestBuild& build, const Value* list, const std::string& where) {
  if (list == nullptr || list->AsList() == nullptr) return {};
  for (const Value& item : *list->AsList()) {
    if (item.AsString() == nullptr) {  // {include-group = "…"}, or uv reports it
      KINETIC_RETURN_IF_ERROR(AddSettings(build, {}, where, item));
      continue;
    }
    auto line = build.urls.Line(*item.AsString(), false);
    if (!line) return Failure(std::move(line).error().Context(where));
    build.manifest.requirements.push_back(*std::move(line));
    KINETIC_RETURN_IF_ERROR(AddDirectReference(build, *item.AsString()));
  }
  return {};
}

/// Adds the lists that the job selects, and the others as settings, because lists refer to others.
Status AddSelected(ManifestBuild& build, const Value* table, const std::string& where,
                   const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (table != nullptr && table->AsMap() != nullptr) {
    for (const auto& [name, list] : *table->AsMap()) {
      if (std::ranges::find(names, NormalizedName(name)) == names.end()) {
        KINETIC_RETURN_IF_ERROR(AddSettings(build, {}, where + "." + name, list));
      } else {
        KINETIC_RETURN_IF_ERROR(AddList(build, &list, where + "." + name));
      }
    }
  }
  // uv resolves lists that only include other lists, and reports unknown names.
  if (build.manifest.requirements.empty()) build.manifest.requirements = names;
  return {};
}

/// Adds all extras as settings if a list has a requirement such as `own[extra]`.
Status AddReferredExtras(ManifestBuild& build, const Value& project) {
  const Value* const extras = project.Find("optional-dependencies");
  const std::string own = NormalizedName(json::TextAt(project, "name"));
  const bool is_referred =
      std::ranges::any_of(build.manifest.requirements,
                          [&](const std::string& line) { return NameOfRequirement(line) == own; });
  if (extras == nullptr || !is_referred) return {};
  return AddSettings(build, {}, "project.optional-dependencies", *extras);
}

}  // namespace

bool HasProject(const Value& document) {
  const Value* const project = document.Find("project");
  return project != nullptr && project->AsMap() != nullptr;
}

Status CheckRequiresPython(const Manifest& manifest, std::string_view requires_python) {
  if (requires_python.empty() || manifest.python.empty()) return {};
  if (AllowsPython(requires_python, manifest.python)) return {};
  return Invalid(manifest.PositionOf("requires-python") + ": requires-python is '" +
                     Printable(requires_python) + "', but the job uses Python " + manifest.python,
                 "set another version with `python:` in the job file or --python");
}

Status AddProject(ManifestBuild& build, const Path& path, const Value& document) {
  KINETIC_RETURN_IF_ERROR(CheckProjectTable(path, document));
  const Value& project = *document.Find("project");
  Manifest& manifest = build.manifest;
  const std::string requires_python = json::TextAt(project, "requires-python");
  KINETIC_RETURN_IF_ERROR(CheckRequiresPython(manifest, requires_python));
  manifest.settings.push_back("project " + json::TextAt(project, "name") + " " + requires_python);
  const auto add = [&]() -> Status {
    KINETIC_RETURN_IF_ERROR(AddList(build, project.Find("dependencies"), "project.dependencies"));
    KINETIC_RETURN_IF_ERROR(AddSelected(build, project.Find("optional-dependencies"),
                                        "project.optional-dependencies", manifest.extras));
    KINETIC_RETURN_IF_ERROR(AddSelected(build, document.Find("dependency-groups"),
                                        "dependency-groups", manifest.groups));
    KINETIC_RETURN_IF_ERROR(AddReferredExtras(build, project));
    return HasDynamicDependencies(project) ? AddBuiltMetadata(build) : Status();
  };
  if (auto added = add(); !added) {
    return Failure(std::move(added).error().Context(FileName(path)));
  }
  return {};
}

Status AddScript(ManifestBuild& build, const Path& path, const Value& metadata) {
  if (!build.manifest.extras.empty() || !build.manifest.groups.empty()) {
    return Invalid("dependencies: " + FileName(path) +
                   " is a script, which has no extras or groups");
  }
  const std::string requires_python = json::TextAt(metadata, "requires-python");
  KINETIC_RETURN_IF_ERROR(CheckRequiresPython(build.manifest, requires_python));
  build.manifest.settings.push_back("script " + requires_python);
  auto added = AddList(build, metadata.Find("dependencies"), "dependencies");
  if (const Value* const uv = Member(metadata.Find("tool"), "uv"); added && uv != nullptr) {
    added = AddUvSettings(build, path.parent_path(), *uv);
  }
  if (!added) return Failure(std::move(added).error().Context(FileName(path)));
  return {};
}

}  // namespace kinetic::env
