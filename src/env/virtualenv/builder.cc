#include "env/virtualenv/builder.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/files/temp_dir.h"
#include "base/process/subprocess.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/python/interpreter.h"

#include <utility>

namespace kinetic::env {
namespace {

/// Builds one environment in a temporary folder.
class VirtualenvBuild {
 public:
  VirtualenvBuild(const Lock& lock, const VirtualenvOptions& options, Path root, InstallerLog& log,
                  std::stop_token stop)
      : lock_(lock), options_(options), root_(std::move(root)), log_(log), stop_(std::move(stop)) {}

  Status Run() {
    const ToolOptions& tools = options_.tools;
    KINETIC_ASSIGN_OR_RETURN(python_, FindPython(lock_.python, tools, stop_));
    KINETIC_RETURN_IF_ERROR(MakeVirtualenv());
    if (!lock_.packages.empty()) KINETIC_RETURN_IF_ERROR(Install());
    return {};
  }

  const Interpreter& python() const { return python_; }

 private:
  Status MakeVirtualenv() {
    const auto environment = ToolEnvironment(options_.tools);
    const Path& cache = options_.tools.cache_dir;
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus result,
        RunLogged({python_.path.native(), "-I", "-m", "venv", "--without-pip", root_.native()},
                  environment, cache, log_, stop_));
    if (result.Succeeded()) return {};
    // Some distributions package venv separately. uv does not need it.
    if (const auto uv = FindExecutable("uv", options_.tools.search_path)) {
      (void)RemoveTree(*options_.tools.fs, root_);
      KINETIC_ASSIGN_OR_RETURN(
          const ExitStatus by_uv,
          RunLogged({uv->native(), "venv", "--python", python_.path.native(), root_.native()},
                    environment, cache, log_, stop_));
      if (by_uv.Succeeded()) return {};
    }
    Failure failure = InstallerFailure(
        "cannot create a virtual environment with Python " + python_.version, log_);
    if (log_.Contains("No module named venv") || log_.Contains("ensurepip")) {
      failure.value().hint = "install python" + python_.Minor() +
                             "-venv (Debian and Ubuntu: 'apt install python" + python_.Minor() +
                             "-venv'), or uv; " + failure.value().hint;
    }
    return failure;
  }

  Status Install() {
    const ToolOptions& tools = options_.tools;
    KINETIC_ASSIGN_OR_RETURN(const Uv uv, FindUv(python_, tools, log_, stop_));
    const Path parent = tools.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools.fs, parent, "install-"));
    auto environment = UvEnvironment(uv, tools, lock_.index, options_.private_urls);
    KINETIC_RETURN_IF_ERROR(WriteFileAtomically(
        *tools.fs, folder.path() / "requirements.txt",
        LockedRequirements(lock_.packages, options_.private_urls, environment), 0600));
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus installed,
        RunLogged(Command(uv), std::move(environment), folder.path(), log_, stop_));
    if (installed.Succeeded()) return {};
    return InstallerFailure("cannot build environment " +
                                lock_.EnvironmentId().Hex().substr(0, 12) + ": " + uv.version +
                                " failed",
                            log_);
  }

  std::vector<std::string> Command(const Uv& uv) const {
    // With hashes, any index is safe.
    std::vector<std::string> argv{uv.path.native(),
                                  "pip",
                                  "install",
                                  "--python",
                                  (root_ / "bin/python").native(),
                                  "--compile-bytecode",
                                  "--index-strategy",
                                  "unsafe-best-match",
                                  "--no-deps",
                                  "--require-hashes",
                                  "-r",
                                  "requirements.txt"};
    IndexSettings formats = lock_.index;
    formats.pre = false;
    for (auto& option : FormatOptions(formats)) argv.push_back(std::move(option));
    return argv;
  }

  const Lock& lock_;
  const VirtualenvOptions& options_;
  Path root_;
  InstallerLog& log_;
  std::stop_token stop_;
  Interpreter python_;
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
    if (!std::filesystem::exists(ready.python, failed)) return std::optional<ReadyEnvironment>();
    return std::optional<ReadyEnvironment>(std::move(ready));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    const std::string id = lock.EnvironmentId().Hex();
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return Used(*std::move(found));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_.LockFile(id).parent_path()));
    const auto on_wait = [&] {
      if (observer != nullptr) {
        observer->OnOutput(
            Phase::kBuild,
            "waiting for another process that is building environment " + id.substr(0, 12));
      }
    };
    KINETIC_ASSIGN_OR_RETURN(const FileLock held,
                             FileLock::Acquire(*options_.tools.fs, *options_.tools.clock,
                                               folder_.LockFile(id), on_wait, stop));
    KINETIC_ASSIGN_OR_RETURN(found, Find(lock, stop));
    if (found) return Used(*std::move(found));
    KINETIC_RETURN_IF_ERROR(RemoveLeftovers(id));
    KINETIC_RETURN_IF_ERROR(Make(lock, id, observer, stop));
    return ReadyEnvironment{id, folder_.Root(id), folder_.Root(id) / "bin/python", true};
  }

 private:
  /// Records the time of use. Errors are ignored, because a read-only cache is not cleaned up.
  ReadyEnvironment Used(ReadyEnvironment ready) {
    (void)fs_.SetModifiedTime(folder_.Marker(ready.id), options_.tools.clock->Now());
    return ready;
  }

  /// Builds the environment with the lock held, replacing one without a marker or Python.
  Status RemoveLeftovers(const std::string& id) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_.Environments()));
    for (const auto& entry : entries) {
      const Path path = folder_.Environments() / entry.name;
      if (entry.name == id) KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, path));
      // The installer of a killed build may still write there; garbage collection removes the rest.
      if (EnvironmentCacheLayout::IsTemporary(entry.name, id)) (void)RemoveTree(fs_, path);
    }
    return {};
  }

  Status Make(const Lock& lock, const std::string& id, Observer* observer,
              const std::stop_token& stop) {
    const Path path =
        folder_.Logs() / ("environment-" + id.substr(0, 12) + "-" + RandomId() + ".log");
    KINETIC_ASSIGN_OR_RETURN(
        InstallerLog log,
        InstallerLog::Create(fs_, path, SecretsIn(options_.private_urls), observer));
    const Path temporary = folder_.TemporaryRoot(id);
    VirtualenvBuild build(lock, options_, temporary, log, stop);
    auto result = build.Run();
    if (result) result = Publish(lock, id, temporary, build.python());
    log.Close(result ? nullptr : &result.error());
    if (!result) (void)RemoveTree(fs_, temporary);
    return result;
  }

  Status Publish(const Lock& lock, const std::string& id, const Path& temporary,
                 const Interpreter& python) {
    const Path root = folder_.Root(id);
    KINETIC_RETURN_IF_ERROR(RelocateScripts(fs_, temporary, temporary.native(), root.native()));
    KINETIC_RETURN_IF_ERROR(
        WriteFileAtomically(fs_, temporary / EnvironmentCacheLayout::kMarkerName,
                            MarkerJson(lock, python.version, options_.tools.clock->Now())));
    KINETIC_RETURN_IF_ERROR(fs_.Rename(temporary, root));
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
