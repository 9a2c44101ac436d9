#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/dependency_files.h"
#include "env/dependencies/manifest.h"
#include "env/dependencies/pyproject.h"
#include "env/dependencies/requirements.h"
#include "env/pep/requirement.h"
#include "json/parse.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxFileBytes = 16ULL << 20;

std::vector<std::string> NormalizedNames(const std::vector<std::string>& names) {
  std::vector<std::string> normal;
  normal.reserve(names.size());
  for (const auto& name : names) normal.push_back(NormalizedName(name));
  std::sort(normal.begin(), normal.end());
  normal.erase(std::unique(normal.begin(), normal.end()), normal.end());
  return normal;
}

std::vector<std::string> Canonical(const std::vector<Requirement>& requirements) {
  std::vector<std::string> lines;
  lines.reserve(requirements.size());
  for (const auto& requirement : requirements) lines.push_back(requirement.ToString());
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

class ManifestReader {
 public:
  ManifestReader(FileSystem& fs, const ManifestOptions& options) : fs_(fs), options_(options) {
    manifest_.python = options.python;
    manifest_.platform = options.platform;
    manifest_.accelerator = options.accelerator;
    manifest_.base_image = options.base_image;
    manifest_.for_pod = options.for_pod;
    manifest_.extras = NormalizedNames(options.spec.extras);
    manifest_.groups = NormalizedNames(options.spec.groups);
    manifest_.index = IndexSettingsFromEnvironment(options.environment, manifest_.private_urls);
  }

  Result<Manifest> Read() {
    KINETIC_RETURN_IF_ERROR(ReadSource());
    const bool selects = !manifest_.extras.empty() || !manifest_.groups.empty();
    if (selects && manifest_.kind != ManifestKind::kPyproject &&
        manifest_.kind != ManifestKind::kUvLock) {
      return Fail(ErrorCode::kInvalidArgument,
                  "dependencies: extras and groups require a pyproject.toml (found: " +
                      std::string(Name(manifest_.kind)) + ")");
    }
    if (options_.for_pod) {
      if (auto restricted = RequireWheels(manifest_.index); !restricted)
        return AtSource(restricted.error());
      if (embedded_lock_) KINETIC_RETURN_IF_ERROR(CheckUrls(embedded_lock_->packages));
    }
    if (embedded_lock_) {
      KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(manifest_.source));
      embedded_lock_->manifest_key = manifest_.Key();
      embedded_lock_->python = manifest_.python;
      embedded_lock_->platform = manifest_.platform;
      embedded_lock_->index = manifest_.index;
      embedded_lock_->resolved_at = FromNanos(status.mtime_ns);
      embedded_lock_->resolver = Printable(manifest_.source.filename().native());
      manifest_.embedded_lock = std::move(embedded_lock_);
    }
    return std::move(manifest_);
  }

 private:
  Failure AtSource(Error error) const {
    return Failure(std::move(error).Context(FileName(manifest_.source)));
  }

  /// Checks that direct references are wheels, as pods need.
  template <typename List>
  Status CheckUrls(const List& packages) const {
    for (const auto& one : packages) {
      if (auto wheel = CheckWheelUrl(one.name, one.url); !wheel) return AtSource(wheel.error());
    }
    return {};
  }

  static WallTime FromNanos(std::int64_t nanos) {
    return WallTime(
        std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(nanos)));
  }

  Status ReadSource() {
    if (options_.spec.none) return {};
    if (options_.spec.file) return ReadNamed(*options_.spec.file);
    if (options_.script) {
      KINETIC_ASSIGN_OR_RETURN(const bool has, ReadScriptFile(*options_.script));
      if (has) return {};
    }
    for (Path folder = options_.search_start.lexically_normal();; folder = folder.parent_path()) {
      KINETIC_ASSIGN_OR_RETURN(const bool found, ReadFolder(folder));
      if (found || !SearchesParentOf(folder)) return {};
    }
  }

  bool SearchesParentOf(const Path& folder) const {
    const Path root = options_.search_root.lexically_normal();
    const Path relative = folder.lexically_relative(root);
    return !relative.empty() && relative != "." && *relative.begin() != "..";
  }

  Status ReadNamed(const Path& file) {
    const std::string extension = ToLower(file.extension().native());
    if (file.filename() == "uv.lock") return ReadProjectFolder(file.parent_path());
    if (extension == ".toml") {
      KINETIC_ASSIGN_OR_RETURN(const bool locked, Exists(file.parent_path() / "uv.lock"));
      if (locked && file.filename() == "pyproject.toml") {
        return ReadProjectFolder(file.parent_path());
      }
      return ReadProjectFile(file);
    }
    if (extension == ".py") {
      KINETIC_ASSIGN_OR_RETURN(const bool has, ReadScriptFile(file));
      if (has) return {};
      return Fail(ErrorCode::kInvalidArgument,
                  FileName(file) + " has no inline script metadata ('# /// script')");
    }
    return ReadRequirementsFile(file);
  }

  Result<bool> ReadFolder(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(const bool project, Exists(folder / "pyproject.toml"));
    KINETIC_ASSIGN_OR_RETURN(const bool locked, Exists(folder / "uv.lock"));
    if (project && locked) {
      KINETIC_RETURN_IF_ERROR(ReadProjectFolder(folder));
      return true;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool requirements, Exists(folder / "requirements.txt"));
    if (requirements) {
      KINETIC_RETURN_IF_ERROR(ReadRequirementsFile(folder / "requirements.txt"));
      return true;
    }
    if (!project) return false;
    KINETIC_ASSIGN_OR_RETURN(const Toml toml, ReadToml(folder / "pyproject.toml"));
    if (!HasProject(toml.document)) {
      manifest_.warnings.push_back(FileName(folder / "pyproject.toml") +
                                   " has no [project] table and is not used for dependencies");
      return false;
    }
    KINETIC_RETURN_IF_ERROR(ReadProjectFile(folder / "pyproject.toml"));
    return true;
  }

  Result<bool> Exists(const Path& path) {
    const auto status = fs_.Lstat(path);
    if (status) return status->type != FileType::kDirectory;
    if (status.error().code == ErrorCode::kNotFound) return false;
    return Failure(status.error());
  }

  static std::string FileName(const Path& path) { return Printable(path.filename().native()); }

  struct Toml {
    std::string text;
    Value document;
  };

  Result<Toml> ReadToml(const Path& path) {
    Toml toml;
    KINETIC_ASSIGN_OR_RETURN(toml.text, ReadRegularFile(fs_, path, kMaxFileBytes));
    auto document = json::ParseToml(toml.text);
    if (!document) return Failure(WithPosition(std::move(document).error(), FileName(path)));
    toml.document = *std::move(document);
    return toml;
  }

  static Error WithPosition(Error error, std::string position) {
    for (const std::string_view part : {"line", "column"}) {
      for (const auto& [key, value] : error.details) {
        if (key == part) position += ":" + value;
      }
    }
    return std::move(error).Context(position);
  }

  ProjectSelection Selection(const Path& path) const {
    return {FileName(path), options_.spec.extras, options_.spec.groups, options_.python};
  }

  /// Returns the requirements, for a pod with the extras of its accelerator.
  Result<std::vector<std::string>> CanonicalRequirements(
      std::vector<Requirement> requirements) const {
    if (!options_.for_pod) return Canonical(requirements);
    KINETIC_RETURN_IF_ERROR(CheckUrls(requirements));
    AddAcceleratorExtras(requirements, options_.accelerator);
    return Canonical(requirements);
  }

  Status Add(ProjectRequirements project) {
    KINETIC_ASSIGN_OR_RETURN(manifest_.requirements,
                             CanonicalRequirements(std::move(project.requirements)));
    manifest_.constraints = Canonical(project.constraints);
    manifest_.private_urls.merge(project.private_urls);
    MergeIndexSettings(manifest_.index, project.index);
    return {};
  }

  Status ReadProjectFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const Toml toml, ReadToml(path));
    KINETIC_ASSIGN_OR_RETURN(
        auto project, ReadProject(toml.text, toml.document, Selection(path), options_.environment));
    manifest_.kind = ManifestKind::kPyproject;
    manifest_.source = path;
    return Add(std::move(project));
  }

  Result<bool> ReadScriptFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(fs_, path, kMaxFileBytes));
    auto metadata = ExtractScriptMetadata(text);
    if (!metadata) return Failure(std::move(metadata).error().Context(FileName(path)));
    if (!*metadata) return false;
    auto document = json::ParseToml(**metadata);
    if (!document) {
      return Failure(std::move(document).error().Context(FileName(path) + ": script metadata"));
    }
    KINETIC_ASSIGN_OR_RETURN(
        auto script, ReadScriptProject(text, *document, Selection(path), options_.environment));
    manifest_.kind = ManifestKind::kScript;
    manifest_.source = path;
    KINETIC_RETURN_IF_ERROR(Add(std::move(script)));
    return true;
  }

  Status ReadRequirementsFile(const Path& path) {
    const ReadFileFunction source = [&](const Path& file) {
      return ReadRegularFile(fs_, file, kMaxFileBytes);
    };
    KINETIC_ASSIGN_OR_RETURN(RequirementsFile file,
                             ReadRequirements(path, source, options_.environment));
    manifest_.kind = ManifestKind::kRequirements;
    manifest_.source = path;
    if (file.require_hashes) {
      manifest_.requirements = Canonical(file.requirements);
    } else {
      KINETIC_ASSIGN_OR_RETURN(manifest_.requirements, CanonicalRequirements(file.requirements));
    }
    manifest_.constraints = Canonical(file.constraints);
    manifest_.private_urls.merge(file.private_urls);
    MergeIndexSettings(manifest_.index, file.index);
    if (!file.require_hashes) return {};
    auto lock = LockFromHashedRequirements(
        file.requirements, MarkerEnvironment::For(options_.python, options_.platform));
    if (!lock) return AtSource(lock.error());
    embedded_lock_ = *std::move(lock);
    return {};
  }

  Status ReadProjectFolder(const Path& folder) {
    const Path lock_path = folder / "uv.lock";
    KINETIC_ASSIGN_OR_RETURN(const std::string text,
                             ReadRegularFile(fs_, lock_path, kMaxFileBytes));
    KINETIC_ASSIGN_OR_RETURN(const Toml toml, ReadToml(folder / "pyproject.toml"));
    // Extras and groups are in the lock; only the project's own dependencies are compared.
    ProjectSelection selection = Selection(folder / "pyproject.toml");
    selection.extras.clear();
    selection.groups.clear();
    Value document = toml.document;
    document.Set("tool", Value());
    KINETIC_ASSIGN_OR_RETURN(auto project,
                             ReadProject(toml.text, document, selection, options_.environment));
    KINETIC_ASSIGN_OR_RETURN(
        UvPackages packages,
        ReadUvLock(text, {options_.spec.extras, options_.spec.groups, options_.python,
                          options_.platform, std::move(project.dependencies)}));
    manifest_.kind = ManifestKind::kUvLock;
    manifest_.source = lock_path;
    for (const auto& package : packages.packages) {
      manifest_.requirements.push_back(
          package.name + (package.url.empty() ? "==" + package.version : " @ " + package.url) +
          " --hash=" + Join(package.hashes, " --hash="));
    }
    manifest_.private_urls.merge(packages.private_urls);
    AddRegistries(std::move(packages.registries));
    embedded_lock_.emplace();
    embedded_lock_->packages = std::move(packages.packages);
    return {};
  }

  /// Uses the lock's registries, unless the caller's environment sets an index.
  void AddRegistries(std::vector<std::string> registries) {
    auto& index = manifest_.index;
    for (auto& url : registries) {
      if (index.url.empty()) {
        index.url = std::move(url);
      } else if (index.url != url) {
        AddUrl(index.extra_urls, url);
      }
    }
  }

  FileSystem& fs_;
  const ManifestOptions& options_;
  Manifest manifest_;
  std::optional<Lock> embedded_lock_;
};

}  // namespace

Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options) {
  return ManifestReader(fs, options).Read();
}

}  // namespace kinetic::env
