#include "kinetic/try.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/dependencies/manifest.h"
#include "env/dependencies/manifest_build.h"
#include "env/dependencies/project_folder.h"
#include "env/dependencies/project_lines.h"
#include "env/dependencies/pylock.h"
#include "env/dependencies/requirement_lines.h"
#include "env/dependencies/script_metadata.h"
#include "env/dependencies/uv_settings.h"
#include "env/dependencies/uv_variables.h"
#include "env/dependencies/workspace.h"
#include "json/document.h"
#include "json/parse.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::env {
namespace {

std::vector<std::string> NormalizedNames(const std::vector<std::string>& names) {
  std::vector<std::string> normal;
  normal.reserve(names.size());
  for (const auto& name : names) normal.push_back(NormalizedName(name));
  std::sort(normal.begin(), normal.end());
  normal.erase(std::unique(normal.begin(), normal.end()), normal.end());
  return normal;
}

bool IsPylock(std::string_view name) {
  return name.starts_with("pylock.") && name.ends_with(".toml");
}

class ManifestReader {
 public:
  ManifestReader(FileSystem& fs, const ManifestOptions& options)
      : fs_(fs),
        options_(options),
        urls_(options.variables, manifest_.private_urls),
        build_{fs, urls_, manifest_, options.variables} {
    manifest_.python = options.python;
    manifest_.platform = options.platform;
    manifest_.accelerator = options.accelerator;
    manifest_.base_image = options.base_image;
    manifest_.for_pod = options.for_pod;
    manifest_.extras = NormalizedNames(options.spec.extras);
    manifest_.groups = NormalizedNames(options.spec.groups);
    manifest_.caller_index =
        IndexSettingsFromEnvironment(options.variables.environment, manifest_.private_urls);
  }

  Result<Manifest> Read() {
    KINETIC_RETURN_IF_ERROR(ReadSource());
    const bool selects = !manifest_.extras.empty() || !manifest_.groups.empty();
    if (selects && manifest_.kind != ManifestKind::kPyproject &&
        manifest_.kind != ManifestKind::kUvLock && manifest_.kind != ManifestKind::kSetup) {
      return Fail(ErrorCode::kInvalidArgument,
                  "dependencies: extras and groups require a pyproject.toml (found: " +
                      std::string(Name(manifest_.kind)) + ")");
    }
    if (options_.for_pod) {
      manifest_.index.only_binary = {":all:"};
      if (!manifest_.is_lock) AddAcceleratorExtras();
    }
    AddCallersIndexes();
    AddWarnings();
    return std::move(manifest_);
  }

 private:
  /// Files take precedence over the caller's environment.
  void AddCallersIndexes() {
    IndexSettings& caller = manifest_.caller_index;
    if (!manifest_.index.url.empty()) caller.url.clear();
    if (manifest_.index.url.empty()) manifest_.index.url = caller.url;
    for (const auto& url : caller.extra_urls) AddUrl(manifest_.index.extra_urls, url);
    caller.trusted_hosts = manifest_.index.trusted_hosts;
  }

  void AddWarnings() {
    if (manifest_.Empty()) return;
    const std::string variables = UnusedUvVariables(options_.variables.environment);
    if (!variables.empty()) {
      manifest_.warnings.push_back(variables +
                                   " would not apply to other users of the store and is not used; "
                                   "set it in uv.toml or [tool.uv]");
    }
    for (const DependencyFile& file : manifest_.files) WarnOfPassword(file);
  }

  void WarnOfPassword(const DependencyFile& file) {
    int number = 0;
    for (const std::string_view line : Split(file.text, '\n')) {
      ++number;
      const bool is_code = manifest_.kind == ManifestKind::kScript && !line.starts_with('#');
      if (is_code || !HasPassword(line)) continue;
      manifest_.warnings.push_back(
          FileName(file.path) + ":" + std::to_string(number) +
          " contains a password, which the store keeps with the code; use variables: "
          "https://${USER}:${PASSWORD}@host");
      return;
    }
  }

