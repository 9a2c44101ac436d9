#include "env/resolve/resolver.h"

#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/pylock.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/packages/built_wheels.h"
#include "env/python/target_platform.h"
#include "env/resolve/uv_command.h"
#include "env/resolve/uv_warnings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxOutputBytes = 256ULL << 20;

/// Resolves links, as uv does in its working folder.
Path Canonical(const Path& path) {
  std::error_code failed;
  Path real = std::filesystem::weakly_canonical(path, failed);
  if (failed) real = path.lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

/// Converts the packages that uv selected to locked packages.
class LockedPackages {
 public:
  /// @param folder  of the pylock.toml, whose paths are relative to it.
  LockedPackages(const Manifest& manifest, const ToolOptions& tools, UvCommands& uv, Path folder)
      : manifest_(manifest), tools_(tools), uv_(uv), folder_(std::move(folder)) {}

  Status Add(PylockPackage found, Lock& lock) {
    LockedPackage& package = found.package;
    if (!found.folder.empty()) {
      if (Absolute(found.folder) == ProjectFolder()) return {};  // part of the bundle
      KINETIC_RETURN_IF_ERROR(BuildFolder(package, found.folder));
    }
    if (!found.repository.empty()) KINETIC_RETURN_IF_ERROR(BuildRepository(found));
    if (!found.file.empty()) package.url = RelativePath(found.file);
    if (!found.index.empty()) AddIndex(RedactUrl(found.index), lock.index);
    if (package.url.find("://") != std::string::npos) {
      package.url = RedactedForm(package.url, manifest_.private_urls);
    }
    SetFiles(package);
    KINETIC_RETURN_IF_ERROR(CheckHashes(package));
    // A package from two indexes, for different markers, has two entries.
    const auto [at, is_new] = packages_.emplace(package.name, package);
    if (!is_new) {
      for (auto& hash : package.hashes) at->second.hashes.push_back(std::move(hash));
      std::ranges::sort(at->second.hashes);
      for (auto& file : package.files) at->second.files.push_back(std::move(file));
    }
    return {};
  }

  std::vector<LockedPackage> Take() {
    std::vector<LockedPackage> list;
    list.reserve(packages_.size());
    for (auto& [name, package] : packages_) list.push_back(std::move(package));
    return list;
  }

 private:
  Failure Reject(const LockedPackage& package, const std::string& origin,
                 const std::string& hint) const {
    return Fail(ErrorCode::kInvalidArgument,
                manifest_.PositionOf(package.name) + ": " + package.name + " comes from " + origin,
                hint);
  }

  Status BuildFolder(LockedPackage& package, const std::string& folder) const {
    const Path path = Absolute(folder);
    if (std::ranges::find(manifest_.folders, path, Canonical) == manifest_.folders.end()) {
      return Reject(package, "the folder " + Printable(RelativePath(folder)),
                    "list the folder in the dependency file; for a workspace member, run 'uv lock' "
                    "in the root of the workspace");
    }
    package.url = RelativePath(folder);
    return Build(package, path);
  }

  Status BuildRepository(PylockPackage& found) const {
    LockedPackage& package = found.package;
    package.url = "git+" + found.repository + "@" + found.commit;
    if (!found.subfolder.empty()) package.url += "#subdirectory=" + found.subfolder;
    KINETIC_ASSIGN_OR_RETURN(const Path checkout, uv_.CheckOut(found.repository, found.commit));
    return Build(package, checkout / found.subfolder);
  }

  /// Builds a wheel, which becomes the content of the package, and moves it to the cache.
  Status Build(LockedPackage& package, const Path& project) const {
    KINETIC_ASSIGN_OR_RETURN(const Path wheel, uv_.BuildWheel(project, package.name));
    KINETIC_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(*tools_.fs, wheel, kMaxOutputBytes));
    package.hashes = {"sha256:" + Sha256::Of(bytes).Hex()};
    package.wheel = wheel.filename();
    const auto parts = Split(package.wheel, '-');  // name-version-…
    if (package.version.empty() && parts.size() > 1) package.version = parts[1];
    const Path file = WheelFile(tools_, package);
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, file.parent_path()));
    return WriteFileAtomically(*tools_.fs, file, bytes);
  }

  Path Absolute(const std::string& path) const {
    return Canonical((folder_ / path).lexically_normal());
  }

  Path ProjectFolder() const { return Canonical(manifest_.Folder()); }

  std::string RelativePath(const std::string& path) const {
    return Absolute(path).lexically_relative(ProjectFolder());
  }

  /// A pylock.toml pins files, which need not be in an index. Other locks pin versions, and each
  /// user downloads from their own index.
  void SetFiles(LockedPackage& package) const {
    if (manifest_.kind != ManifestKind::kPylock) package.files.clear();
    for (LockedFile& file : package.files) {
      const bool is_url = file.url.find("://") != std::string::npos;
      file.url = is_url ? RedactedForm(file.url, manifest_.private_urls) : RelativePath(file.url);
    }
  }

  /// Keeps only hashes that the requirements file lists, if it lists any.
  Status CheckHashes(LockedPackage& package) const {
    const auto listed = manifest_.hashes.find(package.name);
    if (listed == manifest_.hashes.end()) {
      if (!manifest_.require_hashes) {
        if (!package.hashes.empty()) return {};
        return Reject(package, "an index without hashes", "use another index");
      }
      return Fail(ErrorCode::kInvalidArgument,
                  manifest_.PositionOf(package.name) + ": " + package.DisplayName() +
                      " has no hash, but other requirements do",
                  "add one with 'uv pip compile --generate-hashes'");
    }
    std::vector<std::string> both;
    for (const auto& hash : package.hashes) {
      if (std::ranges::find(listed->second, hash) != listed->second.end()) both.push_back(hash);
    }
    if (both.empty()) {
      return Fail(ErrorCode::kFailedPrecondition,
                  manifest_.PositionOf(package.name) + ": hash mismatch: no file of " +
                      package.DisplayName() + " has a listed hash",
                  "check the index, or update the hashes with 'uv pip compile "
                  "--generate-hashes'");
    }
    package.hashes = std::move(both);
    return {};
  }

  static void AddIndex(const std::string& url, IndexSettings& index) {
    if (url.find("://") == std::string::npos) return;
    if (index.url.empty()) {
      index.url = url;
    } else if (index.url != url) {
      AddUrl(index.extra_urls, url);
    }
  }

  const Manifest& manifest_;
  const ToolOptions& tools_;
  UvCommands& uv_;
  Path folder_;
  std::map<std::string, LockedPackage> packages_;
};

