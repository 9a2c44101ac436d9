#pragma once

#include "kinetic/client.h"
#include "kinetic/cloud.h"
#include "kinetic/image.h"
#include "kinetic/profile.h"

#include "settings/resolved.h"

#include <string>

namespace kinetic::settings {

/// Returns the options of a client. Its `log`, and the sinks of `cloud`, are left empty.
ClientOptions ClientOptionsOf(const Settings& settings, const ProcessEnvironment& process);

/// Returns the connection options for Google's servers, from the settings, and otherwise from the
/// variables and files that Google's libraries and curl read: docs/reference/credentials.md.
///
/// Of access token, token file and credential file, the one with the strongest origin applies: an
/// option overrides a variable, and a variable overrides the profile.
CloudOptions CloudOptionsOf(const Settings& settings, const ProcessEnvironment& process);

/// Adds the scheme to an address as Google's libraries do: "localhost:4443" becomes
/// "http://localhost:4443".
std::string WithScheme(std::string address);

/// Returns the kind of target that the settings specify.
TargetKind TargetKindOf(const Settings& settings);

/// Returns the cluster, the identity and the pod settings: docs/reference/profiles.md.
ClusterProfile ClusterProfileOf(const Settings& settings, const ProcessEnvironment& process);

/// Checks that every given option has an effect on the target.
///
/// @errors kInvalidArgument: an option without an effect.
Status CheckOptionsApply(const Settings& settings);

/// Returns the registry options, from the settings and DOCKER_CONFIG: Docker's logins and, for
/// Google's registries, the credential of a bucket.
RegistryOptions RegistryOptionsOf(const Settings& settings, const ProcessEnvironment& process);

}  // namespace kinetic::settings
