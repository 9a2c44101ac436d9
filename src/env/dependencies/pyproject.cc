#include "env/dependencies/pyproject.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/urls.h"
#include "env/pep/requirement.h"
#include "json/document.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

Failure Invalid(std::string message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}

/// Returns "file:line:column" of a quoted string, or the file.
std::string PositionOf(std::string_view text, std::string_view needle, const std::string& file) {
  const auto at = needle.empty() ? std::string_view::npos : text.find(needle);
  if (at == std::string_view::npos) return file;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  const auto start = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t column = start == std::string_view::npos ? at + 1 : at - start;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

class ProjectReader {
 public:
  ProjectReader(std::string_view text, const Value& document, const ProjectSelection& selection,
                const std::map<std::string, std::string>& environment)
      : text_(text),
        document_(document),
        selection_(selection),
        urls_(environment, project_.private_urls) {}

  Result<ProjectRequirements> Project() {
    const Value* const table = document_.Find("project");
    KINETIC_RETURN_IF_ERROR(CheckTable(table));
    if (const Value* name = table->Find("name"); name != nullptr && name->AsString() != nullptr) {
      project_.name = NormalizedName(*name->AsString());
    }
    KINETIC_RETURN_IF_ERROR(RequiresPython(*table));
    KINETIC_RETURN_IF_ERROR(ReadList(table->Find("dependencies"), "project.dependencies"));
    project_.dependencies = project_.requirements;
    for (const auto& extra : selection_.extras) KINETIC_RETURN_IF_ERROR(Extra(extra));
    for (const auto& group : selection_.groups) KINETIC_RETURN_IF_ERROR(Group(group));
    return Finish();
  }

  Result<ProjectRequirements> Script() {
    if (!selection_.extras.empty() || !selection_.groups.empty()) {
      return Invalid("dependencies: " + selection_.file +
                     " is a script, which has no extras or groups");
    }
    KINETIC_RETURN_IF_ERROR(RequiresPython(document_));
    KINETIC_RETURN_IF_ERROR(ReadList(document_.Find("dependencies"), "dependencies"));
    project_.dependencies = project_.requirements;
    return Finish();
  }

 private:
  Status CheckTable(const Value* table) {
    const std::string& file = selection_.file;
    if (table == nullptr || table->AsMap() == nullptr) {
      const Value* const tool = document_.Find("tool");
      if (tool != nullptr && tool->Find("poetry") != nullptr) {
        return Invalid(file + ": dependencies in Poetry's table are not supported",
                       "move them to [project] dependencies, or run "
                       "'poetry export -o requirements.txt'");
      }
      return Invalid(file + " has no [project] table", "use a requirements.txt instead");
    }
    const Value* const dynamic = table->Find("dynamic");
    if (dynamic == nullptr || dynamic->AsList() == nullptr) return {};
    for (const Value& field : *dynamic->AsList()) {
      if (field == Value("dependencies") || field == Value("optional-dependencies")) {
        return Invalid(PositionOf(text_, *field.AsString(), file) + ": the " + *field.AsString() +
                           " are dynamic, which is not supported",
                       "list them in [project], or use a requirements.txt");
      }
    }
    return {};
  }

  Status RequiresPython(const Value& table) {
    const Value* const required = table.Find("requires-python");
    if (required == nullptr) return {};
    if (required->AsString() == nullptr) {
      return Invalid(selection_.file + ": requires-python: expected a string");
    }
    const std::string& specifier = *required->AsString();
    return CheckRequiresPython(specifier, selection_.python,
                               PositionOf(text_, "requires-python", selection_.file));
  }

  Status ReadList(const Value* list, const std::string& where) {
    if (list == nullptr) return {};
    if (list->AsList() == nullptr) {
      return Invalid(selection_.file + ": " + where + ": expected a list, found " +
                     std::string(json::KindOf(*list)));
    }
    for (const Value& item : *list->AsList()) KINETIC_RETURN_IF_ERROR(ReadOne(item, where));
    return {};
  }

  Status ReadOne(const Value& item, const std::string& where) {
    if (item.AsString() == nullptr) {
      return Invalid(selection_.file + ": " + where + ": expected a string, found " +
                     std::string(json::KindOf(item)));
    }
    auto requirement = Parse(*item.AsString());
    if (!requirement) {
      return Failure(
          std::move(requirement)
              .error()
              .Context(PositionOf(text_, *item.AsString(), selection_.file) + ": " + where));
    }
    if (!project_.name.empty() && requirement->name == project_.name) {
      for (const auto& extra : requirement->extras) KINETIC_RETURN_IF_ERROR(Extra(extra));
      return {};
    }
    project_.requirements.push_back(*std::move(requirement));
    return {};
  }

  Result<Requirement> Parse(std::string_view text) {
    auto requirement = Requirement::Parse(text);
    if (!requirement) {
      Error error = std::move(requirement).error();
      error.message = WithoutCredentials(error.message);
      return Failure(std::move(error));
    }
    if (!requirement->url.empty()) {
      KINETIC_ASSIGN_OR_RETURN(requirement->url, urls_.Archive(requirement->url));
    }
    return requirement;
  }

  /// Returns the field of a table whose normalized name is equal.
  static const Value* FindNormalized(const Value* table, const std::string& name) {
    if (table == nullptr || table->AsMap() == nullptr) return nullptr;
    for (const auto& [key, value] : *table->AsMap()) {
      if (NormalizedName(key) == name) return &value;
    }
    return nullptr;
  }

  Failure Missing(const std::string& kind, const std::string& name, const Value* table) const {
    std::vector<std::string> names;
    if (table != nullptr && table->AsMap() != nullptr) {
      for (const auto& [key, value] : *table->AsMap()) names.push_back(key);
    }
    const auto nearest = Nearest(name, names);
    return Invalid(selection_.file + ": unknown " + kind + " '" + Printable(name) + "'" +
                       (nearest ? "; did you mean '" + *nearest + "'" : ""),
                   names.empty() ? "" : "available: " + Join(names, ", "));
  }

  Status Extra(const std::string& written) {
    const std::string name = NormalizedName(written);
    if (!extras_.insert(name).second) return {};
    const Value* const table = document_.Find("project")->Find("optional-dependencies");
    const Value* const list = FindNormalized(table, name);
    if (list == nullptr) return Missing("extra", written, table);
    return ReadList(list, "project.optional-dependencies." + name);
  }

  Status Group(const std::string& written) {
    const std::string name = NormalizedName(written);
    if (std::find(open_groups_.begin(), open_groups_.end(), name) != open_groups_.end()) {
      return Invalid(selection_.file + ": dependency groups include each other: " +
                     Join(open_groups_, " → ") + " → " + name);
    }
    if (!groups_.insert(name).second) return {};
    const Value* const table = document_.Find("dependency-groups");
    const Value* const list = FindNormalized(table, name);
    if (list == nullptr || list->AsList() == nullptr) {
      return Missing("dependency group", written, table);
    }
    open_groups_.push_back(name);
    for (const Value& item : *list->AsList()) {
      const Value* const included = item.Find("include-group");
      const bool include = included != nullptr && included->AsString() != nullptr;
      KINETIC_RETURN_IF_ERROR(include ? Group(*included->AsString())
                                      : ReadOne(item, "dependency-groups." + name));
    }
    open_groups_.pop_back();
    return {};
  }

  Result<ProjectRequirements> Finish() {
    KINETIC_ASSIGN_OR_RETURN(auto constraints,
                             ReadUvSettings(document_, selection_.file, urls_, project_));
    for (const auto& text : constraints) {
      KINETIC_ASSIGN_OR_RETURN(Requirement constraint, Parse(text));
      project_.constraints.push_back(std::move(constraint));
    }
    return std::move(project_);
  }

  std::string_view text_;
  const Value& document_;
  const ProjectSelection& selection_;
  ProjectRequirements project_;
  UrlReader urls_;
  std::set<std::string> extras_;
  std::set<std::string> groups_;
  std::vector<std::string> open_groups_;
};

}  // namespace

