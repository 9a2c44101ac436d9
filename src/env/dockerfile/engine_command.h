#pragma once

#include "kinetic/profile.h"

#include "env/dockerfile/builder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kinetic::env {

/// A container engine of this machine.
struct Engine {
  ContainerEngine kind = ContainerEngine::kBuildah;  ///< kBuildah, kPodman or kDocker
  Path program;

  /// "buildah"
  std::string Name() const { return program.filename().native(); }
};

/// Whether buildah and podman cache the result of each step for the next build. docker always does.
enum class StepCache : std::uint8_t { kOn, kOff };

/// Returns the command that builds an image and tags it with the order's reference.
///
/// @param logins  an auth file, or a folder with docker's configuration; empty: the engine uses its
///                own logins.
/// @source  https://github.com/containers/buildah/blob/v1.28.0/docs/buildah-build.1.md ;
///          https://docs.podman.io/en/v4.3/markdown/podman-build.1.html ;
///          https://docs.docker.com/reference/cli/docker/buildx/build/
std::vector<std::string> BuildCommand(const Engine& engine, const ImageOrder& order,
                                      const Path& logins, StepCache cache);

/// Returns the command that pushes the image.
std::vector<std::string> PushCommand(const Engine& engine, const ImageOrder& order,
                                     const Path& logins);

/// Returns the variables of an engine's process: the caller's, and those that make the engines
/// behave alike. buildah isolates steps by chroot unless the caller sets BUILDAH_ISOLATION.
std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const Path& logins);

}  // namespace kinetic::env
