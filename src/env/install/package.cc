#include "env/install/package.h"

#include "base/random.h"
#include "base/strings.h"
#include "base/try.h"
#include "env/dependencies/urls.h"
#include "env/install/pod_failure.h"
#include "env/install/requirements.h"
#include "env/install/wheel_layout.h"
#include "env/pep/target_platform.h"
#include "env/python/compile_modules.h"
#include "env/python/programs.h"
#include "env/virtualenv/environment_folder.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kinetic::env {
namespace {

/// Linux reads 127 bytes of a script's first line, and older ones no more.
constexpr std::size_t kMaxPrefixBytes = 100;

Status CheckPrefix(const std::string& prefix) {
  const bool readable = std::all_of(prefix.begin(), prefix.end(),
                                    [](unsigned char c) { return std::isgraph(c) != 0; });
  if (prefix.starts_with('/') && readable && prefix.size() <= kMaxPrefixBytes) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "scripts cannot name a Python under '" + Printable(prefix) +
                  "': an absolute path without white space is wanted, of 100 bytes at most");
}

class Installation {
 public:
  Installation(const PackageInstaller& by, const Lock& lock, const LockedPackage& package,
               const PackagePlace& place, InstallerLog& log, std::stop_token stop)
      : by_(by),
        fs_(*by.tools.fs),
        lock_(lock),
        package_(package),
        place_(place),
        work_(place.folder / ".installing"),
        log_(log),
        stop_(std::move(stop)) {}

  Status Run() {
    KINETIC_ASSIGN_OR_RETURN(target_, TargetPlatform::For(lock_.python, lock_.platform));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, work_ / "prefix"));
    KINETIC_RETURN_IF_ERROR(by_.installer.is_uv ? ByUv() : ByPip());
    auto laid = LayOutWheel(fs_, work_ / "prefix", place_.folder, {target_.Minor(), place_.prefix});
    if (!laid) return Failure(std::move(laid).error().Context("installing " + package_.Shown()));
    KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, work_));
    if (!by_.compiler) return {};
    return CompileModules(*by_.compiler, place_, by_.tools, log_, stop_);
  }

 private:
  Status ByUv() {
    std::vector<std::string> argv = by_.installer.argv;
    // Copies, for what is made of them here must not change uv's cache.
    argv.insert(argv.end(), {"pip", "install", "--prefix", (work_ / "prefix").native(), "--python",
                             by_.python.path.native(), "--link-mode", "copy", "--index-strategy",
                             "unsafe-best-match"});
    return Install(std::move(argv));
  }

  Status ByPip() {
    std::vector<std::string> argv = by_.installer.argv;
    const Path wheels = work_ / "wheels";
    argv.insert(argv.end(), {"download", "--dest", wheels.native(), "--progress-bar", "off"});
    KINETIC_RETURN_IF_ERROR(Install(std::move(argv)));
    KINETIC_ASSIGN_OR_RETURN(const auto downloaded, fs_.ReadDirectory(wheels));
    if (downloaded.size() != 1) {
      return Fail(ErrorCode::kInternal, "pip downloaded " + std::to_string(downloaded.size()) +
                                            " files for " + package_.Shown() + " in place of one");
    }
    return Execute({by_.python.path.native(), "-I", "-c", std::string(kUnpackWheel),
                    (wheels / downloaded[0].name).native(), (work_ / "prefix").native(),
                    target_.Minor(), package_.name},
                   InstallerEnvironment(by_.tools, {}, {}));
  }

  /// What both are told: one package, by its hashes, from a wheel for the pod.
  Status Install(std::vector<std::string> argv) {
    auto environment = InstallerEnvironment(by_.tools, lock_.index, by_.private_urls);
    KINETIC_RETURN_IF_ERROR(WriteFileAtomically(
        fs_, work_ / "requirements.txt",
        LockedRequirements({&package_, 1}, by_.private_urls, environment), 0600));
    for (auto& option : target_.Options(by_.installer)) argv.push_back(std::move(option));
    IndexSettings formats;
    formats.only_binary = {":all:"};
    formats.no_index = lock_.index.no_index;
    for (auto& option : FormatOptions(formats, by_.installer)) argv.push_back(std::move(option));
    argv.insert(argv.end(), {"--no-deps", "--require-hashes", "-r", "requirements.txt"});
    return Execute(std::move(argv), std::move(environment));
  }

  Status Execute(std::vector<std::string> argv, std::map<std::string, std::string> environment) {
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus ended,
        RunLogged(std::move(argv), std::move(environment), work_, log_, stop_));
    if (ended.Succeeded()) return {};
    return PodInstallerFailure(
        "installing " + package_.Shown() + " for a pod failed (" + by_.installer.version + ")",
        target_, log_);
  }

  const PackageInstaller& by_;
  FileSystem& fs_;
  const Lock& lock_;
  const LockedPackage& package_;
  const PackagePlace& place_;
  Path work_;
  InstallerLog& log_;
  std::stop_token stop_;
  TargetPlatform target_;
};

Result<InstallerLog> OpenLog(const ToolOptions& tools, const std::string& name,
                             const PrivateUrls& private_urls, Observer* observer) {
  const Path path = EnvironmentFolder{tools.cache_dir}.Logs() / (name + "-" + RandomId() + ".log");
  return InstallerLog::Create(*tools.fs, path, SecretsOf(private_urls), observer);
}

}  // namespace

Result<PackageInstaller> FindPackageInstaller(ToolOptions tools, PrivateUrls private_urls,
                                              std::string_view python, Observer* observer,
                                              std::stop_token stop) {
  PackageInstaller found{std::move(tools), std::move(private_urls), {}, {}, {}};
  KINETIC_ASSIGN_OR_RETURN(found.python, FindAnyPython(found.tools, stop));
  KINETIC_ASSIGN_OR_RETURN(InstallerLog log,
                           OpenLog(found.tools, "installer", found.private_urls, observer));
  auto installer = FindInstaller(found.python, found.tools, log, stop);
  log.Settle(installer ? nullptr : &installer.error());
  KINETIC_RETURN_IF_ERROR(installer);
  found.installer = *std::move(installer);
  found.compiler = FindCompiler(python, found.tools, std::move(stop));
  return found;
}

Status InstallPackage(const PackageInstaller& installer, const Lock& lock,
                      const LockedPackage& package, const PackagePlace& place, Observer* observer,
                      std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckPrefix(place.prefix));
  KINETIC_ASSIGN_OR_RETURN(InstallerLog log, OpenLog(installer.tools, "wheel-" + package.name,
                                                     installer.private_urls, observer));
  Status installed = Installation(installer, lock, package, place, log, std::move(stop)).Run();
  log.Settle(installed ? nullptr : &installed.error());
  return installed;
}

}  // namespace kinetic::env