  /// `jax` becomes `jax[tpu]` or `jax[cuda12]`, unless it has extras.
  void AddAcceleratorExtras() {
    const std::string extra = options_.accelerator == "tpu"   ? "[tpu]"
                              : options_.accelerator == "gpu" ? "[cuda12]"
                                                              : "";
    constexpr std::string_view kJax = "jax";
    for (std::string& line : manifest_.requirements) {
      if (extra.empty() || NameOfRequirement(line) != kJax) continue;
      if (Trim(std::string_view(line).substr(kJax.size())).starts_with('[')) continue;
      const std::string before = line;
      line = std::string(kJax) + extra + line.substr(kJax.size());
      manifest_.added.emplace_back(before, line);
    }
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
    const std::string name = file.filename();
    const std::string extension = ToLower(file.extension().native());
    if (name == "uv.lock") return ReadUvLock(file.parent_path(), file);
    if (IsPylock(name)) return ReadPylockFile(file);
    if (name == "pyproject.toml") {
      KINETIC_ASSIGN_OR_RETURN(const auto lock, LockOf(file.parent_path()));
      return lock ? ReadUvLock(file.parent_path(), *lock) : ReadProjectFile(file);
    }
    if (extension == ".py") {
      KINETIC_ASSIGN_OR_RETURN(const bool has, ReadScriptFile(file));
      if (has) return {};
      if (name == "setup.py") return ReadSetupFile(file);
      return Fail(ErrorCode::kInvalidArgument,
                  FileName(file) + " has no inline script metadata ('# /// script')");
    }
    return ReadRequirementsFile(file);
  }

  Result<bool> ReadFolder(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(const bool project, Exists(folder / "pyproject.toml"));
    if (project) {
      KINETIC_ASSIGN_OR_RETURN(const auto lock, LockOf(folder));
      if (lock) return Done(ReadUvLock(folder, *lock));
    }
    KINETIC_ASSIGN_OR_RETURN(const bool pylock, Exists(folder / "pylock.toml"));
    if (pylock) return Done(ReadPylockFile(folder / "pylock.toml"));
    KINETIC_ASSIGN_OR_RETURN(const bool requirements, Exists(folder / "requirements.txt"));
    if (requirements) return Done(ReadRequirementsFile(folder / "requirements.txt"));
    std::string unused;
    if (project) {
      KINETIC_ASSIGN_OR_RETURN(const Value document, ReadToml(folder / "pyproject.toml"));
      if (HasProject(document)) return Done(AddProjectFile(folder / "pyproject.toml", document));
      manifest_.files.clear();
      unused = NoProjectTable(folder / "pyproject.toml", document);
    }
    KINETIC_ASSIGN_OR_RETURN(const bool setup, Exists(folder / "setup.py"));
    if (setup) return Done(ReadSetupFile(folder / "setup.py"));
    if (!unused.empty()) manifest_.warnings.push_back(std::move(unused));
    KINETIC_RETURN_IF_ERROR(WarnOfOtherTools(folder));
    return false;
  }

  static Result<bool> Done(const Status& status) {
    if (!status) return Failure(status.error());
    return true;
  }

  static std::string NoProjectTable(const Path& path, const Value& document) {
    const Value* const tool = document.Find("tool");
    const bool is_poetry = tool != nullptr && tool->Find("poetry") != nullptr;
    return FileName(path) + " has no [project] table and is not used for dependencies" +
           (is_poetry ? "; convert them with 'poetry export -o requirements.txt'" : "");
  }

  /// Warns of dependency files that uv does not read.
  Status WarnOfOtherTools(const Path& folder) {
    for (const auto& [name, command] :
         {std::pair{"Pipfile", "pipenv requirements > requirements.txt"},
          std::pair{"environment.yml", "conda run pip list --format freeze > requirements.txt"},
          std::pair{"environment.yaml", "conda run pip list --format freeze > requirements.txt"}}) {
      KINETIC_ASSIGN_OR_RETURN(const bool exists, Exists(folder / name));
      if (!exists) continue;
      manifest_.warnings.push_back(
          std::string(name) + " is not used for dependencies; convert it with '" + command + "'");
    }
    return {};
  }

  /// Returns the uv.lock of a project: its own, or that of its workspace.
  Result<std::optional<Path>> LockOf(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(const bool own, Exists(folder / "uv.lock"));
    if (own) return std::optional(folder / "uv.lock");
    const auto root = FindWorkspaceRoot(fs_, folder);
    if (!root || *root == folder) return std::optional<Path>();
    KINETIC_ASSIGN_OR_RETURN(const bool exists, Exists(*root / "uv.lock"));
    return exists ? std::optional(*root / "uv.lock") : std::nullopt;
  }

  Result<bool> Exists(const Path& path) {
    const auto status = fs_.Lstat(path);
    if (status) return status->type != FileType::kDirectory;
    if (status.error().code == ErrorCode::kNotFound) return false;
    return Failure(status.error());
  }

  static std::string FileName(const Path& path) { return Printable(path.filename().native()); }

  Result<Value> ReadToml(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadDependencyText(build_, path));
    auto document = json::ParseToml(text);
    if (!document) return Failure(WithPosition(std::move(document).error(), FileName(path)));
    return document;
  }

  static Error WithPosition(Error error, std::string position) {
    for (const std::string_view part : {"line", "column"}) {
      for (const auto& [key, value] : error.details) {
        if (key == part) position += ":" + value;
      }
    }
    return std::move(error).Context(position);
  }

