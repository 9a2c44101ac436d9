#include "env/resolve/resolver.h"

#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/dependencies/dependency_files.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/pep/target_platform.h"
#include "env/python/interpreter.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxOutputBytes = 256ULL << 20;

class Resolver {
 public:
  Resolver(const Manifest& manifest, const ToolOptions& tools, InstallerLog& log,
           std::stop_token stop)
      : manifest_(manifest), tools_(tools), log_(log), stop_(std::move(stop)) {}

  Result<Lock> Run() {
    if (manifest_.for_pod) {
      KINETIC_ASSIGN_OR_RETURN(target_, TargetPlatform::For(manifest_.python, manifest_.platform));
    }
    // For a pod, any Python will do.
    KINETIC_ASSIGN_OR_RETURN(
        const Interpreter python,
        target_ ? FindAnyPython(tools_, stop_) : FindPython(manifest_.python, tools_, stop_));
    KINETIC_ASSIGN_OR_RETURN(uv_, FindUv(python, tools_, log_, stop_));
    const Path parent = tools_.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools_.fs, parent, "lock-"));
    folder_ = folder.path();
    environment_ = UvEnvironment(uv_, tools_, manifest_.index, manifest_.private_urls);
    KINETIC_RETURN_IF_ERROR(Write("requirements.txt", manifest_.requirements));
    if (!manifest_.constraints.empty()) {
      KINETIC_RETURN_IF_ERROR(Write("constraints.txt", manifest_.constraints));
    }
    Lock lock;
    KINETIC_ASSIGN_OR_RETURN(lock.packages, Packages(python));
    std::sort(lock.packages.begin(), lock.packages.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    lock.manifest_key = manifest_.Key();
    lock.python = manifest_.python;
    lock.platform = manifest_.platform;
    lock.index = manifest_.index;
    lock.resolver = uv_.version;
    lock.resolved_at = tools_.clock->Now();
    return lock;
  }

 private:
  Status Write(const std::string& name, const std::vector<std::string>& lines) {
    const std::string text = InstallerRequirements(lines, manifest_.private_urls, environment_);
    return WriteFileAtomically(*tools_.fs, folder_ / name, text, 0600);
  }

  std::vector<std::string> Command(const Interpreter& python) const {
    std::vector<std::string> argv{
        uv_.path.native(),    "pip",         "compile",       "requirements.txt",
        "--generate-hashes",  "--no-header", "--no-annotate", "--python",
        python.path.native(), "--quiet",     "--output-file", "resolved.txt"};
    if (target_) {
      for (auto& option : PlatformOptions(*target_)) argv.push_back(std::move(option));
    }
    if (!manifest_.constraints.empty()) argv.insert(argv.end(), {"-c", "constraints.txt"});
    for (auto& option : FormatOptions(manifest_.index)) argv.push_back(std::move(option));
    return argv;
  }

  Status Execute(std::vector<std::string> argv) {
    KINETIC_ASSIGN_OR_RETURN(const ExitStatus ended,
                             RunLogged(std::move(argv), environment_, folder_, log_, stop_));
    if (!ended.Succeeded()) {
      const std::string what = "cannot resolve the dependencies (" + uv_.version + ")";
      return target_ ? PodInstallerFailure(what, *target_, log_) : InstallerFailure(what, log_);
    }
    return {};
  }

  Result<std::vector<LockedPackage>> Packages(const Interpreter& python) {
    KINETIC_RETURN_IF_ERROR(Execute(Command(python)));
    const ReadFileFunction source = [&](const Path& path) {
      return ReadFile(*tools_.fs, path, kMaxOutputBytes);
    };
    auto file = ReadRequirements(folder_ / "resolved.txt", source, environment_);
    if (!file) return Failure(std::move(file).error().Context("cannot read uv's output"));
    std::vector<LockedPackage> packages;
    const auto environment =
        MarkerEnvironment::For(target_ ? target_->python : python.version, manifest_.platform);
    for (auto& one : file->requirements) {
      if (!one.AppliesTo(environment)) continue;
      packages.push_back({one.name, one.specifier.Pinned().value_or(""), Redacted(one.url),
                          std::move(one.hashes)});
    }
    return packages;
  }

  /// Returns the redacted form of a full URL from the installer.
  std::string Redacted(const std::string& url) const {
    for (const auto& [redacted, full] : manifest_.private_urls) {
      if (url == full || url == RedactUrl(full)) return redacted;
    }
    return url.empty() ? url : RedactUrl(url);
  }

  const Manifest& manifest_;
  const ToolOptions& tools_;
  InstallerLog& log_;
  std::stop_token stop_;
  std::optional<TargetPlatform> target_;  ///< of a pod; nullopt: this machine
  Uv uv_;
  Path folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace

Result<Lock> Resolve(const Manifest& manifest, const ToolOptions& tools, Observer* observer,
                     std::stop_token stop) {
  if (manifest.embedded_lock) return *manifest.embedded_lock;
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
  auto lock = Resolver(manifest, tools, log, stop).Run();
  log.Close(lock ? nullptr : &lock.error());
  return lock;
}

}  // namespace kinetic::env
