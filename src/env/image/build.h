#pragma once

#include "kinetic/observer.h"

#include "base/hash/digest.h"
#include "env/image/base_python.h"
#include "env/image/layers_builder.h"
#include "env/resolve/lock.h"
#include "oci/registry/repository.h"

#include <stop_token>

namespace kinetic::env {

/// Makes the image of a lock in a repository: what is missing of its layers and of those of the
/// image below, then the image itself under its tag. Whoever does it twice stores nothing anew.
///
/// @param observer  told of each layer that is made; may be null.
/// @returns the digest of its manifest.
/// @errors  those of FindBasePython, ObtainPackageTrees and Repository · kFailedPrecondition: a
///          package is built for another C library than the image has.
Result<Digest> BuildImage(const Lock& lock, const LayersOptions& options,
                          const BaseInRegistry& base, const oci::Repository& repository,
                          Observer* observer, std::stop_token stop);

}  // namespace kinetic::env