bool HasProject(const Value& document) {
  const Value* const project = document.Find("project");
  return project != nullptr && project->AsMap() != nullptr;
}

Status CheckRequiresPython(std::string_view specifier, std::string_view python,
                           std::string_view file) {
  const auto set = SpecifierSet::Parse(specifier);
  if (!set) {
    return Failure(Error(set.error()).Context(std::string(file) + ": requires-python"));
  }
  if (python.empty()) return {};
  // The patch version is unknown here: check the lowest and a very high one.
  const std::string minor(python);
  for (const std::string_view patch : {"", ".0", ".999"}) {
    const auto version = Version::Parse(minor + std::string(patch));
    if (version && set->Matches(*version)) return {};
  }
  return Fail(ErrorCode::kInvalidArgument,
              std::string(file) + ": requires-python is '" + std::string(specifier) +
                  "', but the job uses Python " + minor,
              "set another version with `python:` in the job file or --python");
}

Result<ProjectRequirements> ReadProject(std::string_view text, const Value& document,
                                        const ProjectSelection& selection,
                                        const std::map<std::string, std::string>& environment) {
  return ProjectReader(text, document, selection, environment).Project();
}

Result<ProjectRequirements> ReadScriptProject(
    std::string_view text, const Value& document, const ProjectSelection& selection,
    const std::map<std::string, std::string>& environment) {
  return ProjectReader(text, document, selection, environment).Script();
}

}  // namespace kinetic::env
