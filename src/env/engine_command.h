#pragma once

#include "kinetic/profile.h"

#include "env/dockerfile_builder.h"

#include <map>
#include <string>
#include <vector>

namespace kinetic::env {

/// A container engine of this machine.
struct Engine {
  ContainerEngine kind = ContainerEngine::kBuildah;  ///< not kAuto
  Path program;

  /// "buildah"
  std::string Name() const { return program.filename().native(); }
};

/// What an engine is given in files.
struct EngineFiles {
  std::map<std::string, Path> secrets;  ///< by id
  Path logins;  ///< an auth file, or a folder with docker's configuration; empty: its own count
};

/// The command that builds an image of that name. It holds no secret.
///
/// @source  https://github.com/containers/buildah/blob/v1.28.0/docs/buildah-build.1.md ;
///          https://docs.podman.io/en/v4.3/markdown/podman-build.1.html ;
///          https://docs.docker.com/reference/cli/docker/buildx/build/
std::vector<std::string> BuildCommand(const Engine& engine, const ImageOrder& order,
                                      const EngineFiles& files);

/// The command that pushes it under its name.
std::vector<std::string> PushCommand(const Engine& engine, const ImageOrder& order,
                                     const EngineFiles& files);

/// The variables of an engine's process: the caller's, and what makes docker do as the others do.
/// buildah's steps are isolated by chroot unless the caller's BUILDAH_ISOLATION says otherwise.
std::map<std::string, std::string> EngineEnvironment(const Engine& engine,
                                                     std::map<std::string, std::string> environment,
                                                     const EngineFiles& files);

}  // namespace kinetic::env
