#include "env/virtualenv/builder.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/files/file_lock.h"
#include "base/files/temp_dir.h"
#include "base/process/subprocess.h"
#include "base/python/virtual_environment.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/python/interpreter.h"
#include "env/virtualenv/compiled_modules.h"
#include "env/virtualenv/link_packages.h"
#include "env/virtualenv/package_set.h"
#include "env/virtualenv/seal.h"

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// Returns the content of a marker file.
std::string MarkerJson(const Lock& lock, std::string_view python_version,
                       std::span<const Path> package_sets, WallTime built) {
  Value::List sets;
  for (const Path& set : package_sets) sets.emplace_back(set.native());
  return Value(Value::Map{{"version", 1},
                          {"id", lock.EnvironmentId().Hex()},
                          {"python", std::string(python_version)},
                          {"platform", lock.platform},
                          {"packages", static_cast<std::int64_t>(lock.packages.size())},
                          {"package_sets", std::move(sets)},
                          {"built_at", FormatTime(built)}})
             .ToJson(true) +
         "\n";
}

/// Builds one environment in a temporary folder.
class VirtualenvBuild {
 public:
  /// @param replaces_damaged  uv's cache may be damaged too, because it shares files with package
  ///                          sets, so it is not used.
  VirtualenvBuild(const Lock& lock, const VirtualenvOptions& options, Path root,
                  bool replaces_damaged, InstallerLog& log, std::stop_token stop)
      : lock_(lock),
        options_(options),
        root_(std::move(root)),
        replaces_damaged_(replaces_damaged),
        log_(log),
        stop_(std::move(stop)) {}

  Status Run() {
    const ToolOptions& tools = options_.tools;
    KINETIC_ASSIGN_OR_RETURN(python_, FindPython(lock_.python, tools, stop_));
    KINETIC_RETURN_IF_ERROR(MakeFolders());
    KINETIC_ASSIGN_OR_RETURN(auto installed, FindInstalledPackages(tools, lock_));
    if (!installed.missing.empty()) {
      KINETIC_ASSIGN_OR_RETURN(auto made, Install(installed.missing));
      installed.sets.push_back(std::move(made));
    }
    for (const auto& each : installed.sets) package_sets_.push_back(each.set);
    return LinkPackages(*tools.fs, installed.sets, python_.Minor(), root_);
  }

  const Interpreter& python() const { return python_; }
  const std::vector<Path>& package_sets() const { return package_sets_; }

