#pragma once

#include "kinetic/value.h"

namespace kinetic::backend {

/// The pod's and each container's security context. A pod never gains privileges; otherwise it is
/// its image's user, unless the namespace enforces "restricted": then it is a user without a name.
///
/// @source  https://kubernetes.io/docs/concepts/security/pod-security-standards/
Value PodSecurity(bool restricted);
Value ContainerSecurity(bool restricted);

}  // namespace kinetic::backend
