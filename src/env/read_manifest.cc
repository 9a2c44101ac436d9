#include "base/strings.h"
#include "base/try.h"
#include "env/manifest.h"
#include "env/names.h"
#include "env/pyproject.h"
#include "env/requirements_file.h"
#include "env/script_metadata.h"
#include "env/uv_lock.h"
#include "json/toml.h"

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

template <typename T>
void Append(std::vector<T>& list, const std::vector<T>& more) {
  for (const auto& one : more) {
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  }
}

/// What a file says about indexes, over what the environment says.
void Merge(IndexSettings& index, const IndexSettings& from_file) {
  if (!from_file.url.empty()) index.url = from_file.url;
  Append(index.extra_urls, from_file.extra_urls);
  Append(index.find_links, from_file.find_links);
  Append(index.trusted_hosts, from_file.trusted_hosts);
  index.no_binary = from_file.no_binary;
  index.only_binary = from_file.only_binary;
  index.no_index = from_file.no_index;
  index.prefer_binary = from_file.prefer_binary;
  index.pre = from_file.pre;
}

class ManifestReader {
 public:
  ManifestReader(FileSystem& fs, const ManifestOptions& options) : fs_(fs), options_(options) {
    manifest_.python = options.python;
    manifest_.platform = options.platform;
    manifest_.accelerator = options.accelerator;
    manifest_.base_image = options.base_image;
    manifest_.extras = NormalizedNames(options.spec.extras);
    manifest_.groups = NormalizedNames(options.spec.groups);
    manifest_.index = IndexFromEnvironment(options.environment, manifest_.private_urls);
  }

