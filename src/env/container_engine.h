#pragma once

#include "kinetic/profile.h"

#include "env/dockerfile_builder.h"
#include "env/engine_command.h"
#include "env/tool_options.h"
#include "oci/login.h"

#include <memory>
#include <string_view>

namespace kinetic::env {

/// The program of an engine on a search path; kAuto: the first there is of buildah, podman, docker.
///
/// @errors  kFailedPrecondition: there is none; what was looked for, and what does without.
Result<Engine> FindEngine(ContainerEngine wanted, std::string_view search_path);

struct ContainerEngineOptions {
  ToolOptions tools;
  ContainerEngine engine = ContainerEngine::kAuto;
  /// Shown to the engine for the registries of an order; where there is none, the engine's own
  /// count.
  oci::LoginSource& logins;
  Path docker_config;  ///< docker's config.json; need not exist
};

/// Has images made by a container engine of this machine, run as a program. What it pulled and made
/// stays in its own storage.
///
/// Logins and secrets are files in a folder of their own, for as long as it runs. All that it says
/// goes into a log in the cache folder, which is kept when it fails.
///
/// `options` hold what outlives the builder.
std::unique_ptr<DockerfileBuilder> MakeContainerEngine(ContainerEngineOptions options);

}  // namespace kinetic::env
