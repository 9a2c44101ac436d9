#include "env/resolve/origins.h"

#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "base/python/names.h"
#include "base/random.h"
#include "base/strings.h"
#include "env/dependencies/direct_reference.h"
#include "env/dependencies/urls.h"
#include "env/dependencies/workspace.h"
#include "env/install/log.h"
#include "env/resolve/annotations.h"
#include "env/resolve/uv_command.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::env {
namespace {

/// Returns the output of uv for the packages of a lock.
Result<std::string> Annotate(const Manifest& manifest, const Lock& lock, const ToolOptions& tools,
                             InstallerLog& log, std::stop_token stop) {
  std::optional<TargetPlatform> target;
  if (manifest.for_pod) {
    KINETIC_ASSIGN_OR_RETURN(target, TargetPlatform::For(manifest.python, manifest.platform));
  }
  const Path parent = tools.cache_dir / "tmp";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, parent));
  KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools.fs, parent, "why-"));
  UvCommands uv(manifest, tools, target, folder.path(), log, std::move(stop));
  KINETIC_RETURN_IF_ERROR(uv.Find());
  return uv.Annotate(lock);
}

/// Returns whether two paths are the same folder: "./lib", "lib/".
bool IsSamePath(const Path& a, const Path& b) {
  return (a / "").lexically_normal() == (b / "").lexically_normal();
}

/// Returns whether a line of a requirements file requires a package by its path.
bool RequiresPath(const std::string& line, const LockedPackage& package) {
  const DirectReference reference = ParseDirectReference(line);
  return reference.name.empty() && !package.url.empty() &&
         IsSamePath(PathIn(reference.place), PathIn(package.url));
}

/// Returns where a dependency file requires a package, "requirements.txt:3: numpy>=2", or an empty
/// string.
std::string RequirementOf(const Manifest& manifest, const LockedPackage& package) {
  const std::string position = manifest.PositionOf(package.name);
  for (const auto& line : manifest.requirements) {
    if (NameOfRequirement(line) == package.name || RequiresPath(line, package))
      return position + ": " + line;
  }
  return manifest.IsExported() || manifest.kind == ManifestKind::kPylock ? position : "";
}

/// Returns the version of a package, or where it comes from: a URL, or "./lib".
std::string VersionOf(const LockedPackage& package) {
  if (package.url.empty()) return package.version;
  const bool is_url = package.url.find(':') != std::string::npos;
  return is_url || package.url.starts_with('/') || package.url.starts_with('.')
             ? package.url
             : "./" + package.url;
}

/// Returns the package of a lock with a name, or from a path, or null.
const LockedPackage* FindPackage(const Lock& lock, std::string_view word) {
  const std::string name = NormalizedName(word);
  const auto is_meant = [&](const LockedPackage& package) {
    if (package.name == name) return true;
    return word.find('/') != std::string_view::npos && !package.url.empty() &&
           IsSamePath(PathIn(word), PathIn(package.url));
  };
  const auto found = std::ranges::find_if(lock.packages, is_meant);
  return found == lock.packages.end() ? nullptr : &*found;
}

/// Returns whether a name is that of the project in the manifest's folder.
bool IsProject(const Manifest& manifest, const ToolOptions& tools, std::string_view name) {
  const auto document = ReadTomlIfValid(*tools.fs, manifest.Folder() / "pyproject.toml");
  const Value* const project = document ? document->Find("project") : nullptr;
  const Value* const own = project == nullptr ? nullptr : project->Find("name");
  return own != nullptr && own->AsString() != nullptr && NormalizedName(*own->AsString()) == name;
}

class Origins {
 public:
  Origins(const Manifest& manifest, const Lock& lock, std::map<std::string, Annotation> annotations)
      : manifest_(manifest), annotations_(std::move(annotations)) {
    for (const auto& package : lock.packages) packages_[package.name] = &package;
  }

  /// Adds a package, and then the packages that require it, each once.
  void Add(const std::string& name) {
    const auto [at, is_new] = added_.insert(name);
    if (!is_new) return;
    const LockedPackage& package = *packages_.at(name);
    const Annotation& annotation = annotations_[name];
    PackageOrigin origin{.name = name,
                         .version = VersionOf(package),
                         .index = annotation.index,
                         .required_by = {},
                         .requirement = {}};
    bool is_direct = annotation.via.empty();
    for (const auto& via : annotation.via) {
      const std::string parent = NameOfRequirement(via);
      if (packages_.contains(parent) && via.find(' ') == std::string::npos) {
        origin.required_by.push_back(parent);
      } else {
        is_direct = is_direct || !via.starts_with("-c ");
      }
    }
    if (is_direct) origin.requirement = RequirementOf(manifest_, package);
    const auto parents = origin.required_by;
    found_.push_back(std::move(origin));
    for (const auto& parent : parents) Add(parent);
  }

  std::vector<PackageOrigin> Take() { return std::move(found_); }

 private:
  const Manifest& manifest_;
  std::map<std::string, Annotation> annotations_;
  std::map<std::string, const LockedPackage*> packages_;
  std::set<std::string> added_;
  std::vector<PackageOrigin> found_;
};

}  // namespace

Result<std::vector<PackageOrigin>> FindOrigins(const Manifest& manifest, const Lock& lock,
                                               const ToolOptions& tools, std::string_view package,
                                               std::stop_token stop) {
  const LockedPackage* const found = FindPackage(lock, package);
  if (found == nullptr && IsProject(manifest, tools, NormalizedName(package))) {
    return Fail(ErrorCode::kNotFound,
                Printable(package) + " is the project itself, not one of its packages",
                "each job gets it from the uploaded files");
  }
  if (found == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "the lock of " + Printable(manifest.source.filename().native()) +
                    " does not contain " + Printable(package),
                "list its packages with 'kinetic lock'");
  }
  const Path path = EnvironmentCacheLayout{tools.cache_dir}.Logs() / ("why-" + RandomId() + ".log");
  KINETIC_ASSIGN_OR_RETURN(
      InstallerLog log,
      InstallerLog::Create(*tools.fs, path, SecretsIn(manifest.private_urls), nullptr));
  auto text = Annotate(manifest, lock, tools, log, std::move(stop));
  log.Close(text ? nullptr : &text.error());
  KINETIC_RETURN_IF_ERROR(text);
  Origins origins(manifest, lock, ReadAnnotations(*text));
  origins.Add(found->name);
  return origins.Take();
}

}  // namespace kinetic::env