 private:
  Status MakeFolders() {
    FileSystem& fs = *options_.tools.fs;
    std::error_code failed;
    Path base = std::filesystem::canonical(python_.path, failed);
    if (failed) base = python_.path;
    const std::string name = "python" + python_.Minor();
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, root_ / "bin"));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, root_ / PackagesFolder(python_.version)));
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink("lib", root_ / "lib64"));
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink(base.native(), root_ / "bin/python"));
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink("python", root_ / "bin/python3"));
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink("python", root_ / "bin" / name));
    return WriteFileAtomically(fs, root_ / "pyvenv.cfg", VirtualenvConfig(base, python_.version));
  }

  /// Installs packages of the lock in a new package set.
  Result<SetPackages> Install(std::span<const LockedPackage> packages) {
    const Path folder = EnvironmentCacheLayout{options_.tools.cache_dir}.TemporaryPackageSet();
    auto made = InstallTo(folder, packages);
    if (!made) (void)RemoveTree(*options_.tools.fs, folder);
    return made;
  }

  Result<SetPackages> InstallTo(const Path& prefix, std::span<const LockedPackage> packages) {
    const ToolOptions& tools = options_.tools;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, prefix / "bin"));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, prefix / PackagesFolder(python_.version)));
    // Some systems install to lib64.
    KINETIC_RETURN_IF_ERROR(tools.fs->MakeSymlink("lib", prefix / "lib64"));
    KINETIC_ASSIGN_OR_RETURN(const Uv uv, FindUv(python_, tools, log_, stop_));
    const Path parent = tools.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools.fs, parent, "install-"));
    auto environment = UvEnvironment(uv, tools, lock_.index, options_.private_urls);
    const RequirementFile requirements =
        LockedRequirements(packages, options_.private_urls, environment);
    KINETIC_RETURN_IF_ERROR(
        WriteFileAtomically(*tools.fs, folder.path() / requirements.name, requirements.text, 0600));
    if (replaces_damaged_) environment["UV_NO_CACHE"] = "1";
    const auto command = Command(uv, prefix, requirements.name);
    if (replaces_damaged_ || !InstallOffline(command, environment, folder.path())) {
      KINETIC_ASSIGN_OR_RETURN(
          const ExitStatus installed,
          RunLogged(command, std::move(environment), folder.path(), log_, stop_));
      if (!installed.Succeeded()) return Failed(uv);
    }
    if (stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped installing packages");
    }
    return PublishPackageSet(tools, prefix, lock_, packages);
  }

  /// Installs from uv's cache, which needs no requests to the index. Returns false if a package is
  /// not in the cache.
  bool InstallOffline(std::vector<std::string> argv,
                      const std::map<std::string, std::string>& environment, const Path& folder) {
    Subprocess program;
    program.argv = std::move(argv);
    program.argv.emplace_back("--offline");
    program.environment = environment;
    program.search_path = options_.tools.search_path;
    program.working_directory = folder;
    std::string output;
    program.on_stdout = [&](std::string_view bytes) { output += bytes; };
    program.on_stderr = program.on_stdout;
    const auto ended = ::kinetic::Run(program, stop_);
    const bool is_installed = ended && ended->Succeeded();
    if (is_installed) log_.Write(output);
    return is_installed;
  }

  Failure Failed(const Uv& uv) {
    return InstallerFailure("cannot build environment " +
                                lock_.EnvironmentId().Hex().substr(0, 12) + ": " + uv.version +
                                " failed",
                            log_);
  }

  std::vector<std::string> Command(const Uv& uv, const Path& prefix,
                                   const std::string& requirements) const {
    // With hashes, any index is safe.
    std::vector<std::string> argv{uv.path.native(),
                                  "pip",
                                  "install",
                                  "--prefix",
                                  prefix.native(),
                                  "--python",
                                  python_.path.native(),
                                  "--index-strategy",
                                  "unsafe-best-match",
                                  "--no-deps",
                                  "--require-hashes",
                                  "-r",
                                  requirements};
    for (auto& option : FormatOptions(lock_.index)) argv.push_back(std::move(option));
    return argv;
  }

  const Lock& lock_;
  const VirtualenvOptions& options_;
  Path root_;
  bool replaces_damaged_;
  InstallerLog& log_;
  std::stop_token stop_;
  Interpreter python_;
  std::vector<Path> package_sets_;
};

class VirtualenvBuilder final : public EnvironmentBuilder {
 public:
  explicit VirtualenvBuilder(VirtualenvOptions options)
      : options_(std::move(options)), fs_(*options_.tools.fs), folder_{options_.tools.cache_dir} {}

