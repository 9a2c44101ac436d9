#include "env/dockerfile/engine_command.h"

#include "oci/registry/reference.h"

#include <algorithm>

namespace kinetic::env {
namespace {

bool IsPlainHttp(const std::string& registry, const ImageOrder& order) {
  return oci::ResolveRegistry(registry, order.plain).url.starts_with("http://");
}

/// Docker's daemon knows by its own configuration which registries have no TLS.
void AddAccess(std::vector<std::string>& argv, const Engine& engine, const Path& logins,
               bool plain) {
  if (engine.kind == ContainerEngine::kDocker) return;
  if (!logins.empty()) argv.insert(argv.end(), {"--authfile", logins.native()});
  if (plain) argv.emplace_back("--tls-verify=false");
}

}  // namespace

std::vector<std::string> BuildCommand(const Engine& engine, const ImageOrder& order,
                                      const Path& logins, StepCache cache) {
  const bool is_docker = engine.kind == ContainerEngine::kDocker;
  std::vector<std::string> argv{engine.program.native(), "build"};
  argv.insert(argv.end(), {"--file", order.dockerfile.native(), "--tag", order.reference,
                           "--platform", order.platform});
  if (is_docker) {
    argv.emplace_back("--progress=plain");
  } else {
    argv.emplace_back(cache == StepCache::kOn ? "--layers=true" : "--layers=false");
    if (!order.ignore_file.empty()) {
      argv.insert(argv.end(), {"--ignorefile", order.ignore_file.native()});
    }
  }
  for (const auto& [name, value] : order.labels) {
    argv.insert(argv.end(), {"--label", name + "=" + value});
  }
  // TLS is not given up for one registry because of another.
  const bool plain = !order.pulled_from.empty() &&
                     std::ranges::all_of(order.pulled_from, [&](const std::string& registry) {
                       return IsPlainHttp(registry, order);
                     });
  AddAccess(argv, engine, logins, plain);
  argv.push_back(order.context.native());
  return argv;
}

std::vector<std::string> PushCommand(const Engine& engine, const ImageOrder& order,
                                     const Path& logins) {
  std::vector<std::string> argv{engine.program.native(), "push"};
  const auto name = oci::ParseReference(order.reference);
  AddAccess(argv, engine, logins, name && IsPlainHttp(name->registry, order));
  argv.push_back(order.reference);
  if (engine.kind != ContainerEngine::kDocker) argv.push_back("docker://" + order.reference);
  return argv;
}

std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const Path& logins) {
  // Needs neither a runtime nor cgroups, so that it works in containers too.
  if (engine.kind == ContainerEngine::kBuildah)
    environment.try_emplace("BUILDAH_ISOLATION", "chroot");
  if (engine.kind != ContainerEngine::kDocker) return environment;
  environment["DOCKER_BUILDKIT"] = "1";  // for RUN --mount
  // Notes on how an image was made would make an index of it.
  environment["BUILDX_NO_DEFAULT_ATTESTATIONS"] = "1";
  if (!logins.empty()) environment["DOCKER_CONFIG"] = logins.native();
  return environment;
}

}  // namespace kinetic::env
