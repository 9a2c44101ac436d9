#pragma once

#include "env/dockerfile_builder.h"
#include "env/environment_builder.h"
#include "env/image_naming.h"
#include "env/image_registries.h"
#include "env/index_settings.h"
#include "env/tool_options.h"

#include <memory>

namespace kinetic::env {

struct DockerfileImagesOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  ImageRegistries& registries;
  ImageNaming naming;
  bool plain_registries = false;  ///< are asked without TLS
  DockerfileBuilder& builder;
};

/// Makes images for environments as `kinetic image dockerfile` describes them: the builder runs
/// that Dockerfile, upon the base that its name leads to now, and pushes what it gives under the
/// tag of the lock. Where the base's registry does not answer, the builder is left to find the base
/// by its name. ReadyEnvironment is as that of MakeLayersBuilder.
///
/// `options` hold what outlives the builder.
///
/// @errors  of Find and Ensure, besides those of EnvironmentBuilder: those of DockerfileBuilder and
///          of FindImage · kNotFound (no such base) · kAborted (what is tagged so after the build
///          is another image).
/// @threads one thread at a time.
std::unique_ptr<EnvironmentBuilder> MakeDockerfileImagesBuilder(DockerfileImagesOptions options);

}  // namespace kinetic::env
