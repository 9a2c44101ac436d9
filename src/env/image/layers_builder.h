#pragma once

#include "kinetic/observer.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "env/image/registry_images.h"
#include "env/image/stored_image.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "oci/registry/repository.h"
#include "store/advisory_lease.h"
#include "store/object_store.h"

#include <memory>
#include <stop_token>

namespace kinetic::env {

struct LayersOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  store::Store& store;
  ImageRegistries& registries;
  ImageNaming naming;
};

/// Returns a builder of environment images that needs no container engine. It appends the packages
/// as layers to the base image's manifest. It uses the package trees of the archives builder, skips
/// layers that the registry has, and mounts the base's layers if they are in the same registry. The
/// image has a virtual environment at the prefix, and sets PATH and VIRTUAL_ENV.
/// ReadyEnvironment::image contains the image's digest.
///
/// The registry alone decides whether an image exists. References in `options` must outlive the
/// builder.
///
/// @errors  of Find and Ensure, besides those of EnvironmentBuilder: kUnauthenticated,
///          kPermissionDenied, kUnavailable (the registry) · kFailedPrecondition (the base lacks
///          the Python, is for another platform, or has another C library than the packages) ·
///          kNotFound (no such base) · kInvalidArgument (a name).
/// @threads one thread at a time.
std::unique_ptr<EnvironmentBuilder> MakeLayersBuilder(LayersOptions options);

/// Builds the image of a lock: uploads missing layers, then the manifest under its tag. Idempotent.
///
/// @param observer  informed of each new layer; may be null.
/// @returns the digest of the manifest.
/// @errors  those of FindBasePython, ObtainPackageTrees and Repository · kFailedPrecondition: a
///          package needs another C library than the base has.
Result<Digest> BuildImage(const Lock& lock, const LayersOptions& options,
                          const RegistryBaseImage& base, const oci::Repository& repository,
                          Observer* observer, std::stop_token stop);

struct SingleFlightOptions {
  ImageNaming naming;
  store::Store& store;  ///< shared by the clients; outlives the builder, as does the clock
  Clock& clock;
  store::AdvisoryLease::Client self;  ///< without on_wait
};

/// Returns a builder that lets one client at a time build the image of a lock with `builder`.
/// Other clients wait (store::AdvisoryLease) and then find the image. Find needs no lease.
///
/// @errors  those of `builder` and, of Ensure, store::AdvisoryLease::Acquire.
std::unique_ptr<EnvironmentBuilder> MakeSingleFlightBuilder(
    std::unique_ptr<EnvironmentBuilder> builder, SingleFlightOptions options);

}  // namespace kinetic::env
