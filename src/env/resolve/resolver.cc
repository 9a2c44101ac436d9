#include "env/resolve/resolver.h"

#include "base/files/temp_dir.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "env/dependencies/requirements_file.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/install/pod_failure.h"
#include "env/install/requirements.h"
#include "env/pep/target_platform.h"
#include "env/python/interpreter.h"
#include "env/python/programs.h"
#include "env/resolve/pip_report.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxAnswerBytes = 256ULL << 20;

class Resolver {
 public:
  Resolver(const Manifest& manifest, const ToolOptions& tools, InstallerLog& log,
           std::stop_token stop)
      : manifest_(manifest), tools_(tools), log_(log), stop_(std::move(stop)) {}

  Result<Lock> Run() {
    if (manifest_.for_pod) {
      KINETIC_ASSIGN_OR_RETURN(target_, TargetPlatform::For(manifest_.python, manifest_.platform));
    }
    // For a pod, any Python will do: it runs the installer and is not what is installed for.
    KINETIC_ASSIGN_OR_RETURN(
        const Interpreter python,
        target_ ? FindAnyPython(tools_, stop_) : FindPython(manifest_.python, tools_, stop_));
    KINETIC_ASSIGN_OR_RETURN(installer_, FindInstaller(python, tools_, log_, stop_));
    const Path parent = tools_.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools_.fs, parent, "lock-"));
    folder_ = folder.path();
    environment_ = InstallerEnvironment(tools_, manifest_.index, manifest_.private_urls);
    KINETIC_RETURN_IF_ERROR(Write("requirements.txt", manifest_.requirements));
    if (!manifest_.constraints.empty()) {
      KINETIC_RETURN_IF_ERROR(Write("constraints.txt", manifest_.constraints));
    }
    Lock lock;
    KINETIC_ASSIGN_OR_RETURN(lock.packages, installer_.is_uv ? ByUv(python) : ByPip());
    std::sort(lock.packages.begin(), lock.packages.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    lock.manifest_key = manifest_.Key();
    lock.python = manifest_.python;
    lock.platform = manifest_.platform;
    lock.index = manifest_.index;
    lock.resolver = installer_.version;
    lock.resolved_at = tools_.clock->Now();
    return lock;
  }

 private:
  Status Write(const std::string& name, const std::vector<std::string>& lines) {
    const std::string text = InstallerRequirements(lines, manifest_.private_urls, environment_);
    return WriteFileAtomically(*tools_.fs, folder_ / name, text, 0600);
  }

  void AddCommon(std::vector<std::string>& argv) const {
    if (target_) {
      for (auto& option : target_->Options(installer_)) argv.push_back(std::move(option));
    }
    if (!manifest_.constraints.empty()) argv.insert(argv.end(), {"-c", "constraints.txt"});
    for (auto& option : FormatOptions(manifest_.index, installer_)) {
      argv.push_back(std::move(option));
    }
  }

  Status Execute(std::vector<std::string> argv) {
    KINETIC_ASSIGN_OR_RETURN(const ExitStatus ended,
                             RunLogged(std::move(argv), environment_, folder_, log_, stop_));
    if (!ended.Succeeded()) {
      const std::string what = "resolving the dependencies failed (" + installer_.version + ")";
      Failure failure =
          target_ ? PodInstallerFailure(what, *target_, log_) : InstallerFailure(what, log_);
      NameRequirements(failure.value().message);
      return failure;
    }
    return {};
  }

  /// pip speaks of lines of the file it was given, which nobody has seen: the requirements
  /// themselves are put in their place.
  void NameRequirements(std::string& message) const {
    for (std::size_t i = 0; i < manifest_.requirements.size(); ++i) {
      const std::string place = "-r requirements.txt (line " + std::to_string(i + 1) + ")";
      for (auto at = message.find(place); at != std::string::npos; at = message.find(place, at)) {
        message.replace(at, place.size(), manifest_.requirements[i]);
        at += manifest_.requirements[i].size();
      }
    }
  }

  Result<std::vector<LockedPackage>> ByUv(const Interpreter& python) {
    std::vector<std::string> argv = installer_.argv;
    argv.insert(argv.end(), {"pip", "compile", "requirements.txt", "--generate-hashes",
                             "--no-header", "--no-annotate", "--python", python.path.native(),
                             "--quiet", "--output-file", "resolved.txt"});
    AddCommon(argv);
    KINETIC_RETURN_IF_ERROR(Execute(std::move(argv)));
    const TextSource source = [&](const Path& path) {
      return ReadFile(*tools_.fs, path, kMaxAnswerBytes);
    };
    auto file = ReadRequirements(folder_ / "resolved.txt", source, environment_);
    if (!file) return Failure(std::move(file).error().Context("reading what uv resolved"));
    std::vector<LockedPackage> packages;
    const auto environment =
        MarkerEnvironment::For(target_ ? target_->python : python.version, manifest_.platform);
    for (auto& one : file->requirements) {
      if (!one.AppliesTo(environment)) continue;
      packages.push_back(
          {one.name, one.specifier.Pinned().value_or(""), Known(one.url), std::move(one.hashes)});
    }
    return packages;
  }

  /// pip as it is run for this machine, or with the markers of the pod.
  std::vector<std::string> PipCommand() const {
    if (!target_) return installer_.argv;
    Value::Map variables;
    for (const auto& [name, value] :
         MarkerEnvironment::For(target_->python, manifest_.platform).variables) {
      variables.emplace_back(name, value);
    }
    return {installer_.argv.front(), "-c", std::string(kPipWithMarkers),
            Value(std::move(variables)).ToJson()};
  }

  Result<std::vector<LockedPackage>> ByPip() {
    std::vector<std::string> argv = PipCommand();
    argv.insert(argv.end(), {"install", "--dry-run", "--ignore-installed", "--report",
                             "report.json", "--progress-bar", "off", "-r", "requirements.txt"});
    AddCommon(argv);
    // Nothing is installed, but pip wants to be told where to before it resolves for another
    // machine.
    if (target_) argv.insert(argv.end(), {"--target", "target"});
    KINETIC_RETURN_IF_ERROR(Execute(std::move(argv)));
    KINETIC_ASSIGN_OR_RETURN(const std::string text,
                             ReadFile(*tools_.fs, folder_ / "report.json", kMaxAnswerBytes));
    KINETIC_ASSIGN_OR_RETURN(auto packages, PackagesOfReport(text));
    for (auto& package : packages) package.url = Known(package.url);
    return packages;
  }

  /// A URL in the form in which the manifest shows it: the installer has seen the full one.
  std::string Known(const std::string& url) const {
    for (const auto& [shown, full] : manifest_.private_urls) {
      if (url == full || url == ShownUrl(full)) return shown;
    }
    return url.empty() ? url : ShownUrl(url);
  }

  const Manifest& manifest_;
  const ToolOptions& tools_;
  InstallerLog& log_;
  std::stop_token stop_;
  std::optional<TargetPlatform> target_;  ///< of a pod; nothing: this machine
  Installer installer_;
  Path folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace

Result<Lock> Resolve(const Manifest& manifest, const ToolOptions& tools, Observer* observer,
                     std::stop_token stop) {
  if (manifest.own_lock) return *manifest.own_lock;
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
      InstallerLog::Create(*tools.fs, path, SecretsOf(manifest.private_urls), observer));
  auto lock = Resolver(manifest, tools, log, stop).Run();
  log.Settle(lock ? nullptr : &lock.error());
  return lock;
}

}  // namespace kinetic::env
