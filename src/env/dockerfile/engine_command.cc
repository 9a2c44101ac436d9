#include "env/dockerfile/container_engine.h"
#include "oci/format/reference.h"
#include "oci/registry/access.h"

#include <algorithm>

namespace kinetic::env {
namespace {

bool IsPlainHttp(const std::string& registry, const ImageBuildRequest& request) {
  return oci::ResolveRegistry(registry, request.plain).url.starts_with("http://");
}

/// Docker's daemon has its own list of registries without TLS.
void AddAccess(std::vector<std::string>& argv, const Engine& engine, const Path& logins,
               bool plain) {
  if (engine.kind == ContainerEngine::kDocker) return;
  if (!logins.empty()) argv.insert(argv.end(), {"--authfile", logins.native()});
  if (plain) argv.emplace_back("--tls-verify=false");
}

}  // namespace

std::vector<std::string> BuildCommand(const Engine& engine, const ImageBuildRequest& request,
                                      const Path& logins, StepCache cache) {
  const bool is_docker = engine.kind == ContainerEngine::kDocker;
  std::vector<std::string> argv{engine.program.native(), "build"};
  argv.insert(argv.end(), {"--file", request.dockerfile.native(), "--tag", request.reference,
                           "--platform", request.platform});
  if (is_docker) {
    argv.emplace_back("--progress=plain");
  } else {
    argv.emplace_back(cache == StepCache::kOn ? "--layers=true" : "--layers=false");
    if (!request.ignore_file.empty()) {
      argv.insert(argv.end(), {"--ignorefile", request.ignore_file.native()});
    }
  }
  for (const auto& [name, value] : request.labels) {
    argv.insert(argv.end(), {"--label", name + "=" + value});
  }
  // The option applies to all registries, so all must be without TLS.
  const bool plain = !request.pulled_from.empty() &&
                     std::ranges::all_of(request.pulled_from, [&](const std::string& registry) {
                       return IsPlainHttp(registry, request);
                     });
  AddAccess(argv, engine, logins, plain);
  argv.push_back(request.context.native());
  return argv;
}

std::vector<std::string> PushCommand(const Engine& engine, const ImageBuildRequest& request,
                                     const Path& logins) {
  std::vector<std::string> argv{engine.program.native(), "push"};
  const auto name = oci::ParseReference(request.reference);
  AddAccess(argv, engine, logins, name && IsPlainHttp(name->registry, request));
  argv.push_back(request.reference);
  if (engine.kind != ContainerEngine::kDocker) argv.push_back("docker://" + request.reference);
  return argv;
}

std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const Path& logins) {
  // chroot needs neither a runtime nor cgroups, so it works in containers.
  if (engine.kind == ContainerEngine::kBuildah)
    environment.try_emplace("BUILDAH_ISOLATION", "chroot");
  if (engine.kind != ContainerEngine::kDocker) return environment;
  environment["DOCKER_BUILDKIT"] = "1";  // for RUN --mount
  // Attestations would turn the image into an index.
  environment["BUILDX_NO_DEFAULT_ATTESTATIONS"] = "1";
  if (!logins.empty()) environment["DOCKER_CONFIG"] = logins.native();
  return environment;
}

}  // namespace kinetic::env
