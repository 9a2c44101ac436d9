#include "env/engine_command.h"

#include "oci/reference.h"
#include "oci/registry_address.h"

#include <algorithm>

namespace kinetic::env {
namespace {

bool IsPlain(const std::string& registry, const ImageOrder& order) {
  return oci::AddressOf(registry, order.plain).url.starts_with("http://");
}

/// Docker's daemon knows by its own configuration which registries have no TLS.
void AddAccess(std::vector<std::string>& argv, const Engine& engine, const EngineFiles& files,
               bool plain) {
  if (engine.kind == ContainerEngine::kDocker) return;
  if (!files.logins.empty()) argv.insert(argv.end(), {"--authfile", files.logins.native()});
  if (plain) argv.emplace_back("--tls-verify=false");
}

}  // namespace

std::vector<std::string> BuildCommand(const Engine& engine, const ImageOrder& order,
                                      const EngineFiles& files) {
  const bool is_docker = engine.kind == ContainerEngine::kDocker;
  std::vector<std::string> argv{engine.program.native(), "build"};
  argv.insert(argv.end(), {"--file", order.dockerfile.native(), "--tag", order.reference,
                           "--platform", order.platform});
  if (is_docker) {
    argv.emplace_back("--progress=plain");
  } else {
    argv.emplace_back(order.keep_steps ? "--layers=true" : "--layers=false");
    if (!order.ignore_file.empty()) {
      argv.insert(argv.end(), {"--ignorefile", order.ignore_file.native()});
    }
  }
  for (const auto& [name, value] : order.labels) {
    argv.insert(argv.end(), {"--label", name + "=" + value});
  }
  for (const auto& [id, file] : files.secrets) {
    argv.insert(argv.end(), {"--secret", "id=" + id + ",src=" + file.native()});
  }
  // TLS is not given up for one registry because of another.
  const bool plain = !order.pulled_from.empty() &&
                     std::ranges::all_of(order.pulled_from, [&](const std::string& registry) {
                       return IsPlain(registry, order);
                     });
  AddAccess(argv, engine, files, plain);
  argv.push_back(order.context.native());
  return argv;
}

std::vector<std::string> PushCommand(const Engine& engine, const ImageOrder& order,
                                     const EngineFiles& files) {
  std::vector<std::string> argv{engine.program.native(), "push"};
  const auto name = oci::ParseReference(order.reference);
  AddAccess(argv, engine, files, name && IsPlain(name->registry, order));
  argv.push_back(order.reference);
  if (engine.kind != ContainerEngine::kDocker) argv.push_back("docker://" + order.reference);
  return argv;
}

std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const EngineFiles& files) {
  // Needs neither a runtime nor cgroups, so that it works in containers too.
  if (engine.kind == ContainerEngine::kBuildah)
    environment.try_emplace("BUILDAH_ISOLATION", "chroot");
  if (engine.kind != ContainerEngine::kDocker) return environment;
  environment["DOCKER_BUILDKIT"] = "1";  // of which mounts and secrets are
  // Notes on how an image was made would make an index of it.
  environment["BUILDX_NO_DEFAULT_ATTESTATIONS"] = "1";
  if (!files.logins.empty()) environment["DOCKER_CONFIG"] = files.logins.native();
  return environment;
}

}  // namespace kinetic::env
