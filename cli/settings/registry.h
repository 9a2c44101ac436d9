#pragma once

#include "kinetic/image.h"

#include "settings/settings.h"

namespace kinetic::cli {

/// How registries of images are reached, by the settings and by DOCKER_CONFIG: with the logins of
/// Docker, and at Google's with the credential of a bucket.
RegistryOptions RegistryOptionsOf(const Settings& settings, const Surroundings& here);

}  // namespace kinetic::cli
