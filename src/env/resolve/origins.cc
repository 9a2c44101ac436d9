#include "env/resolve/origins.h"

#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "base/python/names.h"
#include "base/random.h"
#include "base/strings.h"
#include "env/dependencies/urls.h"
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

/// Returns where a dependency file requires a package, "requirements.txt:3: numpy>=2", or an empty
/// string.
std::string RequirementOf(const Manifest& manifest, const std::string& package) {
  const std::string position = manifest.PositionOf(package);
  for (const auto& line : manifest.requirements) {
    if (NameOfRequirement(line) == package) return position + ": " + line;
  }
  return manifest.IsExported() || manifest.kind == ManifestKind::kPylock ? position : "";
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
                         .version = package.url.empty() ? package.version : package.url,
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
    if (is_direct) origin.requirement = RequirementOf(manifest_, name);
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
  const std::string name = NormalizedName(package);
  if (std::ranges::find(lock.packages, name, &LockedPackage::name) == lock.packages.end()) {
    return Fail(ErrorCode::kNotFound,
                "the lock of " + Printable(manifest.source.filename().native()) +
                    " does not contain " + Printable(name),
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
  origins.Add(name);
  return origins.Take();
}

}  // namespace kinetic::env
