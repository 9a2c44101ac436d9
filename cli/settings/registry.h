#pragma once

#include "kinetic/image.h"

#include "settings/resolved.h"

namespace kinetic::cli {

/// Returns the registry options, from the settings and DOCKER_CONFIG: Docker's logins and, for
/// Google's registries, the credential of a bucket.
RegistryOptions RegistryOptionsOf(const Settings& settings, const Surroundings& here);

}  // namespace kinetic::cli