  /// Does not update the time of last use: 'kinetic env explain' must not prevent removal.
  Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token) override {
    const std::string id = lock.EnvironmentId().Hex();
    const auto marker = fs_.Lstat(folder_.Marker(id));
    if (!marker) {
      if (marker.error().code == ErrorCode::kNotFound) return std::optional<ReadyEnvironment>();
      return Failure(marker.error());
    }
    ReadyEnvironment ready{id, folder_.Root(id), folder_.Root(id) / "bin/python", false};
    // Rebuild if the base Python was uninstalled.
    std::error_code failed;
    const bool is_usable = std::filesystem::exists(ready.python, failed) &&
                           IsSealed(fs_, ready.root, MinorVersion(lock.python));
    if (!is_usable) return std::optional<ReadyEnvironment>();
    return std::optional<ReadyEnvironment>(std::move(ready));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    const std::string id = lock.EnvironmentId().Hex();
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return Used(*std::move(found));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_.LockFile(id).parent_path()));
    const auto on_wait = [&](const std::string& reason) {
      if (observer == nullptr || reason.empty()) return;
      observer->OnOutput(Phase::kBuild, "waiting: " + reason);
    };
    KINETIC_ASSIGN_OR_RETURN(
        const FileLock held,
        FileLock::Acquire(fs_, folder_.LockFile(id),
                          {.stop = stop, .limit = kLongLockLimit, .on_wait = on_wait}));
    KINETIC_ASSIGN_OR_RETURN(found, Find(lock, stop));
    if (found) return Used(*std::move(found));
    const bool replaces_damaged = fs_.Lstat(folder_.Marker(id)).has_value() &&
                                  !IsSealed(fs_, folder_.Root(id), MinorVersion(lock.python));
    if (observer != nullptr && replaces_damaged) {
      observer->OnWarning("environment " + id.substr(0, 12) +
                          " was changed; kinetic builds it again");
    }
    KINETIC_RETURN_IF_ERROR(RemoveLeftovers(id));
    // Garbage collection does not know which package sets the new environment will link to.
    KINETIC_ASSIGN_OR_RETURN(
        const FileLock held_sets,
        FileLock::Acquire(fs_, folder_.PackageSetsLock(), {.stop = stop, .is_shared = true}));
    KINETIC_RETURN_IF_ERROR(Make(lock, id, replaces_damaged, observer, stop));
    return ReadyEnvironment{id, folder_.Root(id), folder_.Root(id) / "bin/python", true};
  }

 private:
  /// Records the time of use. Errors are ignored, because a read-only cache is not cleaned up.
  ReadyEnvironment Used(ReadyEnvironment ready) {
    (void)fs_.SetModifiedTime(folder_.Marker(ready.id), options_.tools.clock->Now());
    return ready;
  }

  /// The installer of a killed build may still write there; garbage collection removes the rest.
  Status RemoveLeftovers(const std::string& id) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_.Environments()));
    for (const auto& entry : entries) {
      if (!EnvironmentCacheLayout::IsTemporary(entry.name, id)) continue;
      (void)RemoveTree(fs_, folder_.Environments() / entry.name);
    }
    return {};
  }

  Status Make(const Lock& lock, const std::string& id, bool replaces_damaged, Observer* observer,
              const std::stop_token& stop) {
    const Path path =
        folder_.Logs() / ("environment-" + id.substr(0, 12) + "-" + RandomId() + ".log");
    KINETIC_ASSIGN_OR_RETURN(
        InstallerLog log,
        InstallerLog::Create(fs_, path, SecretsIn(options_.private_urls), observer));
    const Path temporary = folder_.TemporaryRoot(id);
    VirtualenvBuild build(lock, options_, temporary, replaces_damaged, log, stop);
    auto result = build.Run();
    if (result) result = Publish(lock, id, temporary, build);
    log.Close(result ? nullptr : &result.error());
    if (!result) (void)RemoveTree(fs_, temporary);
    return result;
  }

  /// Replaces an unusable environment only when the new one is complete, because jobs may be
  /// running in it.
  Status Publish(const Lock& lock, const std::string& id, const Path& temporary,
                 const VirtualenvBuild& build) {
    const Path root = folder_.Root(id);
    KINETIC_RETURN_IF_ERROR(
        WriteFileAtomically(fs_, temporary / EnvironmentCacheLayout::kMarkerName,
                            MarkerJson(lock, build.python().version, build.package_sets(),
                                       options_.tools.clock->Now())));
    KINETIC_RETURN_IF_ERROR(
        SealEnvironment(fs_, temporary, RecentEnvironments(fs_, options_.tools.cache_dir, id)));
    const Path replaced = folder_.TemporaryRoot(id);
    Status moved = fs_.Rename(root, replaced);
    if (!moved && moved.error().code != ErrorCode::kNotFound) return moved;
    KINETIC_RETURN_IF_ERROR(fs_.Rename(temporary, root));
    (void)RemoveTree(fs_, replaced);
    return SyncDirectory(fs_, folder_.Environments());
  }

  VirtualenvOptions options_;
  FileSystem& fs_;
  EnvironmentCacheLayout folder_;
};

}  // namespace

std::unique_ptr<EnvironmentBuilder> MakeVirtualenvBuilder(VirtualenvOptions options) {
  return std::make_unique<VirtualenvBuilder>(std::move(options));
}

}  // namespace kinetic::env
