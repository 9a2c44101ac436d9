#pragma once

#include "env/environment_builder.h"
#include "env/image/naming.h"
#include "env/image/registries.h"
#include "env/install/tool_options.h"
#include "store/object_store.h"

#include <memory>

namespace kinetic::env {

struct LayersOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  store::Store& store;
  ImageRegistries& registries;
  ImageNaming naming;
};

/// Makes images for environments without a container engine: the packages are appended as layers to
/// the base image's manifest. The packages' trees are those that the archives have; a layer that
/// the registry has is not made again, and the base's layers are mounted where it lies in the same
/// registry. ReadyEnvironment::image names the image by its digest. It has a virtual environment at
/// the prefix, and PATH and VIRTUAL_ENV lead there.
///
/// What the registry says decides whether an image is there: no record of it is kept elsewhere.
///
/// `options` hold what outlives the builder.
///
/// @errors  of Find and Ensure, besides those of EnvironmentBuilder: kUnauthenticated,
///          kPermissionDenied (the registry) · kUnavailable (it could not be asked) ·
///          kFailedPrecondition (the base has no such Python, is for other machines, or has another
///          C library than the packages) · kNotFound (no such base) · kInvalidArgument (a name).
/// @threads one thread at a time.
std::unique_ptr<EnvironmentBuilder> MakeLayersBuilder(LayersOptions options);

}  // namespace kinetic::env
