#pragma once

#include "kinetic/profile.h"

#include "env/dockerfile/builder.h"
#include "env/dockerfile/engine_command.h"
#include "env/install/tool_options.h"
#include "oci/registry/login.h"

#include <memory>
#include <string_view>

namespace kinetic::env {

/// Returns the program of an engine on a search path; kAuto: the first of buildah, podman, docker.
///
/// @param wanted  not kCloudBuild.
/// @errors  kFailedPrecondition: none is installed.
Result<Engine> FindEngine(ContainerEngine wanted, std::string_view search_path);

struct ContainerEngineOptions {
  ToolOptions tools;
  ContainerEngine engine = ContainerEngine::kAuto;
  /// Logins for the registries of an order; the engine uses its own for the others.
  oci::LoginSource& logins;
  Path docker_config;  ///< docker's config.json; need not exist
};

/// Builds images with a container engine of this machine, run as a program. The engine keeps its
/// own storage of pulled images and built steps.
///
/// The engine reads logins from a private folder, which is removed with the build. All its output
/// goes into a log in the cache folder, which is kept when it fails.
///
/// `options` hold what outlives the builder.
std::unique_ptr<DockerfileBuilder> MakeContainerEngine(ContainerEngineOptions options);

}  // namespace kinetic::env
