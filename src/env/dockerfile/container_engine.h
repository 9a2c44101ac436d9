#pragma once

#include "kinetic/profile.h"

#include "env/dockerfile/builder.h"
#include "env/tool_options.h"
#include "oci/registry/access.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A container engine of this machine.
struct Engine {
  ContainerEngine kind = ContainerEngine::kBuildah;  ///< kBuildah, kPodman or kDocker
  Path program;

  /// Returns the name of the program: "buildah".
  std::string Name() const { return program.filename().native(); }
};

/// Finds the program of an engine on a search path; kAuto: the first of buildah, podman, docker.
///
/// @param kind  not kCloudBuild.
/// @errors  kFailedPrecondition: not installed.
Result<Engine> FindEngine(ContainerEngine kind, std::string_view search_path);

/// Whether buildah and podman cache the result of each step for the next build. docker always does.
enum class StepCache : std::uint8_t { kOn, kOff };

/// Returns the command that builds an image and tags it with the request's reference.
///
/// @param logins  an auth file, or a folder with docker's configuration; empty: the engine uses its
///                own logins.
/// @source  https://github.com/containers/buildah/blob/v1.28.0/docs/buildah-build.1.md ;
///          https://docs.podman.io/en/v4.3/markdown/podman-build.1.html ;
///          https://docs.docker.com/reference/cli/docker/buildx/build/
std::vector<std::string> BuildCommand(const Engine& engine, const ImageBuildRequest& request,
                                      const Path& logins, StepCache cache);

/// Returns the command that pushes the image.
std::vector<std::string> PushCommand(const Engine& engine, const ImageBuildRequest& request,
                                     const Path& logins);

/// Returns the environment of an engine's process: the caller's, and variables that make the
/// engines behave alike. buildah isolates steps by chroot unless BUILDAH_ISOLATION is set.
std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const Path& logins);

struct ContainerEngineOptions {
  ToolOptions tools;
  ContainerEngine engine = ContainerEngine::kAuto;
  /// Logins for the registries of a request. The engine uses its own logins for other registries.
  oci::LoginSource& logins;
  Path docker_config;  ///< docker's config.json; need not exist
};

/// Returns a builder that runs a container engine of this machine. The engine keeps its own storage
/// of pulled images and built steps.
///
/// The engine reads logins from a private folder, which is removed after the build. Its output is
/// written to a log in the cache folder, which is kept if the build fails.
///
/// References in `options` must outlive the builder.
std::unique_ptr<DockerfileBuilder> MakeContainerEngine(ContainerEngineOptions options);

}  // namespace kinetic::env
