#include "env/dockerfile/container_engine.h"

#include "kinetic/try.h"

#include "base/process/subprocess.h"
#include "base/random.h"
#include "base/strings.h"
#include "env/dockerfile/engine_logins.h"
#include "env/install/installer.h"
#include "env/tool_options.h"
#include "oci/format/reference.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

struct KnownEngine {
  ContainerEngine kind;
  std::string_view name;
};
/// In search order: engines without a daemon first.
constexpr std::array<KnownEngine, 3> kEngines{{{ContainerEngine::kBuildah, "buildah"},
                                               {ContainerEngine::kPodman, "podman"},
                                               {ContainerEngine::kDocker, "docker"}}};

/// The build of one image by an engine.
class EngineBuild {
 public:
  EngineBuild(const ContainerEngineOptions& options, Engine engine,
              const ImageBuildRequest& request, SecretFolder folder, InstallerLog& log,
              std::stop_token stop)
      : options_(options),
        engine_(std::move(engine)),
        request_(request),
        folder_(std::move(folder)),
        log_(log),
        stop_(std::move(stop)) {}

  Status Run() {
    KINETIC_RETURN_IF_ERROR(WriteLogins());
    KINETIC_RETURN_IF_ERROR(RunBuild());
    return Run("pushing", PushCommand(engine_, request_, logins_));
  }

 private:
  /// Retries without the step cache if the base image has no history, with which buildah and podman
  /// fail.
  Status RunBuild() {
    auto built = Run("building", BuildCommand(engine_, request_, logins_, StepCache::kOn));
    if (built || !log_.Contains("internal error: history lists")) return built;
    return Run("building", BuildCommand(engine_, request_, logins_, StepCache::kOff));
  }

  Status WriteLogins() {
    KINETIC_ASSIGN_OR_RETURN(const Logins logins, FindLogins());
    if (logins.empty()) return {};
    if (engine_.kind == ContainerEngine::kDocker) {
      KINETIC_ASSIGN_OR_RETURN(
          logins_, WriteDockerConfig(*options_.tools.fs, folder_, options_.docker_config, logins));
    } else {
      KINETIC_ASSIGN_OR_RETURN(logins_, WriteAuthFile(folder_, logins));
    }
    return {};
  }

  Result<Logins> FindLogins() {
    KINETIC_ASSIGN_OR_RETURN(const oci::Reference name, oci::ParseReference(request_.reference));
    std::set<std::string> registries(request_.pulled_from.begin(), request_.pulled_from.end());
    registries.insert(name.registry);
    Logins logins;
    for (const std::string& registry : registries) {
      KINETIC_ASSIGN_OR_RETURN(auto login, options_.logins.Find(registry, stop_));
      if (login) logins[registry] = *std::move(login);
    }
    return logins;
  }

  Status Run(std::string_view action, std::vector<std::string> argv) {
    auto environment = EngineEnvironment(engine_, options_.tools.environment, logins_);
    environment["PATH"] = options_.tools.search_path;
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus ended,
        RunLogged(std::move(argv), std::move(environment), request_.context, log_, stop_));
    if (ended.Succeeded()) return {};
    return WithAdvice(
        InstallerFailure(fmt::format("{} {} failed: {} exited with code {}", action,
                                     request_.reference, engine_.Name(), ended.ShellCode()),
                         log_));
  }

  /// Adds a code and hint for known messages of the engines' common libraries.
  Failure WithAdvice(Failure failure) const {
    Error error = std::move(failure).error();
    const auto contains = [&](std::initializer_list<std::string_view> texts) {
      for (const std::string_view text : texts) {
        if (log_.Contains(text)) return true;
      }
      return false;
    };
    std::string advice;
    if (contains({"server gave HTTP response to HTTPS client"})) {
      advice = engine_.kind == ContainerEngine::kDocker
                   ? "the registry has no TLS: add it to the daemon's insecure-registries; "
                   : "the registry has no TLS: add it to the profile's plain_registries; ";
    } else if (contains({"unauthorized", "authentication required", "no basic auth credentials"})) {
      error.code = ErrorCode::kUnauthenticated;
      advice = "log in to the registry, for example with 'docker login'; ";
    } else if (contains({"requested access to the resource is denied"})) {
      error.code = ErrorCode::kPermissionDenied;
      advice = "use a login that is allowed to push; ";
    } else if (contains({"Cannot connect to the Docker daemon", "Is the docker daemon running"})) {
      advice = "start the Docker daemon, or set another container_engine in the profile; ";
    } else if (contains({"connect: connection refused", "no such host", "i/o timeout"})) {
      error.code = ErrorCode::kUnavailable;
      advice = "a registry did not respond; ";
    }
    error.hint.insert(0, advice);
    return Failure(std::move(error));
  }

  const ContainerEngineOptions& options_;
  const Engine engine_;
  const ImageBuildRequest& request_;
  const SecretFolder folder_;
  InstallerLog& log_;
  const std::stop_token stop_;
  Path logins_;  ///< see BuildCommand
};

class ContainerEngineBuilder final : public DockerfileBuilder {
 public:
  explicit ContainerEngineBuilder(ContainerEngineOptions options) : options_(std::move(options)) {}

  Status Build(const ImageBuildRequest& request, Observer* observer,
               std::stop_token stop) override {
    const ToolOptions& tools = options_.tools;
    KINETIC_ASSIGN_OR_RETURN(Engine engine, FindEngine(options_.engine, tools.search_path));
    KINETIC_ASSIGN_OR_RETURN(SecretFolder folder, SecretFolder::Create(tools, stop));
    const Path path =
        EnvironmentCacheLayout{tools.cache_dir}.Logs() / ("image-" + RandomId() + ".log");
    KINETIC_ASSIGN_OR_RETURN(InstallerLog log, InstallerLog::Create(*tools.fs, path, {}, observer));
    const Status status =
        EngineBuild(options_, std::move(engine), request, std::move(folder), log, std::move(stop))
            .Run();
    log.Close(status ? nullptr : &status.error());
    return status;
  }

 private:
  const ContainerEngineOptions options_;
};

}  // namespace

Result<Engine> FindEngine(ContainerEngine kind, std::string_view search_path) {
  std::vector<std::string> names;
  for (const KnownEngine& known : kEngines) {
    if (kind != ContainerEngine::kAuto && kind != known.kind) continue;
    if (auto program = FindExecutable(known.name, search_path)) {
      return Engine{known.kind, *std::move(program)};
    }
    names.emplace_back(known.name);
  }
  return Fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("no container engine is installed: searched PATH for {}", Join(names, ", ")),
      "install one of them, or use Cloud Build: set container_engine=cloud-build in the "
      "profile");
}

std::unique_ptr<DockerfileBuilder> MakeContainerEngine(ContainerEngineOptions options) {
  return std::make_unique<ContainerEngineBuilder>(std::move(options));
}

}  // namespace kinetic::env
