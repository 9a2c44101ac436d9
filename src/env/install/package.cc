#include "env/install/package.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/install/wheel_layout.h"
#include "env/python/interpreter.h"
#include "env/python/target_platform.h"
#include "env/tool_options.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kinetic::env {
namespace {

/// Older Linux kernels read at most 127 bytes of a script's first line.
constexpr std::size_t kMaxPrefixBytes = 100;

Status CheckPrefix(const std::string& prefix) {
  const bool readable = std::all_of(prefix.begin(), prefix.end(),
                                    [](unsigned char c) { return std::isgraph(c) != 0; });
  if (prefix.starts_with('/') && readable && prefix.size() <= kMaxPrefixBytes) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "cannot install packages for '" + Printable(prefix) +
                  "': expected an absolute path without white space of at most 100 bytes");
}

class Installation {
 public:
  Installation(const PackageInstaller& installer, const Lock& lock, const LockedPackage& package,
               const InstallLocation& location, InstallerLog& log, std::stop_token stop)
      : installer_(installer),
        fs_(*installer.tools.fs),
        lock_(lock),
        package_(package),
        location_(location),
        work_(location.folder / ".installing"),
        log_(log),
        stop_(std::move(stop)) {}

  Status Run() {
    KINETIC_ASSIGN_OR_RETURN(target_, TargetPlatform::For(lock_.python, lock_.platform));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, work_ / "prefix"));
    KINETIC_RETURN_IF_ERROR(Install());
    auto moved = NormalizeWheelLayout(fs_, work_ / "prefix", location_.folder,
                                      {target_.Minor(), location_.prefix});
    if (!moved)
      return Failure(std::move(moved).error().Context("installing " + package_.DisplayName()));
    KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, work_));
    if (!installer_.compiler) return {};
    return CompileModules(*installer_.compiler, location_, installer_.tools, log_, stop_);
  }

 private:
  Status Install() {
    auto environment =
        UvEnvironment(installer_.uv, installer_.tools, lock_.index, installer_.private_urls);
    const RequirementFile requirements =
        LockedRequirements({&package_, 1}, installer_.private_urls, environment);
    KINETIC_RETURN_IF_ERROR(
        WriteFileAtomically(fs_, work_ / requirements.name, requirements.text, 0600));
    return Execute(Command(requirements.name), std::move(environment));
  }

  /// Returns the command that installs one package with its hashes from a wheel for the pod.
  std::vector<std::string> Command(const std::string& requirements) const {
    // Copies, because the files are modified and must not be shared with uv's cache. With hashes,
    // any index is safe.
    std::vector<std::string> argv{installer_.uv.path.native(),
                                  "pip",
                                  "install",
                                  "--prefix",
                                  (work_ / "prefix").native(),
                                  "--python",
                                  installer_.python.path.native(),
                                  "--link-mode",
                                  "copy",
                                  "--index-strategy",
                                  "unsafe-best-match"};
    for (auto& option : PlatformOptions(target_)) argv.push_back(std::move(option));
    IndexSettings formats;
    formats.only_binary = {":all:"};
    formats.no_index = lock_.index.no_index;
    for (auto& option : FormatOptions(formats)) argv.push_back(std::move(option));
    argv.insert(argv.end(), {"--no-deps", "--require-hashes", "-r", requirements});
    return argv;
  }

  Status Execute(std::vector<std::string> argv, std::map<std::string, std::string> environment) {
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus ended,
        RunLogged(std::move(argv), std::move(environment), work_, log_, stop_));
    if (ended.Succeeded()) return {};
    return PodInstallerFailure("installing " + package_.DisplayName() + " for a pod failed (" +
                                   installer_.uv.version + ")",
                               target_, log_);
  }

  const PackageInstaller& installer_;
  FileSystem& fs_;
  const Lock& lock_;
  const LockedPackage& package_;
  const InstallLocation& location_;
  Path work_;
  InstallerLog& log_;
  std::stop_token stop_;
  TargetPlatform target_;
};

Result<InstallerLog> OpenLog(const ToolOptions& tools, const std::string& name,
                             const PrivateUrls& private_urls, Observer* observer) {
  const Path path =
      EnvironmentCacheLayout{tools.cache_dir}.Logs() / (name + "-" + RandomId() + ".log");
  return InstallerLog::Create(*tools.fs, path, SecretsIn(private_urls), observer);
}

}  // namespace

Result<PackageInstaller> FindPackageInstaller(ToolOptions tools, PrivateUrls private_urls,
                                              std::string_view python, Observer* observer,
                                              std::stop_token stop) {
  PackageInstaller found{std::move(tools), std::move(private_urls), {}, {}, {}};
  KINETIC_ASSIGN_OR_RETURN(found.python, FindAnyPython(found.tools, stop));
  KINETIC_ASSIGN_OR_RETURN(InstallerLog log,
                           OpenLog(found.tools, "installer", found.private_urls, observer));
  auto uv = FindUv(found.python, found.tools, log, stop);
  log.Close(uv ? nullptr : &uv.error());
  KINETIC_RETURN_IF_ERROR(uv);
  found.uv = *std::move(uv);
  found.compiler = FindModuleCompiler(python, found.tools, std::move(stop));
  return found;
}

Status InstallPackage(const PackageInstaller& installer, const Lock& lock,
                      const LockedPackage& package, const InstallLocation& location,
                      Observer* observer, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckPrefix(location.prefix));
  KINETIC_ASSIGN_OR_RETURN(InstallerLog log, OpenLog(installer.tools, "wheel-" + package.name,
                                                     installer.private_urls, observer));
  Status installed = Installation(installer, lock, package, location, log, std::move(stop)).Run();
  log.Close(installed ? nullptr : &installed.error());
  return installed;
}

}  // namespace kinetic::env