class Resolver {
 public:
  Resolver(const Manifest& manifest, const ToolOptions& tools, InstallerLog& log,
           Observer* observer, std::stop_token stop)
      : manifest_(manifest),
        tools_(tools),
        log_(log),
        observer_(observer),
        stop_(std::move(stop)) {}

  Result<Lock> Run() {
    std::optional<TargetPlatform> target;
    if (manifest_.for_pod) {
      KINETIC_ASSIGN_OR_RETURN(target, TargetPlatform::For(manifest_.python, manifest_.platform));
    }
    const Path parent = tools_.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools_.fs, parent, "lock-"));
    UvCommands uv(manifest_, tools_, target, folder.path(), log_, stop_);
    KINETIC_RETURN_IF_ERROR(uv.Find());
    Lock lock;
    lock.index = manifest_.index;
    KINETIC_RETURN_IF_ERROR(AddPackages(uv, lock));
    lock.manifest_key = manifest_.Key();
    lock.python = manifest_.python;
    lock.platform = manifest_.platform;
    lock.resolver = uv.Description();
    lock.resolved_at = tools_.clock->Now();
    return lock;
  }

 private:
  Status AddPackages(UvCommands& uv, Lock& lock) const {
    KINETIC_ASSIGN_OR_RETURN(const Path pylock, uv.WritePylock());
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(*tools_.fs, pylock, kMaxOutputBytes));
    KINETIC_ASSIGN_OR_RETURN(auto packages, ReadPylock(text));
    const bool is_for_all_platforms =
        manifest_.IsExported() || manifest_.kind == ManifestKind::kPylock;
    if (is_for_all_platforms && !packages.empty()) {
      KINETIC_ASSIGN_OR_RETURN(const auto selected, uv.Select(pylock));
      std::erase_if(packages, [&](const PylockPackage& found) {
        const LockedPackage& package = found.package;
        const std::string name = package.name + "==" + package.version;
        return std::ranges::find(selected, name) == selected.end() &&
               std::ranges::find(selected, package.name) == selected.end();
      });
    }
    KINETIC_RETURN_IF_ERROR(ReportWarnings());
    LockedPackages locked(manifest_, tools_, uv, pylock.parent_path());
    for (auto& package : packages) KINETIC_RETURN_IF_ERROR(locked.Add(std::move(package), lock));
    lock.packages = locked.Take();
    return {};
  }

  /// Fails if uv ignored a file of settings. Packages could come from the wrong index then.
  Status ReportWarnings() const {
    for (const auto& warning : UvWarnings(log_)) {
      if (warning.find("during settings discovery") != std::string::npos) {
        return Fail(ErrorCode::kInvalidArgument, "uv: " + warning,
                    "correct the file, because uv ignores all of its settings; if a newer uv has "
                    "the setting, install that version");
      }
      if (observer_ != nullptr) observer_->OnWarning("uv: " + warning);
    }
    return {};
  }

  const Manifest& manifest_;
  const ToolOptions& tools_;
  InstallerLog& log_;
  Observer* observer_;
  std::stop_token stop_;
};

}  // namespace

Result<Lock> Resolve(const Manifest& manifest, const ToolOptions& tools, Observer* observer,
                     std::stop_token stop) {
  if (manifest.Empty()) {
    Lock lock;
    lock.manifest_key = manifest.Key();
    lock.python = manifest.python;
    lock.platform = manifest.platform;
    lock.resolved_at = tools.clock->Now();
    lock.resolver = "none";
    return lock;
  }
  const Path path = tools.cache_dir / "logs" /
                    ("lock-" + manifest.Key().Hex().substr(0, 12) + "-" + RandomId() + ".log");
  KINETIC_ASSIGN_OR_RETURN(
      InstallerLog log,
      InstallerLog::Create(*tools.fs, path, SecretsIn(manifest.private_urls), observer));
  auto lock = Resolver(manifest, tools, log, observer, stop).Run();
  log.Close(lock ? nullptr : &lock.error());
  return lock;
}

PrivateUrls InstallUrls(const Manifest& manifest, const Lock& lock) {
  PrivateUrls urls = manifest.private_urls;
  const auto add = [&](const std::string& url) {
    if (url.empty() || url.find("://") != std::string::npos) return;
    const Path file = (manifest.Folder() / url).lexically_normal();
    urls[url] = "file://" + file.native();
  };
  for (const auto& package : lock.packages) {
    if (package.wheel.empty()) add(package.url);
    for (const auto& file : package.files) add(file.url);
  }
  return urls;
}

}  // namespace kinetic::env