  void SetSource(ManifestKind kind, const Path& path) {
    manifest_.kind = kind;
    manifest_.source = path;
  }

  Status ReadProjectFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const Value document, ReadToml(path));
    return AddProjectFile(path, document);
  }

  Status AddProjectFile(const Path& path, const Value& document) {
    SetSource(ManifestKind::kPyproject, path);
    KINETIC_RETURN_IF_ERROR(AddProject(build_, path, document));
    return AddFolderSettings(build_, path.parent_path());
  }

  Result<bool> ReadScriptFile(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadDependencyText(build_, path));
    auto metadata = ExtractScriptMetadata(text);
    if (!metadata) return Failure(std::move(metadata).error().Context(FileName(path)));
    if (!*metadata) {
      manifest_.files.clear();
      return false;
    }
    auto document = json::ParseToml(**metadata);
    if (!document) {
      return Failure(std::move(document).error().Context(FileName(path) + ": script metadata"));
    }
    SetSource(ManifestKind::kScript, path);
    KINETIC_RETURN_IF_ERROR(AddScript(build_, path, *document));
    KINETIC_RETURN_IF_ERROR(AddFolderSettings(build_, path.parent_path()));
    const Path lock = path.native() + ".lock";
    KINETIC_ASSIGN_OR_RETURN(const bool locked, Exists(lock));
    if (locked) KINETIC_RETURN_IF_ERROR(AddLock(lock));
    return true;
  }

  Status ReadRequirementsFile(const Path& path) {
    SetSource(ManifestKind::kRequirements, path);
    KINETIC_RETURN_IF_ERROR(AddRequirements(build_, path));
    return AddFolderSettings(build_, path.parent_path());
  }

  Status ReadUvLock(const Path& folder, const Path& lock) {
    KINETIC_RETURN_IF_ERROR(ReadProjectFile(folder / "pyproject.toml"));
    SetSource(ManifestKind::kUvLock, lock);
    if (lock.parent_path() != folder) manifest_.member = folder;
    KINETIC_RETURN_IF_ERROR(AddLock(lock));
    return AddLockedFolders(lock.parent_path());
  }

  Status ReadSetupFile(const Path& path) {
    SetSource(ManifestKind::kSetup, path);
    KINETIC_RETURN_IF_ERROR(AddBuiltMetadata(build_));
    return AddFolderSettings(build_, path.parent_path());
  }

  Status ReadPylockFile(const Path& path) {
    SetSource(ManifestKind::kPylock, path);
    KINETIC_ASSIGN_OR_RETURN(const Value document, ReadToml(path));
    KINETIC_RETURN_IF_ERROR(
        CheckRequiresPython(manifest_, json::TextAt(document, "requires-python")));
    KINETIC_RETURN_IF_ERROR(AddPylockUrls(path));
    return AddLock(path);
  }

  /// Adds the private URLs of files to the manifest: those with a user or a query.
  Status AddPylockUrls(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadDependencyText(build_, path));
    KINETIC_ASSIGN_OR_RETURN(const auto packages, ReadPylock(text));
    for (const PylockPackage& found : packages) {
      KINETIC_RETURN_IF_ERROR(urls_.Line(found.package.url, false));
      for (const LockedFile& file : found.package.files) {
        KINETIC_RETURN_IF_ERROR(urls_.Line(file.url, false));
      }
    }
    return {};
  }

  /// Adds the folders of a uv.lock: `source = { editable = "packages/a" }`.
  Status AddLockedFolders(const Path& folder) {
    for (std::string_view line : Split(manifest_.files.back().text, '\n')) {
      if (!line.starts_with("source = { ")) continue;
      line.remove_prefix(std::string_view("source = { ").size());
      if (!line.starts_with("editable") && !line.starts_with("directory")) continue;
      const auto quote = line.find('"');
      if (quote == std::string_view::npos) continue;
      line.remove_prefix(quote + 1);
      const std::string_view path = line.substr(0, line.find('"'));
      if (path == ".") continue;  // contains the job's own code, which may change at any time
      KINETIC_RETURN_IF_ERROR(AddProjectFolder(build_, folder / path));
    }
    return {};
  }

  /// Adds the digest of a lock, not its content.
  Status AddLock(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadDependencyText(build_, path));
    manifest_.requirements.push_back(FileName(path) + " " + Sha256::Of(text).Hex());
    manifest_.is_lock = true;
    return {};
  }

  FileSystem& fs_;
  const ManifestOptions& options_;
  Manifest manifest_;
  UrlReader urls_;
  ManifestBuild build_;
};

}  // namespace

Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options) {
  return ManifestReader(fs, options).Read();
}

}  // namespace kinetic::env