  Result<Manifest> Read() {
    KINETIC_RETURN_IF_ERROR(ReadSource());
    const bool selects = !manifest_.extras.empty() || !manifest_.groups.empty();
    if (selects && manifest_.kind != ManifestKind::kPyproject &&
        manifest_.kind != ManifestKind::kUvLock) {
      return Fail(ErrorCode::kInvalidArgument,
                  "dependencies: extras and groups are chosen, but the packages are not those of a "
                  "pyproject.toml (" +
                      std::string(Name(manifest_.kind)) + ")");
    }
    if (own_lock_) {
      KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(manifest_.source));
      own_lock_->manifest_key = manifest_.Key();
      own_lock_->python = manifest_.python;
      own_lock_->platform = manifest_.platform;
      own_lock_->index = manifest_.index;
      own_lock_->resolved_at = FromNanos(status.mtime_ns);
      own_lock_->resolver = Printable(manifest_.source.filename().native());
      manifest_.own_lock = std::move(own_lock_);
    }
    return std::move(manifest_);
  }

 private:
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
    for (Path folder = options_.directory.lexically_normal();; folder = folder.parent_path()) {
      KINETIC_ASSIGN_OR_RETURN(const bool found, ReadFolder(folder));
      if (found || !GoesUpFrom(folder)) return {};
    }
  }

  bool GoesUpFrom(const Path& folder) const {
    const Path bound = options_.bound.lexically_normal();
    const Path relative = folder.lexically_relative(bound);
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
                  Shown(file) + " has no inline script metadata ('# /// script')");
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
      manifest_.warnings.push_back(Shown(folder / "pyproject.toml") +
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

  static std::string Shown(const Path& path) { return Printable(path.filename().native()); }

  struct Toml {
    std::string text;
    Value document;
  };

  Result<Toml> ReadToml(const Path& path) {
    Toml toml;
    KINETIC_ASSIGN_OR_RETURN(toml.text, ReadFile(fs_, path, kMaxFileBytes));
    auto document = json::ParseToml(toml.text);
    if (!document) return Failure(AtPlace(std::move(document).error(), Shown(path)));
    toml.document = *std::move(document);
    return toml;
  }

  static Error AtPlace(Error error, std::string place) {
    for (const std::string_view part : {"line", "column"}) {
      for (const auto& [key, value] : error.details) {
        if (key == part) place += ":" + value;
      }
    }
    return std::move(error).Context(place);
  }

  ProjectSelection Selection(const Path& path) const {
    return {Shown(path), options_.spec.extras, options_.spec.groups, options_.python};
  }

  void Take(ProjectRequirements project) {
    manifest_.requirements = Canonical(project.requirements);
    manifest_.constraints = Canonical(project.constraints);
    manifest_.private_urls.merge(project.private_urls);
    Merge(manifest_.index, project.index);
  }

  Status ReadProjectFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const Toml toml, ReadToml(path));
    KINETIC_ASSIGN_OR_RETURN(
        auto project, ReadProject(toml.text, toml.document, Selection(path), options_.environment));
    manifest_.kind = ManifestKind::kPyproject;
    manifest_.source = path;
    Take(std::move(project));
    return {};
  }

  Result<bool> ReadScriptFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs_, path, kMaxFileBytes));
    auto metadata = ScriptMetadata(text);
    if (!metadata) return Failure(std::move(metadata).error().Context(Shown(path)));
    if (!*metadata) return false;
    auto document = json::ParseToml(**metadata);
    if (!document) {
      return Failure(std::move(document).error().Context(Shown(path) + ": script metadata"));
    }
    KINETIC_ASSIGN_OR_RETURN(auto script,
                             ReadScript(text, *document, Selection(path), options_.environment));
    manifest_.kind = ManifestKind::kScript;
    manifest_.source = path;
    Take(std::move(script));
    return true;
  }

  Status ReadRequirementsFile(const Path& path) {
    const TextSource source = [&](const Path& file) { return ReadFile(fs_, file, kMaxFileBytes); };
    KINETIC_ASSIGN_OR_RETURN(RequirementsFile file,
                             ReadRequirements(path, source, options_.environment));
    manifest_.kind = ManifestKind::kRequirements;
    manifest_.source = path;
    manifest_.requirements = Canonical(file.requirements);
    manifest_.constraints = Canonical(file.constraints);
    manifest_.private_urls.merge(file.private_urls);
    Merge(manifest_.index, file.index);
    if (file.require_hashes) return LockOfHashed(file.requirements);
    return {};
  }

  /// Requirements with hashes are all pinned: the reader has seen to it.
  Status LockOfHashed(const std::vector<Requirement>& requirements) {
    const auto environment = MarkerEnvironment::For(options_.python, options_.platform);
    Lock lock;
    for (const auto& one : requirements) {
      if (!one.AppliesTo(environment)) continue;
      LockedPackage package{one.name, one.specifier.Pinned().value_or(""), one.url, one.hashes};
      const auto same = std::find_if(lock.packages.begin(), lock.packages.end(),
                                     [&](const auto& other) { return other.name == one.name; });
      if (same == lock.packages.end()) {
        lock.packages.push_back(std::move(package));
      } else if (!(*same == package)) {
        return Fail(ErrorCode::kInvalidArgument, Shown(manifest_.source) + ": " + one.name +
                                                     " is wanted twice: as " + same->version +
                                                     " and as " + package.version);
      }
    }
    std::sort(lock.packages.begin(), lock.packages.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    own_lock_ = std::move(lock);
    return {};
  }

  Status ReadProjectFolder(const Path& folder) {
    const Path lock_path = folder / "uv.lock";
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs_, lock_path, kMaxFileBytes));
    KINETIC_ASSIGN_OR_RETURN(const Toml toml, ReadToml(folder / "pyproject.toml"));
    // Extras and groups are the lock's business; here the project's own list is wanted.
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
    TakeRegistries(std::move(packages.registries));
    own_lock_.emplace();
    own_lock_->packages = std::move(packages.packages);
    return {};
  }

  /// The lock's own registries, unless the caller's environment names a mirror.
  void TakeRegistries(std::vector<std::string> registries) {
    auto& index = manifest_.index;
    for (auto& url : registries) {
      if (index.url.empty()) {
        index.url = std::move(url);
      } else if (index.url != url) {
        Append(index.extra_urls, {url});
      }
    }
  }

  FileSystem& fs_;
  const ManifestOptions& options_;
  Manifest manifest_;
  std::optional<Lock> own_lock_;
};

}  // namespace

Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options) {
  return ManifestReader(fs, options).Read();
}

}  // namespace kinetic::env
